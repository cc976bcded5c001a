import type { CustomFieldValues } from '@waybill/contracts';
import { prepare } from '@waybill/kernel';
import { type Kysely, type RawBuilder, sql } from 'kysely';

// biome-ignore lint/suspicious/noExplicitAny: each service has tables of its own besides `custom_field`
type Db = Kysely<any>;

/**
 * Returns SQL that checks whether a row's values hold the id of an asset, given as SQL: as a value, or in a URL within a
 * text. Each table with values has an index of this form. The values of hidden definitions count, because they return
 * with their app.
 */
export const holdsMedia = (alias: string, assetId: string): string =>
  `(${alias}.custom_fields::text like '%mda_%' and media_ids_in(${alias}.custom_fields::text) @> array[${assetId}])`;

/** The assets to remove from values, and the definitions of media whose values may name them. */
export interface RemovedMedia {
  fieldIds: readonly string[];
  assetIds: readonly string[];
}

const mediaFields = prepare<{ id: string }>(
  'custom-fields-of-media',
  `select id from custom_field where store_id = $1 and type = 'media'`,
);

/** Returns the ids of a store's definitions of media, including hidden and deleted ones, whose values are still stored. */
export async function listMediaFields(db: Db, storeId: string): Promise<string[]> {
  return (await db.executeQuery(mediaFields([storeId]))).rows.map(({ id }) => id);
}

const removedFields = ({ fieldIds, assetIds }: RemovedMedia) => sql`
  select field_id from unnest(${fieldIds}::text[]) as field (field_id)
  where custom_fields ->> field_id = any(${assetIds}::text[])`;

/** SQL that checks whether a row has a value that is one of the assets. */
export const hasMedia = (removed: RemovedMedia): RawBuilder<boolean> =>
  sql<boolean>`(
    custom_fields::text like '%mda_%' and media_ids_in(custom_fields::text) && ${removed.assetIds}::text[]
    and exists (${removedFields(removed)})
  )`;

/**
 * SQL of a row's values without those that are one of the assets. A required value goes too: a dead id would make every
 * write that sends it back fail. Rich text stays as it is, like every other HTML that shows a picture.
 */
export const withoutMedia = (removed: RemovedMedia): RawBuilder<CustomFieldValues> =>
  sql<CustomFieldValues>`custom_fields - array(${removedFields(removed)})`;

/** Lists up to `limit` ids, in a column of a table, of rows that have a value that is one of the assets. */
export async function listRowsWithMedia(
  db: Db,
  table: string,
  storeId: string,
  removed: RemovedMedia,
  limit: number,
  column = 'id',
): Promise<string[]> {
  if (removed.fieldIds.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select distinct ${sql.ref(column)} as id from ${sql.table(table)}
    where store_id = ${storeId} and ${hasMedia(removed)} limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}
