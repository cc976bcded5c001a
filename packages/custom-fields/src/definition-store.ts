import type { CustomFieldEntity, CustomFieldState } from '@waybill/contracts';
import { prepare } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';

// biome-ignore lint/suspicious/noExplicitAny: each service has tables of its own besides `custom_field`
type Db = Kysely<any>;

/** A row of `custom_field`. Every service that has values keeps this table: catalog its own, the others a copy. */
export interface DefinitionRow {
  id: string;
  entity: CustomFieldEntity;
  key: string;
  name: string;
  type: CustomFieldState['type'];
  options: string[];
  rules: CustomFieldState['rules'];
  visibility: CustomFieldState['visibility'];
  is_filterable: boolean;
  app_id: string | null;
  revision: number;
  hidden_at: Date | null;
  deleted_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

export const definitionColumns = [
  'id',
  'entity',
  'key',
  'name',
  'type',
  'options',
  'rules',
  'visibility',
  'is_filterable',
  'app_id',
  'revision',
  'hidden_at',
  'deleted_at',
  'created_at',
  'updated_at',
] as const;

/** Converts a row into the definition as the API shows it. */
export const toState = (row: DefinitionRow): CustomFieldState => ({
  id: row.id,
  entity: row.entity,
  key: row.key,
  name: row.name,
  type: row.type,
  options: row.options,
  rules: {
    required: row.rules.required,
    min: row.rules.min,
    max: row.rules.max,
    pattern: row.rules.pattern,
  },
  visibility: row.visibility,
  isFilterable: row.is_filterable,
  appId: row.app_id,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  revision: Number(row.revision),
  hiddenAt: row.hidden_at?.toISOString() ?? null,
  deletedAt: row.deleted_at?.toISOString() ?? null,
});

/** Converts a definition to its row, without store and id. */
export const definitionRow = (state: CustomFieldState) => ({
  entity: state.entity,
  key: state.key,
  name: state.name,
  type: state.type,
  options: JSON.stringify(state.options),
  rules: JSON.stringify(state.rules),
  visibility: state.visibility,
  is_filterable: state.isFilterable,
  app_id: state.appId,
  revision: state.revision,
  hidden_at: state.hiddenAt === null ? null : new Date(state.hiddenAt),
  deleted_at: state.deletedAt === null ? null : new Date(state.deletedAt),
  // Removal of its values starts at the first row.
  swept_to: state.deletedAt === null ? null : '',
  created_at: new Date(state.createdAt),
  updated_at: new Date(state.updatedAt),
});

const selectInForce = prepare<DefinitionRow, { storeId: string; entities: readonly CustomFieldEntity[] }>(
  'custom-fields-in-force',
  ($) => `select ${definitionColumns.join(', ')} from custom_field
    where store_id = ${$.storeId} and entity = any(${$.entities}) and deleted_at is null and hidden_at is null`,
);

/** Returns the definitions of a store in force for some entities. */
export async function readDefinitions(
  db: Db,
  storeId: string,
  entities: readonly CustomFieldEntity[],
): Promise<CustomFieldState[]> {
  const { rows } = await db.executeQuery(selectInForce({ storeId, entities }));
  return rows.map(toState);
}

/** Answers several calls of `readDefinitions` with one query, in their order. */
export async function readDefinitionsOfEach(
  db: Db,
  storeId: string,
  requested: readonly (readonly CustomFieldEntity[])[],
): Promise<CustomFieldState[][]> {
  const all = await readDefinitions(db, storeId, [...new Set(requested.flat())]);
  return requested.map((entities) => all.filter(({ entity }) => entities.includes(entity)));
}

/**
 * Stores copies of definitions in any order of revisions: an older one never replaces a newer one. Returns those that
 * changed.
 */
export async function storeDefinitions(
  db: Db,
  storeId: string,
  states: readonly CustomFieldState[],
): Promise<CustomFieldState[]> {
  const changedStates: CustomFieldState[] = [];
  for (const state of states) {
    const row = definitionRow(state);
    const stored = await db
      .insertInto('custom_field')
      .values({ store_id: storeId, id: state.id, ...row })
      .onConflict((conflict) =>
        conflict
          .columns(['store_id', 'id'])
          .doUpdateSet(row)
          .where('custom_field.revision', '<', state.revision),
      )
      .returning('id')
      .executeTakeFirst();
    if (stored) changedStates.push(state);
  }
  return changedStates;
}

/** The table that holds the values of each entity. */
export type ValueTables = Readonly<Partial<Record<CustomFieldEntity, string>>>;

const rowsPerStep = 2_000;
/** A deleted definition is kept this long, so that a late message about it still finds it deleted. */
const retentionMs = 30 * 86_400_000;

/**
 * Removes the values of deleted definitions, which are no longer visible, in steps. Returns whether there is more to
 * do. A row that loses a value does not count as changed, because nothing readable of it differs.
 */
export async function sweepValues(db: Db, tables: ValueTables): Promise<boolean> {
  const nextDefinition = await db
    .selectFrom('custom_field')
    .select(['store_id', 'id', 'entity', 'swept_to'])
    .where('swept_to', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  if (!nextDefinition) {
    await db
      .deleteFrom('custom_field')
      .where('deleted_at', '<', new Date(Date.now() - retentionMs))
      .where('swept_to', 'is', null)
      .execute();
    return false;
  }
  const { store_id, id, entity, swept_to } = nextDefinition;
  const table = tables[entity as CustomFieldEntity];
  const last = table === undefined ? null : await sweepStep(db, table, store_id, id, swept_to);
  await db
    .updateTable('custom_field')
    .set({ swept_to: last })
    .where('store_id', '=', store_id)
    .where('id', '=', id)
    .execute();
  return true;
}

/** Removes a definition's values from the rows after an id. Returns the id of the last row, or null at the end. */
async function sweepStep(
  db: Db,
  table: string,
  storeId: string,
  definitionId: string,
  after: string,
): Promise<string | null> {
  const rows = sql.table(table);
  const { rows: examinedRows } = await sql<{ id: string; hasValue: boolean }>`
    select id, jsonb_exists(custom_fields, ${definitionId}) as "hasValue" from ${rows}
    where store_id = ${storeId} and id > ${after} order by id limit ${rowsPerStep}`.execute(db);
  const ids = examinedRows.flatMap(({ id, hasValue }) => (hasValue ? [id] : []));
  if (ids.length > 0)
    await sql`
      update ${rows} set custom_fields = custom_fields - ${definitionId}::text
      where store_id = ${storeId} and id = any(${ids}::text[])`.execute(db);
  return examinedRows.length < rowsPerStep ? null : examinedRows.at(-1)!.id;
}
