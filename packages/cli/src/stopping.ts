/** Returns a controller that is aborted at the first of these signals; a second one ends the process at once. */
export function abortOnSignal(...names: NodeJS.Signals[]): AbortController {
  const stop = new AbortController();
  for (const name of names) process.once(name, () => stop.abort());
  return stop;
}
