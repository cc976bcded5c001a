import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '@waybill/contracts';

/** So much a second goes at once, and so much at a time; what is more goes at this pace. */
const lookUpsPerSecond = 100;
const refusalsPerSecond = 200;
/** Nobody is kept waiting for longer, and no more than so many are. */
const longestWaitMs = 1_000;
const mostWaiting = 500;

/**
 * Keeps those whom nobody knows from costing more than a little, from however many addresses they come: a flood asks again
 * when it is answered, so its answers take their time (a tarpit), and cost nothing meanwhile.
 */
export function createStrangers(
  now: () => number = () => performance.now(),
  wait = (ms: number) => sleep(ms),
) {
  const lookUps = createPace(lookUpsPerSecond, now);
  const refusals = createPace(refusalsPerSecond, now);
  let waiting = 0;

  /** At once where too many wait already. */
  async function hold(ms: number): Promise<void> {
    if (ms <= 0 || waiting >= mostWaiting) return;
    waiting++;
    await wait(Math.min(ms, longestWaitMs)).finally(() => waiting--);
  }

  return {
    /**
     * Waits until a bearer may be looked up that this process does not know; throws `resource_unavailable` where that would
     * take too long. What it gives is called when the bearer has turned out to be somebody's.
     */
    async beforeLookUp(): Promise<() => void> {
      const ms = lookUps.take();
      await hold(ms);
      if (ms <= longestWaitMs) return lookUps.giveBack;
      throw errors.resource_unavailable({ headers: { 'retry-after': '1' } });
    },
    /** Waits until a stranger may be told that they are none of ours. */
    beforeRefusal: () => hold(refusals.take()),
  };
}

/** The generic cell rate algorithm: so much a second, and as much at once. */
function createPace(perSecond: number, now: () => number) {
  const everyMs = 1_000 / perSecond;
  let fullAt = 0;
  return {
    /** How many milliseconds the next turn is away; it is taken unless that is longer than anybody waits. */
    take(): number {
      const at = now();
      const full = Math.max(fullAt, at) + everyMs;
      const ms = full - at - 1_000;
      if (ms <= longestWaitMs) fullAt = full;
      return ms;
    },
    giveBack(): void {
      fullAt -= everyMs;
    },
  };
}
