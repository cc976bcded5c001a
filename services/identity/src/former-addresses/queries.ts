import { deleteBatch } from '@waybill/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** A store at its current address. */
export interface CurrentStore {
  id: string;
  slug: string;
}

/**
 * Reserves a slug for a store, for as long as the store is open. Returns false if it belongs to another store. Fails if
 * the transaction's snapshot cannot see who took the slug; the transaction is then retried.
 */
export async function claimSlug(db: Db, storeId: string, slug: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into store_slug as claimed (slug, store_id) values (${slug}, ${storeId})
    on conflict (slug) do update set store_id = excluded.store_id, taken_at = excluded.taken_at, kept_until = null
    where claimed.store_id = excluded.store_id or claimed.kept_until <= excluded.taken_at`.execute(db);
  return numAffectedRows === 1n;
}

/** Releases the slugs of a store that closes after some years. */
export async function expireSlugs(db: Db, storeId: string, years: number): Promise<void> {
  await db
    .updateTable('store_slug')
    .set({ kept_until: sql<Date>`now() + make_interval(years => ${years})` })
    .where('store_id', '=', storeId)
    .execute();
}

export async function countSlugs(db: Db, storeId: string): Promise<number> {
  const { count } = await db
    .selectFrom('store_slug')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns which of the given slugs are reserved, across all stores by design. */
export async function listClaimedSlugs(db: Db, slugs: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('store_slug')
    .select('slug')
    .where('slug', '=', sql<string>`any(${slugs}::text[])`)
    .where((eb) => eb.or([eb('kept_until', 'is', null), eb('kept_until', '>', sql<Date>`now()`)]))
    .execute();
  return rows.map(({ slug }) => slug);
}

/** Finds the open store that has or had a slug, across all stores by design. */
export function findStoreOfFormerSlug(db: Db, slug: string): Promise<CurrentStore | undefined> {
  return db
    .selectFrom('store_slug')
    .innerJoin('store', 'store.id', 'store_slug.store_id')
    .select(['store.id', 'store.slug'])
    .where('store_slug.slug', '=', slug)
    .where('store.closed_at', 'is', null)
    .executeTakeFirst();
}

/** Deletes slugs whose reservation has ended. Returns true if there may be more. */
export const deleteExpiredSlugs = (db: Db, limit: number): Promise<boolean> =>
  deleteBatch(db, 'store_slug', sql`kept_until <= now()`, limit);

/** Records a store as the last one that proved a hostname. */
export async function upsertProvenHostname(db: Db, storeId: string, hostname: string): Promise<void> {
  await db
    .insertInto('proven_hostname')
    .values({ store_id: storeId, hostname })
    .onConflict((conflict) =>
      conflict
        .column('hostname')
        .doUpdateSet({ store_id: storeId, proven_at: sql<Date>`excluded.proven_at` }),
    )
    .execute();
}

export async function countProvenHostnames(db: Db, storeId: string): Promise<number> {
  const { count } = await db
    .selectFrom('proven_hostname')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Finds the open store that last proved a hostname, across all stores by design. */
export function findStoreOfFormerHostname(db: Db, hostname: string): Promise<CurrentStore | undefined> {
  return db
    .selectFrom('proven_hostname')
    .innerJoin('store', 'store.id', 'proven_hostname.store_id')
    .select(['store.id', 'store.slug'])
    .where('proven_hostname.hostname', '=', hostname)
    .where('store.closed_at', 'is', null)
    .executeTakeFirst();
}
