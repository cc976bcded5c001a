import { isWaybillError, WaybillError } from '@waybill/sdk';
import { useSyncExternalStore } from 'react';
import { queries } from '../../api/queries.ts';
import { uploadFile } from '../../api/upload.ts';
import { mediaKey } from './queries.ts';

/** An upload to a store's media library. */
export interface Upload {
  id: number;
  storeId: string;
  folderId: string | null;
  file: File;
  /** Idempotency key of all its tries. */
  key: string;
  state: 'waiting' | 'running' | 'failed' | 'stopped' | 'done';
  /** Progress from 0 to 1. */
  share: number;
  error?: unknown;
}

/** Maximum number of parallel uploads; more would only share the same bandwidth. */
const atOnce = 2;

let uploads: readonly Upload[] = [];
let last = 0;
const stops = new Map<number, AbortController>();
const watchers = new Set<() => void>();

function change(next: readonly Upload[]): void {
  uploads = next;
  for (const watcher of watchers) watcher();
}

const set = (id: number, changes: Partial<Upload>) =>
  change(uploads.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload)));

const isOpen = ({ state }: Upload) => state === 'waiting' || state === 'running';

function begin(): void {
  const running = uploads.filter(({ state }) => state === 'running').length;
  for (const upload of uploads.filter(({ state }) => state === 'waiting').slice(0, atOnce - running)) {
    void run(upload);
  }
}

async function run({ id, storeId, folderId, file, key }: Upload): Promise<void> {
  const stop = new AbortController();
  stops.set(id, stop);
  set(id, { state: 'running', share: 0 });
  try {
    await uploadFile(storeId, file, {
      folderId,
      key,
      signal: stop.signal,
      onProgress: (share) => set(id, { share }),
    });
    set(id, { state: 'done', share: 1 });
    void queries.invalidateQueries({ queryKey: mediaKey(storeId) });
  } catch (error) {
    const isStopped = isWaybillError(error, 'aborted');
    set(id, isStopped ? { state: 'stopped' } : { state: 'failed', error: asError(error) });
  } finally {
    stops.delete(id);
    begin();
  }
}

const asError = (error: unknown) =>
  isWaybillError(error) ? error : new WaybillError('unreachable', String(error));

/** Closing the tab would stop the uploads, so the browser asks first. */
window.addEventListener('beforeunload', (event) => {
  if (uploads.some(isOpen)) event.preventDefault();
});

/** The uploads, which continue while the user moves around the console. */
export const uploading = {
  add(storeId: string, folderId: string | null, files: readonly File[]): void {
    const added = files.map((file): Upload => {
      const key = crypto.randomUUID();
      return { id: ++last, storeId, folderId, file, key, state: 'waiting', share: 0 };
    });
    change([...uploads, ...added]);
    begin();
  },
  stop(id: number): void {
    stops.get(id)?.abort();
    const upload = uploads.find((candidate) => candidate.id === id);
    if (upload?.state === 'waiting') set(id, { state: 'stopped' });
  },
  retry(id: number): void {
    set(id, { state: 'waiting', share: 0, error: undefined });
    begin();
  },
  /** Removes finished uploads from the list. */
  clear: () => change(uploads.filter(isOpen)),
};

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

export function useUploads(storeId: string): readonly Upload[] {
  return useSyncExternalStore(watch, () => uploads).filter((upload) => upload.storeId === storeId);
}
