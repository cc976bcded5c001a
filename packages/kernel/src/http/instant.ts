const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** An instant as a client writes it (RFC 3339), to the millisecond; null where it is none. */
export function parseInstant(text: string): Date | null {
  const [, year, month, day] = (rfc3339.exec(text) ?? []).map(Number);
  // Date takes the 30th of February for the 2nd of March.
  const isDay = day !== undefined && day >= 1 && new Date(Date.UTC(year!, month!, 0)).getUTCDate() >= day;
  const instant = new Date(isDay ? text.toUpperCase() : Number.NaN);
  return Number.isNaN(instant.getTime()) ? null : instant;
}
