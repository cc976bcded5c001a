import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Repeats `check` until it gives something truthy; fails with what it said last when the deadline passes. A check that
 * costs much says how long to rest before the next.
 */
export async function eventually<Result>(
  check: () => Promise<Result> | Result,
  { withinMs = 90_000, what = 'the condition', restMs = 0 } = {},
): Promise<NonNullable<Result>> {
  const began = Date.now();
  const deadline = began + withinMs;
  let last: unknown;
  for (;;) {
    try {
      const result = await check();
      if (result) return result;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw last ?? new Error(`${what} did not come true within ${withinMs} ms`);
    // What has taken long is asked about less often: a busy machine has better to do.
    await sleep(Math.max(restMs, Math.min(250, Math.max(20, (Date.now() - began) / 20))));
  }
}
