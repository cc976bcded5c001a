import { isSlug } from '@waybill/contracts';
import { prepare } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../../tables.ts';
import { prepareBySlug } from '../served-documents/queries.ts';

type Db = Kysely<Tables>;

const sheets = prepareBySlug<{ sheet: string }>(
  'theme-sheet',
  (store) => `select case when t.hash = $2 then t.sheet else t.former_sheet end as sheet
   from (${store}) s join theme t on t.store_id = s.store_id and $2 in (t.hash, t.former_hash)`,
);

/** Returns a theme's style sheet by its hash, the live one or the previous one; undefined when there is none. */
export async function findSheet(db: Db, storeSlug: string, hash: string): Promise<string | undefined> {
  if (!isSlug(storeSlug)) return undefined;
  return (await sheets(db, storeSlug, hash))[0]?.sheet;
}

/** The names of the files that the heads of a store's pages refer to. */
interface StoreFiles {
  /** The hash of the live theme's style sheet; null when there is none. */
  hash: string | null;
  faviconMediaId: string | null;
  hasArticles: boolean;
}

const files = prepare<StoreFiles>(
  'store-files',
  `select (select hash from theme where store_id = $1) as hash,
     (select favicon_media_id from store_fact where store_id = $1) as "faviconMediaId",
     coalesce((select published > 0 from article_total where store_id = $1 and scope = ''), false) as "hasArticles"`,
);

/** Reads what the heads of a store's pages refer to. */
export async function findStoreFiles(db: Db, storeId: string): Promise<StoreFiles> {
  return (await db.executeQuery(files([storeId]))).rows[0]!;
}
