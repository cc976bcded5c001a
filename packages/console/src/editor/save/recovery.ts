import type { PageDocument } from '@waybill/page';
import { createStore, delMany, entries, setMany } from 'idb-keyval';
import type { Recovery, UnsavedDocument } from '../core/save-port.ts';

/** Unsaved changes of a document left behind by a closed tab. */
export interface FoundDocument {
  readonly unsaved: UnsavedDocument;
  /** Deletes them after they were restored or rejected. */
  remove(): Promise<void>;
}

/** A table that outlives a tab, such as IndexedDB. */
export interface Table {
  setMany(entries: [string, unknown][]): Promise<void>;
  delMany(keys: string[]): Promise<void>;
  entries(): Promise<[string, unknown][]>;
}

const maxAgeMs = 30 * 24 * 60 * 60 * 1000;

const openBrowserTable = (): Table => {
  const store = createStore('waybill.editor', 'unsaved');
  return {
    setMany: (entries) => setMany(entries, store),
    delMany: (keys) => delMany(keys, store),
    entries: () => entries(store),
  };
};

/**
 * Keeps a document's unsaved changes in this browser. Each tab has its own record, under a lock that ends with the tab,
 * so that two tabs of one page do not take each other's. `key` names the user and the document.
 */
export function openRecovery(key: string) {
  const table = openBrowserTable();
  const prefix = `${key}/`;
  const tab = `${prefix}${crypto.randomUUID()}`;
  const end = Promise.withResolvers<void>();
  const lock = navigator.locks.request(tab, () => end.promise);
  return {
    recovery: createTabRecovery(table, tab),
    /** Returns the changes that closed tabs left of this document, latest first. */
    async pending(): Promise<FoundDocument[]> {
      const { held = [] } = await navigator.locks.query();
      const liveTabs = new Set(held.map(({ name }) => name ?? ''));
      return listAbandoned(
        await table.entries(),
        table,
        prefix,
        (name) => name !== tab && !liveTabs.has(name),
      );
    },
    /** Called when the tab no longer edits the document. */
    async close(): Promise<void> {
      end.resolve();
      await lock;
    },
  };
}

/** The record of one tab. While a write is running, only the latest of the new states is written next. */
export function createTabRecovery(table: Table, tab: string): Recovery {
  const [baseKey, changesKey] = [`${tab}/base`, `${tab}/changes`];
  let written: PageDocument | null = null;
  let scheduledWrite: { unsaved: UnsavedDocument | null } | null = null;
  let running: Promise<void> | null = null;

  async function writeScheduled(): Promise<void> {
    try {
      for (let next = scheduledWrite; next; next = scheduledWrite) {
        scheduledWrite = null;
        await write(next.unsaved);
      }
    } finally {
      // Reset in the same turn as the last check of `scheduledWrite`; a state set in between would otherwise stay
      // unwritten.
      running = null;
    }
  }
  async function write(unsaved: UnsavedDocument | null): Promise<void> {
    if (!unsaved) await table.delMany([baseKey, changesKey]);
    else {
      const { base, etag, changes, at } = unsaved;
      const rest: [string, unknown] = [changesKey, { changes, at }];
      // Written together, because changes with another base would give another document.
      await table.setMany(base === written ? [rest] : [[baseKey, { base, etag }], rest]);
    }
    written = unsaved?.base ?? null;
  }
  const scheduleWrite = (unsaved: UnsavedDocument | null) => {
    scheduledWrite = { unsaved };
    running ??= writeScheduled();
    return running;
  };
  return { store: (unsaved) => scheduleWrite(unsaved), remove: () => scheduleWrite(null) };
}

/**
 * Returns the complete records below a prefix for which `isAbandoned` holds. Deletes those that nobody has claimed for
 * a month.
 */
export function listAbandoned(
  all: readonly [string, unknown][],
  table: Table,
  prefix: string,
  isAbandoned: (tab: string) => boolean,
  now = Date.now(),
): FoundDocument[] {
  const byKey = new Map(all);
  const found: FoundDocument[] = [];
  for (const [key, changes] of all) {
    if (!key.endsWith('/changes')) continue;
    const tab = key.slice(0, -'/changes'.length);
    const keys = [`${tab}/base`, key];
    const unsaved = { ...(byKey.get(keys[0]!) as object), ...(changes as object) } as UnsavedDocument;
    const remove = () => table.delMany(keys);
    if (unsaved.at < now - maxAgeMs) void remove();
    else if (tab.startsWith(prefix) && unsaved.base && isAbandoned(tab)) found.push({ unsaved, remove });
  }
  return found.toSorted((a, b) => b.unsaved.at - a.unsaved.at);
}
