import { StartError } from './config.ts';

const stopDeadlineMs = 15_000;

/**
 * Runs a program to its end: `start` returns the function that stops it. Ctrl-C, SIGTERM, and the end of a parent
 * process that started it over a channel stop it in order. An error that the user can fix is a line and exit code 1.
 */
export function runProgram(start: () => Promise<() => Promise<void>>): void {
  const started = start();
  let isStopping = false;

  function stop(): void {
    if (isStopping) return;
    isStopping = true;
    setTimeout(
      () => exitWithError(new StartError('The stop took too long, so the process was ended.')),
      stopDeadlineMs,
    ).unref();
    started.then((stopAll) => stopAll()).then(() => process.exit(0), exitWithError);
  }

  process.on('SIGINT', stop).on('SIGTERM', stop).on('disconnect', stop);
  started.catch(exitWithError);
}

/** Ends the process with a line for each problem that the user can fix, or else with the error's stack. */
export function exitWithError(error: unknown): never {
  const lines =
    error instanceof StartError ? error.message.split('\n') : [(error as Error).stack ?? String(error)];
  for (const line of lines) process.stderr.write(`waybill: ${line}\n`);
  process.exit(1);
}
