import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '@waybill/contracts';
import { Pacer } from '@waybill/kernel';

/** Each rate allows a burst of one second's worth, and then this pace. */
const lookUpsPerSecond = 100;
const refusalsPerSecond = 200;
/** Maximum wait of a client, and maximum number of waiting clients. */
const longestWaitMs = 1_000;
const maxWaiting = 500;

/**
 * Bounds the cost of unknown bearers, however many addresses they come from. A flood sends its next request after each
 * answer, so delayed answers slow it down and cost nothing.
 */
export function createTarpit(now: () => number = () => performance.now(), wait = (ms: number) => sleep(ms)) {
  const lookUps = new Pacer(lookUpsPerSecond, longestWaitMs, now);
  const refusals = new Pacer(refusalsPerSecond, longestWaitMs, now);
  let waiting = 0;

  /** Waits, or returns at once if too many are waiting already. */
  async function delay(ms: number): Promise<void> {
    if (ms <= 0 || waiting >= maxWaiting) return;
    waiting++;
    await wait(Math.min(ms, longestWaitMs)).finally(() => waiting--);
  }

  return {
    /**
     * Waits until an unknown bearer may be looked up; throws `resource_unavailable` if that would take too long. The
     * caller calls the returned function if the bearer turns out to be valid.
     */
    async beforeLookUp(): Promise<() => void> {
      const ms = lookUps.take();
      await delay(ms);
      if (ms <= longestWaitMs) return () => lookUps.giveBack();
      throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
    },
    /** Waits until an unknown bearer may be refused. */
    beforeRefusal: () => delay(refusals.take()),
  };
}
