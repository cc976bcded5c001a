import { useSyncExternalStore } from 'react';

/**
 * Whether the last request reached the server. `navigator.onLine` is no substitute: it is false on a machine without a
 * network even if the server runs on that machine.
 */
let isReached = true;
const watchers = new Set<() => void>();

function change(next: boolean): void {
  if (next === isReached) return;
  isReached = next;
  for (const watcher of watchers) watcher();
}

/** Sends a request and records whether it was answered. */
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
