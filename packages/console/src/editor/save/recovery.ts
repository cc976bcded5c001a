import type { PageDocument } from '@waybill/page';
import { createStore, delMany, entries, setMany } from 'idb-keyval';
import type { Recovery, UnsavedDocument } from '../core/save-port.ts';

/** Unsaved changes of a document left behind by a closed tab. */
export interface Found {
  readonly kept: UnsavedDocument;
  /** Deletes them after they were restored or rejected. */
  forget(): Promise<void>;
}

/** A table that outlives a tab, such as IndexedDB. */
export interface Table {
  setMany(some: [string, unknown][]): Promise<void>;
  delMany(keys: string[]): Promise<void>;
  entries(): Promise<[string, unknown][]>;
}

const longestMs = 30 * 24 * 60 * 60 * 1000;

const inBrowser = (): Table => {
  const store = createStore('waybill.editor', 'unsaved');
  return {
    setMany: (some) => setMany(some, store),
    delMany: (keys) => delMany(keys, store),
    entries: () => entries(store),
  };
};

/**
 * Keeps a document's unsaved changes in this browser. Each tab has its own record, under a lock that ends with the tab,
 * so that two tabs of one page do not take each other's. `key` names the user and the document.
 */
export function recoveryOf(key: string) {
  const table = inBrowser();
  const prefix = `${key}/`;
  const tab = `${prefix}${crypto.randomUUID()}`;
  const end = Promise.withResolvers<void>();
  const locked = navigator.locks.request(tab, () => end.promise);
  return {
    recovery: tabRecovery(table, tab),
    /** Returns the changes that closed tabs left of this document, latest first. */
    async pending(): Promise<Found[]> {
      const { held = [] } = await navigator.locks.query();
      const alive = new Set(held.map(({ name }) => name ?? ''));
      return left(await table.entries(), table, prefix, (name) => name !== tab && !alive.has(name));
    },
    /** Called when the tab no longer edits the document. */
    async close(): Promise<void> {
      end.resolve();
      await locked;
    },
  };
}

/** The record of one tab. While a write is running, only the latest of the new states is written next. */
export function tabRecovery(table: Table, tab: string): Recovery {
  const [baseKey, changesKey] = [`${tab}/base`, `${tab}/changes`];
  let written: PageDocument | null = null;
  let wanted: { kept: UnsavedDocument | null } | null = null;
  let running: Promise<void> | null = null;

  async function work(): Promise<void> {
    try {
      for (let next = wanted; next; next = wanted) {
        wanted = null;
        await put(next.kept);
      }
    } finally {
      // Reset in the same turn as the last check of `wanted`; a state set in between would otherwise stay unwritten.
      running = null;
    }
  }
  async function put(kept: UnsavedDocument | null): Promise<void> {
    if (!kept) await table.delMany([baseKey, changesKey]);
    else {
      const { base, etag, changes, at } = kept;
      const rest: [string, unknown] = [changesKey, { changes, at }];
      // Written together, because changes with another base would give another document.
      await table.setMany(base === written ? [rest] : [[baseKey, { base, etag }], rest]);
    }
    written = kept?.base ?? null;
  }
  const want = (kept: UnsavedDocument | null) => {
    wanted = { kept };
    running ??= work();
    return running;
  };
  return { keep: (kept) => want(kept), forget: () => want(null) };
}

/**
 * Returns the complete records below a prefix for which `isLeft` holds. Deletes those that nobody has claimed for a
 * month.
 */
export function left(
  all: readonly [string, unknown][],
  table: Table,
  prefix: string,
  isLeft: (tab: string) => boolean,
  now = Date.now(),
): Found[] {
  const byKey = new Map(all);
  const found: Found[] = [];
  for (const [key, changes] of all) {
    if (!key.endsWith('/changes')) continue;
    const tab = key.slice(0, -'/changes'.length);
    const keys = [`${tab}/base`, key];
    const kept = { ...(byKey.get(keys[0]!) as object), ...(changes as object) } as UnsavedDocument;
    const forget = () => table.delMany(keys);
    if (kept.at < now - longestMs) void forget();
    else if (tab.startsWith(prefix) && kept.base && isLeft(tab)) found.push({ kept, forget });
  }
  return found.toSorted((a, b) => b.kept.at - a.kept.at);
}
