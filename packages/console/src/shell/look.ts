import { useSyncExternalStore } from 'react';

/** Colour scheme of the console: light, dark, or as the system says. */
export type Look = 'system' | 'light' | 'dark';

const key = 'waybill.look';
const watchers = new Set<() => void>();
const isLook = (value: string | null): value is Look => ['system', 'light', 'dark'].includes(value ?? '');
const stored = localStorage.getItem(key);
let chosen: Look = isLook(stored) ? stored : 'system';
apply();

function apply(): void {
  document.documentElement.dataset.look = chosen;
}

export function chooseLook(look: Look): void {
  chosen = look;
  localStorage.setItem(key, look);
  apply();
  for (const watcher of watchers) watcher();
}

export function useLook(): Look {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => chosen,
  );
}
