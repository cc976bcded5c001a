import { setTimeout as sleep } from 'node:timers/promises';
import { runAsSystem } from './actor.ts';
import type { Log } from './log.ts';
import { measureTask } from './metrics.ts';

/** Work that a service repeats. A run starts only after the previous one has ended. */
export interface TaskDefinition {
  name: string;
  everyMs: number;
  /**
   * The share of the time, above 0, in which the task works while more work remains. It rests for the other part, at
   * most five seconds, so that requests need not wait for a long burst of work. By default it does not rest.
   */
  shareOfTime?: number;
  /** Returns true if more work remains, so that the task runs again after its rest. */
  run(): Promise<boolean | void>;
}

export interface Task {
  name: string;
  wake(): void;
  /** Resolves when the current run has ended. */
  stop(): Promise<void>;
}

/** A run that waited for something else, such as a slow database, is followed by no longer rest. */
const maxRestMs = 5_000;

/** Runs a task at its interval, and at once when woken; never twice at a time. */
export function startTask(
  service: string,
  { name, everyMs, shareOfTime = 1, run }: TaskDefinition,
  log: Log,
): Task {
  const progress = { succeededAt: Date.now(), everyMs };
  const stopMeasuring = measureTask(service, name, progress);
  let running: Promise<void> | null = null;
  let isDue = false;
  const stopping = new AbortController();

  function wake(): void {
    if (stopping.signal.aborted) return;
    isDue = true;
    running ??= runWhileDue().finally(() => {
      running = null;
      if (isDue) wake();
    });
  }

  async function runWhileDue(): Promise<void> {
    while (isDue && !stopping.signal.aborted) {
      isDue = false;
      const startedAt = performance.now();
      try {
        // The caller of `wake` may be answering a request.
        const isMoreLeft = await runAsSystem(run);
        progress.succeededAt = Date.now();
        if (!isMoreLeft) continue;
        isDue = true;
        const restMs = (performance.now() - startedAt) * (1 / shareOfTime - 1);
        if (restMs > 0) await rest(Math.min(restMs, maxRestMs));
      } catch (err) {
        log.warn({ err, task: name }, 'a background task failed; it runs again at its next interval');
        isDue = false;
      }
    }
  }

  /** Waits, but only until the task is stopped. */
  const rest = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {});

  const timer = setInterval(wake, everyMs);
  wake();
  return {
    name,
    wake,
    async stop() {
      stopping.abort();
      clearInterval(timer);
      stopMeasuring();
      await running;
    },
  };
}
