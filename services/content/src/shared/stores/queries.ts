import type { StoreFacts } from '@waybill/contracts';
import { type Columns, type Lock, prepare } from '@waybill/kernel';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

const facts = [
  'store_id as id',
  'name',
  'slug',
  'currency',
  'locales',
  'is_development as isDevelopment',
  'favicon_media_id as faviconMediaId',
] as const;

/** Returns the known facts about a store; undefined when no event about it has arrived. */
export function findStore(db: Db, storeId: string): Promise<StoreFacts | undefined> {
  return db.selectFrom('store_fact').select(facts).where('store_id', '=', storeId).executeTakeFirst();
}

/** Returns the store under a slug; of several, the one that took it last. The reverse of identity's directory. */
export function findStoreBySlug(db: Db, slug: string): Promise<StoreFacts | undefined> {
  return db
    .selectFrom('store_fact')
    .select(facts)
    .where('slug', '=', slug)
    .orderBy('updated_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Stores an event's facts about a store unless newer ones are stored. Returns whether it did. */
export async function upsertStore(
  db: Db,
  { id, isDevelopment, faviconMediaId = null, ...others }: StoreFacts,
  updatedAt: Date,
): Promise<boolean> {
  const values = {
    ...others,
    is_development: isDevelopment,
    favicon_media_id: faviconMediaId,
    updated_at: updatedAt,
  };
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('store_fact')
    .values({ store_id: id, ...values })
    .onConflict((conflict) =>
      conflict.column('store_id').doUpdateSet(values).where('store_fact.updated_at', '<', updatedAt),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Marks a store as closed. An unknown store has no pages to hide. */
export async function markClosed(db: Db, storeId: string): Promise<void> {
  await db.updateTable('store_fact').set({ is_closed: true }).where('store_id', '=', storeId).execute();
}

const lockList = prepare<Columns<Tables['page_list'], { pages: 'pages' }>>(
  'page-list-lock',
  `insert into page_list as list (store_id) values ($1)
   on conflict (store_id) do update set pages = list.pages returning pages`,
);

/** Locks the store's page list, so that other changes wait until the transaction ends. Returns the number of pages. */
export async function lockPageList(trx: Trx, storeId: string): Promise<number> {
  const { rows } = await trx.executeQuery(lockList([storeId]));
  return rows[0]!.pages;
}

/** Creates the lock for changes of pages, articles and sections, and of the layout around them. */
export const pageListLock =
  (): Lock =>
  ({ storeId }, { trx }) =>
    lockPageList(trx, storeId);
