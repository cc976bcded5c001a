import type { Kysely, Selectable } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

export type IslandRow = Selectable<Tables['island']>;

/** In the order of the declaration. */
export function listIslands(db: Db, versionId: string): Promise<IslandRow[]> {
  return db
    .selectFrom('island')
    .selectAll()
    .where('version_id', '=', versionId)
    .orderBy('position')
    .execute();
}

/** Makes the declaration these names, in this order; an island that stays keeps its module. */
export async function replaceIslands(db: Db, versionId: string, names: readonly string[]): Promise<void> {
  await db
    .deleteFrom('island')
    .where('version_id', '=', versionId)
    .$if(names.length > 0, (query) => query.where('name', 'not in', names))
    .execute();
  if (names.length === 0) return;
  await db
    .insertInto('island')
    .values(names.map((name, position) => ({ version_id: versionId, name, position })))
    .onConflict((conflict) =>
      conflict
        .columns(['version_id', 'name'])
        .doUpdateSet((eb) => ({ position: eb.ref('excluded.position') })),
    )
    .execute();
}

export async function hasIsland(db: Db, versionId: string, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('island')
    .select('name')
    .where('version_id', '=', versionId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row !== undefined;
}

/** The island with its new module; undefined: the version declares no such island. */
export function updateModule(
  db: Db,
  versionId: string,
  name: string,
  module: { module_sha256: string; size_bytes: number },
): Promise<IslandRow | undefined> {
  return db
    .updateTable('island')
    .set(module)
    .where('version_id', '=', versionId)
    .where('name', '=', name)
    .returningAll()
    .executeTakeFirst();
}

/** Whether some version's island has this module. */
export async function isModuleInUse(db: Db, sha256: string): Promise<boolean> {
  const row = await db
    .selectFrom('island')
    .select('name')
    .where('module_sha256', '=', sha256)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
