import Type from 'typebox';

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d))?$/;

/**
 * An instant as a client writes it (RFC 3339), to the millisecond; null where it is none. A date alone is its first
 * instant in UTC, `decisions.md 19.5`.
 */
export function parseInstant(text: string): Date | null {
  const [, year, month, day] = (rfc3339.exec(text) ?? []).map(Number);
  // Date takes the 30th of February for the 2nd of March.
  const isDay = day !== undefined && day >= 1 && new Date(Date.UTC(year!, month!, 0)).getUTCDate() >= day;
  const instant = new Date(isDay ? text.toUpperCase() : Number.NaN);
  return Number.isNaN(instant.getTime()) ? null : instant;
}

/** What is wrong with what `parseInstant` refuses. */
export const noInstant = 'must be an instant with a time zone, as RFC 3339 writes it, or a date';

/** A filter by time, in a query. Handlers get it as `Date` writes it; what is malformed is refused before. */
export const instantFilter = (description: string) =>
  Type.Optional(
    Type.String({
      format: 'date-time',
      description: `${description} A date alone is its first instant in UTC.`,
    }),
  );
