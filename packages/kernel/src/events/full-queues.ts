import { longestWaitSeconds, type OutboxRow } from './outbox.ts';

/** Minimum time that an event waits if its queue is full. */
const minWaitSeconds = 60;
/** While a queue is full or missing, one event of each of its names probes it: after a second at first … */
const firstProbeSeconds = 1;
/** … then after twice as long each time, up to this. */
const maxProbeSeconds = 60;

/**
 * The names of events whose queue was full or missing.
 *
 * If one queue cannot take an event, the other subscriptions still get it, and get it again at each retry. So such an
 * event waits until an event of its name was accepted, or for twice as long as it has waited. One of the waiting events
 * probes the queue now and then, as each new event does.
 */
export class FullQueues {
  readonly #probes = new Map<string, { at: number; waitSeconds: number }>();

  /** Returns how long a refused event waits. */
  secondsToWait({ name, lagSeconds }: OutboxRow): number {
    const now = performance.now();
    const { at, waitSeconds } = this.#probes.get(name) ?? { at: now, waitSeconds: firstProbeSeconds };
    if (now < at) return Math.min(Math.max(2 * lagSeconds, minWaitSeconds), longestWaitSeconds);
    const next = Math.min(2 * waitSeconds, maxProbeSeconds);
    this.#probes.set(name, { at: now + waitSeconds * 1000, waitSeconds: next });
    return waitSeconds;
  }

  /** Counts, for each name with waiting events, the accepted events, provided that none of that name was refused. */
  countAcceptedAgain(accepted: readonly OutboxRow[], refused: readonly OutboxRow[]): Map<string, number> {
    const fullNames = new Set(refused.map(({ name }) => name));
    const counts = new Map<string, number>();
    for (const { name, wasPutOff } of accepted) {
      if ((wasPutOff || this.#probes.has(name)) && !fullNames.has(name))
        counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return counts;
  }

  /** Records that the queue has room for events of this name. */
  markAvailable(name: string): void {
    this.#probes.delete(name);
  }
}
