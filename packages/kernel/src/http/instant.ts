import Type from 'typebox';

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d))?$/;

/**
 * Parses an instant as a client writes it (RFC 3339), to the millisecond; null if it is invalid. A date alone is its
 * first instant in UTC, `decisions.md 19.5`.
 */
export function parseInstant(text: string): Date | null {
  const [, year, month, day] = (rfc3339.exec(text) ?? []).map(Number);
  // Date parses the 30th of February as the 2nd of March.
  const isDay = day !== undefined && day >= 1 && new Date(Date.UTC(year!, month!, 0)).getUTCDate() >= day;
  const instant = new Date(isDay ? text.toUpperCase() : Number.NaN);
  return Number.isNaN(instant.getTime()) ? null : instant;
}

/** The message for a text that `parseInstant` refuses. */
export const noInstant = 'must be an instant with a time zone, as RFC 3339 writes it, or a date';

/**
 * Returns the schema of a filter by time in a query. Handlers get the value as `Date` writes it; a malformed value is
 * refused earlier.
 */
export const instantFilter = (description: string) =>
  Type.Optional(
    Type.String({
      format: 'date-time',
      description: `${description} A date alone means its first instant in UTC.`,
    }),
  );
