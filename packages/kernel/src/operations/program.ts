import { StartError } from './config.ts';

const stopDeadlineMs = 15_000;

/**
 * Runs a program to its end: `start` returns the function that stops it. Ctrl-C, SIGTERM, and the end of a parent
 * process that started it over a channel stop it in order. An error that the user can fix is a line and exit code 1.
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

/** Ends the process with a line for each problem that the user can fix, or else with the error's stack. */
export function fail(error: unknown): never {
  const lines =
    error instanceof StartError ? error.message.split('\n') : [(error as Error).stack ?? String(error)];
  for (const line of lines) process.stderr.write(`waybill: ${line}\n`);
  process.exit(1);
}
