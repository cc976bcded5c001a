import type { CustomFieldEntity, CustomFieldState } from '@waybill/contracts';
import { type DefinitionRow, definitionColumns, definitionRow } from '@waybill/custom-fields';
import { type PageQuery, parsePage, readList } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { ListQuery } from './routes.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** The app whose definitions are meant; null means all definitions. */
export type AppScope = string | null;

const selectActiveFields = (db: Db, storeId: string, appId: AppScope) => {
  const all = db
    .selectFrom('custom_field')
    .where('store_id', '=', storeId)
    .where('deleted_at', 'is', null)
    .where('hidden_at', 'is', null);
  return appId === null ? all : all.where('app_id', '=', appId);
};

/**
 * Returns a page of the store's definitions, oldest first.
 * @throws invalid_cursor
 */
export async function listDefinitions(
  db: Db,
  storeId: string,
  appId: AppScope,
  query: PageQuery & Pick<ListQuery, 'entity'>,
) {
  const page = parsePage('custom-fields', [storeId, appId], query, [
    { column: 'created_at', type: 'timestamptz', dir: 'asc' },
    { column: 'id', type: 'text', dir: 'asc' },
  ]);
  const { entity } = query;
  const all = selectActiveFields(db, storeId, appId);
  const filtered = entity ? all.where('entity', '=', entity) : all;
  const { rows, ...list } = await readList(filtered.select([...definitionColumns]), filtered, page);
  return { rows: rows as DefinitionRow[], ...list };
}

/** Finds a definition in force by its id; null if there is none in that scope. */
export async function findDefinition(
  db: Db,
  storeId: string,
  appId: AppScope,
  id: string,
): Promise<DefinitionRow | null> {
  const row = await selectActiveFields(db, storeId, appId)
    .select([...definitionColumns])
    .where('id', '=', id)
    .executeTakeFirst();
  return (row as DefinitionRow | undefined) ?? null;
}

/** Finds a definition and locks it until the transaction ends. */
export async function lockDefinition(
  trx: Trx,
  storeId: string,
  appId: AppScope,
  id: string,
): Promise<DefinitionRow | null> {
  const row = await selectActiveFields(trx, storeId, appId)
    .select([...definitionColumns])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return (row as DefinitionRow | undefined) ?? null;
}

/** Makes concurrent creates of a store's definitions wait for each other, so that the limit on their number holds. */
export async function lockDefinitions(trx: Trx, storeId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`custom-fields ${storeId}`}, 0))`.execute(trx);
}

/** Counts the definitions of an entity, including those of uninstalled apps. */
export async function countDefinitions(
  trx: Trx,
  storeId: string,
  entity: CustomFieldEntity,
): Promise<number> {
  const { count } = await trx
    .selectFrom('custom_field')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('store_id', '=', storeId)
    .where('entity', '=', entity)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Inserts a definition. */
export async function insertDefinition(trx: Trx, storeId: string, state: CustomFieldState): Promise<void> {
  await trx
    .insertInto('custom_field')
    .values({ store_id: storeId, id: state.id, ...definitionRow(state) })
    .execute();
}

/** Replaces a definition. */
export async function updateDefinition(trx: Trx, storeId: string, state: CustomFieldState): Promise<void> {
  await trx
    .updateTable('custom_field')
    .set(definitionRow(state))
    .where('store_id', '=', storeId)
    .where('id', '=', state.id)
    .execute();
}

/** Lists an app's definitions in a store that are not deleted, and locks them until the transaction ends. */
export async function lockDefinitionsOfApp(
  trx: Trx,
  storeId: string,
  appId: string,
): Promise<DefinitionRow[]> {
  const rows = await trx
    .selectFrom('custom_field')
    .select([...definitionColumns])
    .where('store_id', '=', storeId)
    .where('app_id', '=', appId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows as DefinitionRow[];
}

/** Lists the apps and stores whose definitions were hidden before an instant. */
export async function findHiddenSince(db: Db, before: Date): Promise<{ storeId: string; appId: string }[]> {
  const rows = await db
    .selectFrom('custom_field')
    .select(['store_id', 'app_id'])
    .distinct()
    .where('hidden_at', '<', before)
    .where('deleted_at', 'is', null)
    .limit(100)
    .execute();
  return rows.map((row) => ({ storeId: row.store_id, appId: row.app_id! }));
}

/** Marks the rules that name a custom field as due. `name` is `customField.<key>`. */
export async function rematchRulesOfField(trx: Trx, storeId: string, name: string, now: Date): Promise<void> {
  await trx
    .updateTable('category')
    .set({ match_at: now })
    .where('store_id', '=', storeId)
    .where('kind', '=', 'rule')
    .where(sql<boolean>`rule::text like ${`%"customField.${name.replaceAll('_', '\\_')}"%`}`)
    .execute();
}
