/**
 * Returns when a payment that began at `startedAt` is looked up next: `decisions.md 22.5`. The delays count from its
 * start. Null: never again.
 */
export function nextLookUp(delays: readonly number[], startedAt: Date, now: Date): Date | null {
  const delay = delays.find((seconds) => startedAt.getTime() + seconds * 1000 > now.getTime());
  return delay === undefined ? null : new Date(startedAt.getTime() + delay * 1000);
}

const minute = 60;
const hour = 3600;

/** 1, 5 and 30 minutes after the start, then every hour for three days. */
export const defaultDelays = [
  minute,
  5 * minute,
  30 * minute,
  ...Array.from({ length: 72 }, (_, i) => (i + 1) * hour),
];

/** Reads increasing numbers of seconds, separated by commas. @throws Error */
export function readDelays(text: string): readonly number[] {
  if (text === '') return defaultDelays;
  const delays = text.split(',').map(Number);
  const isGrowing = delays.every((seconds, i) => seconds > (delays[i - 1] ?? 0));
  if (!isGrowing)
    throw new Error('PAYMENT_LOOKUP_DELAYS_SECONDS: must be growing numbers with commas between them');
  return delays;
}
