import { StartError } from './config.ts';

const stopDeadlineMs = 15_000;

/**
 * Runs a program to its end: `start` returns the function that stops it. Ctrl-C, SIGTERM, and the end of a parent
 * process that started it over a channel stop it in order. An error that the user can fix is one line and exit code 1.
 */
export function runProgram(start: () => Promise<() => Promise<void>>): void {
  const started = start();
  let stopping = false;

  function stop(): void {
    if (stopping) return;
    stopping = true;
    setTimeout(
      () => fail(new StartError('The stop took too long and was cut short.')),
      stopDeadlineMs,
    ).unref();
    started.then((stopAll) => stopAll()).then(() => process.exit(0), fail);
  }

  process.on('SIGINT', stop).on('SIGTERM', stop).on('disconnect', stop);
  started.catch(fail);
}

/** Ends the process with one line. */
export function fail(error: unknown): never {
  const text = error instanceof StartError ? error.message : ((error as Error).stack ?? String(error));
  process.stderr.write(`waybill: ${text}\n`);
  process.exit(1);
}
