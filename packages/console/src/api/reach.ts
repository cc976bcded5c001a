import { useSyncExternalStore } from 'react';

/**
 * Whether the server answers: by what the last request met. `navigator.onLine` says something else, and is false on a
 * machine without a network whose own server runs on it.
 */
let isReached = true;
const watchers = new Set<() => void>();

function change(next: boolean): void {
  if (next === isReached) return;
  isReached = next;
  for (const watcher of watchers) watcher();
}

/** Makes a request, and remembers whether there was an answer. */
export async function reach(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    change(true);
    return response;
  } catch (error) {
    if (!request.signal.aborted) change(false);
    throw error;
  }
}

export function useReached(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => isReached,
  );
}
