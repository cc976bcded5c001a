import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '@waybill/contracts';
import { Pacer } from '@waybill/kernel';

/** Each rate passes as a burst of one second's worth, then at this pace. */
const lookUpsPerSecond = 100;
const refusalsPerSecond = 200;
/** No client waits longer than this, and no more clients wait at once. */
const longestWaitMs = 1_000;
const mostWaiting = 500;

/**
 * Bounds what unknown bearers cost, however many addresses they come from. A flood asks again when it is answered, so its
 * answers take their time, and cost nothing meanwhile.
 */
export function createTarpit(now: () => number = () => performance.now(), wait = (ms: number) => sleep(ms)) {
  const lookUps = new Pacer(lookUpsPerSecond, longestWaitMs, now);
  const refusals = new Pacer(refusalsPerSecond, longestWaitMs, now);
  let waiting = 0;

  /** Returns at once when too many wait already. */
  async function hold(ms: number): Promise<void> {
    if (ms <= 0 || waiting >= mostWaiting) return;
    waiting++;
    await wait(Math.min(ms, longestWaitMs)).finally(() => waiting--);
  }

  return {
    /**
     * Waits until a bearer that this process does not know may be looked up; throws `resource_unavailable` when that would
     * take too long. The caller calls the returned function when the bearer turns out to be known.
     */
    async beforeLookUp(): Promise<() => void> {
      const ms = lookUps.take();
      await hold(ms);
      if (ms <= longestWaitMs) return () => lookUps.giveBack();
      throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
    },
    /** Waits until an unknown bearer may be refused. */
    beforeRefusal: () => hold(refusals.take()),
  };
}
