/** A signal that is aborted when the process is asked to stop; asked again, it stops at once. */
export function until(...names: NodeJS.Signals[]): AbortController {
  const stop = new AbortController();
  for (const name of names) process.once(name, () => stop.abort());
  return stop;
}
