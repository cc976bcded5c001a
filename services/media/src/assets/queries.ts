import { type AssetFacts, type FocalPoint, foldText } from '@waybill/contracts';
import {
  changedAt,
  defineSearch,
  indexedWords,
  parsePage,
  readList,
  type SortKey,
  searchText,
  sortedBy,
  splitWords,
  toLikePattern,
} from '@waybill/kernel';
import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { ListQuery } from './routes.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;
export type Asset = Selectable<Tables['media_asset']>;
export type NewAsset = Omit<
  Insertable<Tables['media_asset']>,
  | 'store_id'
  | 'name_key'
  | 'search'
  | 'trashed_at'
  | 'created_at'
  | 'updated_at'
  | 'alt'
  | 'focal_x'
  | 'focal_y'
>;

/** Returns an asset, trashed or not; null when the store has none with that id. */
export async function findAsset(db: Db, storeId: string, id: string): Promise<Asset | null> {
  const row = await db
    .selectFrom('media_asset')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns an asset and locks it until the transaction ends. */
export async function lockAsset(trx: Trx, storeId: string, id: string): Promise<Asset | null> {
  const row = await trx
    .selectFrom('media_asset')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

const sortKeys: Readonly<Record<ListQuery['sort'], Omit<SortKey, 'dir'>>> = {
  created: { column: 'created_at', type: 'timestamptz' },
  name: { column: 'name_key', type: 'text' },
  size: { column: 'size_bytes', type: 'bigint' },
};

/**
 * Returns a page of a store's assets, and the number of all matches. `folder`: an id, null for the root, undefined for
 * all.
 * @throws invalid_cursor
 */
export async function listAssets(
  db: Db,
  storeId: string,
  query: ListQuery,
  folder: string | null | undefined,
): Promise<{ rows: Asset[]; total: number; nextCursor: string | null }> {
  const { kind, trashed } = query;
  const page = parsePage('media', [storeId], query, sortedBy(sortKeys, query));
  let matching = db
    .selectFrom('media_asset')
    .where('store_id', '=', storeId)
    .where('trashed_at', trashed ? 'is not' : 'is', null);
  if (folder !== undefined) matching = matching.where('folder_id', folder === null ? 'is' : '=', folder);
  if (kind) matching = matching.where('kind', '=', kind);
  const words = [...new Set(splitWords(query.q))];
  for (const word of indexedWords(words)) matching = matching.where('search', 'like', toLikePattern(word));
  // All words go into one condition: with thousands of conditions the database would overflow its stack.
  if (words.length > 0)
    matching = matching.where(sql<boolean>`search like all (${words.map(toLikePattern)}::text[])`);
  return readList(matching.selectAll(), matching, page);
}

export function insertAsset(trx: Trx, storeId: string, asset: NewAsset, now: Date): Promise<Asset> {
  return trx
    .insertInto('media_asset')
    .values({ store_id: storeId, ...asset, ...derivedColumns(asset.name), created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The fields of an asset that can be changed. */
interface Described {
  name: string;
  folderId: string | null;
  alt: string;
  focalPoint: FocalPoint | null;
}

export function updateAsset(
  trx: Trx,
  storeId: string,
  id: string,
  { name, folderId, alt, focalPoint }: Described,
): Promise<Asset> {
  return trx
    .updateTable('media_asset')
    .set({
      name,
      ...derivedColumns(name),
      folder_id: folderId,
      alt,
      focal_x: focalPoint?.x ?? null,
      focal_y: focalPoint?.y ?? null,
      updated_at: changedAt(new Date()),
    })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Moves an asset to the trash or out of it, unless it is there already. */
export async function setTrashed(db: Db, storeId: string, id: string, trashed: boolean): Promise<void> {
  await db
    .updateTable('media_asset')
    .set({ trashed_at: trashed ? sql`now()` : null, updated_at: changedAt(new Date()) })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('trashed_at', trashed ? 'is' : 'is not', null)
    .execute();
}

/** Makes assets available to the global search, except those in the trash. */
export const searchAssets = defineSearch({
  type: 'media',
  table: 'media_asset',
  text: 't.search',
  title: 't.name',
  subtitle: 't.content_type',
  condition: 't.trashed_at is null',
});

/** Returns those assets with these ids that the store has. */
export async function lookUpAssets(db: Db, storeId: string, ids: readonly string[]): Promise<AssetFacts[]> {
  const rows = await db
    .selectFrom('media_asset')
    .select(['id', 'kind', 'content_type as contentType', 'width', 'height', 'alt', 'focal_x', 'focal_y'])
    .where('store_id', '=', storeId)
    .where('id', '=', sql<string>`any(${ids}::text[])`)
    .orderBy('id')
    .execute();
  return rows.map(({ focal_x, focal_y, ...facts }) => ({
    ...facts,
    focalPoint: toFocalPoint({ focal_x, focal_y }),
  }));
}

/** Converts the two columns into the point that the API shows; null for an asset without one. */
export function toFocalPoint({ focal_x: x, focal_y: y }: Pick<Asset, 'focal_x' | 'focal_y'>) {
  return x === null || y === null ? null : { x, y };
}

const derivedColumns = (name: string) => ({ name_key: foldText(name), search: searchText(name) });
