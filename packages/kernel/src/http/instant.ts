import Type from 'typebox';

// Date also accepts the hour 24 and offsets of any size, which RFC 3339 does not have.
const rfc3339 =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;
/** The instants that databases and RFC 3339 can write with a year of four digits. */
const [earliest, latest] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];

/**
 * Parses an instant as a client writes it (RFC 3339), to the millisecond; null if it is invalid. A date alone is its
 * first instant in UTC, `decisions.md 19.5`.
 */
export function parseInstant(text: string): Date | null {
  const [, year, month, day] = (rfc3339.exec(text) ?? []).map(Number);
  // Date parses the 30th of February as the 2nd of March.
  const isDay = day !== undefined && day >= 1 && new Date(Date.UTC(year!, month!, 0)).getUTCDate() >= day;
  const instant = new Date(isDay ? text.toUpperCase() : Number.NaN);
  return instant.getTime() >= earliest && instant.getTime() <= latest ? instant : null;
}

/** The message for a text that `parseInstant` refuses. */
export const invalidInstantMessage = 'must be an instant with a time zone, as RFC 3339 writes it, or a date';

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
