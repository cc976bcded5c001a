import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** Returns those of these sections that the store has, and keeps them from being deleted until the transaction ends. */
export async function lockSections(
  trx: Trx,
  storeId: string,
  sectionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (sectionIds.length === 0) return new Set();
  const rows = await trx
    .selectFrom('section')
    .select('id')
    .where('store_id', '=', storeId)
    .where('id', 'in', sectionIds)
    .orderBy('id')
    .forKeyShare()
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Returns those of these sections that the store has. */
export async function knownSections(
  db: Db,
  storeId: string,
  sectionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (sectionIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('section')
    .select('id')
    .where('store_id', '=', storeId)
    .where('id', 'in', sectionIds)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Returns those of these sections that are, or hold at any depth, the section `sought`. */
export async function findSectionsContaining(
  db: Db,
  storeId: string,
  sectionIds: readonly string[],
  sought: string,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ origin: string }>`
    with recursive held (origin, id) as (
      select id, id from unnest(${sectionIds}::text[]) as id
      union
      select held.origin, used.section_id from held
      join section_use used on used.store_id = ${storeId} and used.owner_id = held.id
    )
    select distinct origin from held where id = ${sought}`.execute(db);
  return new Set(rows.map(({ origin }) => origin));
}

/** Records the sections that a saved document holds, replacing the previous ones. */
export async function replaceSectionUses(
  trx: Trx,
  storeId: string,
  ownerId: string,
  sectionIds: readonly string[],
): Promise<void> {
  await sql`
    with gone as (
      delete from section_use
      where store_id = ${storeId} and owner_id = ${ownerId} and section_id <> all (${sectionIds}::text[])
    )
    insert into section_use (store_id, section_id, owner_id)
    select ${storeId}, id, ${ownerId} from unnest(${sectionIds}::text[]) as id
    on conflict do nothing`.execute(trx);
}

/** Returns those of these pages that the store has, live or not. */
export async function listPageIds(
  db: Db,
  storeId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('page')
    .select('id')
    .where('store_id', '=', storeId)
    .where('id', 'in', ids)
    .execute();
  return new Set(rows.map(({ id }) => id));
}
