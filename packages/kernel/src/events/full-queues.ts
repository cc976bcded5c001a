import { longestWaitSeconds, type OutboxRow } from './outbox.ts';

/** How long an event waits at least whose queue is full. */
const shortestWaitSeconds = 60;
/** While a queue is full or not there, one event of each name that it wants asks whether it is still: after a second at first … */
const firstProbeSeconds = 1;
/** … then after twice as long each time, up to this. */
const longestProbeSeconds = 60;

/**
 * The names of events that a queue was too full for, or was not there for.
 *
 * The others that want an event have it when one queue is too full for it or not there, and get it again at each try. So it
 * waits until one of its name was accepted, or for twice as long as it has; of those that wait one asks now and then, as
 * each new one does.
 */
export class FullQueues {
  readonly #probes = new Map<string, { at: number; waitSeconds: number }>();

  /** How long an event waits that was refused for it. */
  secondsToWait({ name, lagSeconds }: OutboxRow): number {
    const now = performance.now();
    const { at, waitSeconds } = this.#probes.get(name) ?? { at: now, waitSeconds: firstProbeSeconds };
    if (now < at) return Math.min(Math.max(2 * lagSeconds, shortestWaitSeconds), longestWaitSeconds);
    const next = Math.min(2 * waitSeconds, longestProbeSeconds);
    this.#probes.set(name, { at: now + waitSeconds * 1000, waitSeconds: next });
    return waitSeconds;
  }

  /** How many events of each name were accepted of which others wait, where none of it was refused. */
  acceptedAgain(accepted: readonly OutboxRow[], refused: readonly OutboxRow[]): Map<string, number> {
    const stillFull = new Set(refused.map(({ name }) => name));
    const counts = new Map<string, number>();
    for (const { name, wasPutOff } of accepted) {
      if ((wasPutOff || this.#probes.has(name)) && !stillFull.has(name))
        counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return counts;
  }

  /** There is room for events of this name. */
  forget(name: string): void {
    this.#probes.delete(name);
  }
}
