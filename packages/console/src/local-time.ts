/** Days and times of date fields and filters, in the browser's time zone. */

/** Formats an instant for a `datetime-local` field. */
export function formatLocalTime(instant: string | number): string {
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns the instant that a `datetime-local` field names; null if it is empty or no valid time. */
export function parseLocalTime(local: string): string | null {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

/** Formats a date as a day, such as `2026-11-20`. */
export function formatDay(date: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Returns the start of a day, or of a later day; null if it is missing or no valid date. */
function parseDayStart(day: string | undefined, daysLater = 0): string | null {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '') ?? [];
  if (!date) return null;
  const start = new Date(Number(year), Number(month) - 1, Number(date) + daysLater);
  return Number.isNaN(start.getTime()) ? null : start.toISOString();
}

/** Converts the first and last day of a period to instants, the second exclusive. Invalid days are left out. */
export function toPeriod({ since, until }: { since?: string | undefined; until?: string | undefined }): {
  since?: string;
  until?: string;
} {
  const [from, to] = [parseDayStart(since), parseDayStart(until, 1)];
  return { ...(from && { since: from }), ...(to && { until: to }) };
}
