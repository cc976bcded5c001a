import { LRUCache } from 'lru-cache';
import type { AnyDatabase } from './database.ts';
import { withinStore } from './distributed.ts';
import { type CachedListItem, itemJson, type ListItem } from './items.ts';
import { type OfStore, prepare } from './statements.ts';

/** Maximum size of the JSON that one list caches for one database, in characters. */
const maxCharacters = 16 * 1024 * 1024;
/** A larger item is not cached, so that a few of them cannot displace all others. */
const maxItemCharacters = maxCharacters / 64;

interface CachedItem {
  /** The id and the version of the item. */
  key: string;
  json: string;
}

/**
 * Caches the JSON of a list's items, which are read again and again, so that the database builds it once for each
 * version: for the first pages of the list, and for reads of single items. Every read asks the database for the current
 * versions. `version` is SQL of a text without commas that differs after every change of an item's JSON.
 */
export function withItemCache<Values extends OfStore>(
  item: ListItem<Values>,
  version: string,
): CachedListItem<Values> {
  const { name, table, alias } = item;
  const key = `concat(${alias}.id, ' ', ${version})`;
  const find = prepare<CachedItem & { id: string }, Values & { ids: string[] }>(
    `${name}-list-items`,
    ($) => `select ${alias}.id, ${withinStore($.storeId, key)} as key, (${itemJson(item, $)})::text as json
      from ${table} ${alias}
      where ${alias}.store_id = ${$.storeId} and ${alias}.id = any(${$.ids}::text[])`,
  );
  const findChanged = prepare<
    { id: string; key: string; json: string | null },
    Values & { ids: readonly string[]; keys: readonly (string | null)[] }
  >(
    `${name}-changed-items`,
    ($) => `select ${alias}.id, version.key,
        case when version.key is distinct from known.key then (${itemJson(item, $)})::text end as json
      from unnest(${$.ids}::text[], ${$.keys}::text[]) as known (id, key)
      cross join lateral (
        select * from ${table} where store_id = ${$.storeId} and id = known.id offset 0
      ) ${alias}
      cross join lateral (select ${withinStore($.storeId, key)} as key offset 0) version`,
  );
  // A process may run several services of one kind, each with a database of its own.
  const caches = new WeakMap<AnyDatabase, LRUCache<string, CachedItem>>();
  const getCache = (db: AnyDatabase) => {
    const cache =
      caches.get(db) ??
      new LRUCache<string, CachedItem>({
        maxSize: maxCharacters,
        maxEntrySize: maxItemCharacters,
        sizeCalculation: ({ json }) => json.length,
      });
    caches.set(db, cache);
    return cache;
  };
  return {
    ...item,
    cache: {
      versions: { ...item, name: `${name}-versions`, json: () => key },
      async find(db, values, versions) {
        if (versions === '') return '';
        const cache = getCache(db);
        const keys = versions.split(',').map((key) => ({ key, id: key.slice(0, key.indexOf(' ')) }));
        const found = new Map<string, string>();
        for (const { key, id } of keys) {
          const cached = cache.get(`${values.storeId} ${id}`);
          if (cached?.key === key) found.set(key, cached.json);
        }
        const missing = keys.flatMap(({ key, id }) => (found.has(key) ? [] : id));
        if (missing.length > 0) {
          const { rows } = await db.executeQuery(find({ ...values, ids: missing }));
          for (const { id, key, json } of rows) {
            cache.set(`${values.storeId} ${id}`, { key, json });
            found.set(key, json);
          }
        }
        return keys.every(({ key }) => found.has(key))
          ? keys.map(({ key }) => found.get(key)).join(',')
          : null;
      },
      async findEach(db, values, ids) {
        const cache = getCache(db);
        const known = new Map(ids.map((id) => [id, cache.get(`${values.storeId} ${id}`)]));
        const keys = [...known.values()].map((cached) => cached?.key ?? null);
        const { rows } = await db.executeQuery(findChanged({ ...values, ids: [...known.keys()], keys }));
        const found = new Map<string, string>();
        for (const { id, key, json } of rows) {
          if (json !== null) cache.set(`${values.storeId} ${id}`, { key, json });
          found.set(id, json ?? known.get(id)!.json);
        }
        return ids.map((id) => found.get(id) ?? null);
      },
    },
  };
}
