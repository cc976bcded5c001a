import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Repeats `check` until it returns a truthy value; after the deadline, it fails with the last error. `restMs` is the
 * pause between checks that cost much.
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
    // Slow conditions are checked less often, to spare a busy machine.
    await sleep(Math.max(restMs, Math.min(250, Math.max(20, (Date.now() - began) / 10))));
  }
}
