import { runAsSystem } from './actor.ts';
import type { Log } from './log.ts';
import { measureTask } from './metrics.ts';

/** Work that a service repeats. A run starts only after the previous one has ended. */
export interface TaskDefinition {
  name: string;
  everyMs: number;
  /** Returns true if more work remains, so that the task runs again at once. */
  run(): Promise<boolean | void>;
}

export interface Task {
  name: string;
  wake(): void;
  /** Resolves when the current run has ended. */
  stop(): Promise<void>;
}

/** Runs a task at its interval, and at once when woken; never twice at a time. */
export function startTask(service: string, { name, everyMs, run }: TaskDefinition, log: Log): Task {
  const progress = { succeededAt: Date.now(), everyMs };
  const stopMeasuring = measureTask(service, name, progress);
  let running: Promise<void> | null = null;
  let isDue = false;
  let isStopped = false;

  function wake(): void {
    if (isStopped) return;
    isDue = true;
    running ??= runWhileDue().finally(() => {
      running = null;
      if (isDue) wake();
    });
  }

  async function runWhileDue(): Promise<void> {
    while (isDue && !isStopped) {
      isDue = false;
      try {
        // The caller of `wake` may be answering a request.
        if (await runAsSystem(run)) isDue = true;
        progress.succeededAt = Date.now();
      } catch (err) {
        log.warn({ err, task: name }, 'a background task failed; it runs again at its next interval');
        isDue = false;
      }
    }
  }

  const timer = setInterval(wake, everyMs);
  wake();
  return {
    name,
    wake,
    async stop() {
      isStopped = true;
      clearInterval(timer);
      stopMeasuring();
      await running;
    },
  };
}
