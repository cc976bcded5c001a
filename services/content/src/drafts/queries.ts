import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** A saved draft: JSON, and which save it is. */
export interface Draft {
  document: string;
  revision: string;
}

/** The page's draft; undefined when there is none. */
export function findDraft(db: Db, storeId: string, pageId: string): Promise<Draft | undefined> {
  return db
    .selectFrom('page_draft')
    .select([sql<string>`document::text`.as('document'), 'revision'])
    .where('store_id', '=', storeId)
    .where('page_id', '=', pageId)
    .executeTakeFirst();
}

/** What was published last, as JSON; null when the page is not live. */
export async function findLiveDocument(db: Db, storeId: string, pageId: string): Promise<string | null> {
  const row = await db
    .selectFrom('live_page')
    .select(sql<string>`document::text`.as('document'))
    .where('store_id', '=', storeId)
    .where('page_id', '=', pageId)
    .executeTakeFirst();
  return row?.document ?? null;
}

/** Puts a draft in place of the one that the page has. */
export async function upsertDraft(
  trx: Trx,
  storeId: string,
  pageId: string,
  document: string,
): Promise<void> {
  await trx
    .insertInto('page_draft')
    .values({ store_id: storeId, page_id: pageId, document })
    .onConflict((conflict) =>
      conflict.columns(['store_id', 'page_id']).doUpdateSet({ document, revision: sql`gen_random_uuid()` }),
    )
    .execute();
}

/** Deletes the draft that one save made; false when it is gone or another save came. */
export async function deleteDraft(
  trx: Trx,
  storeId: string,
  pageId: string,
  revision: string,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('page_draft')
    .where('store_id', '=', storeId)
    .where('page_id', '=', pageId)
    .where('revision', '=', revision)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
