import { type Kysely, sql } from 'kysely';
import { isAvailable } from '../apps/queries.ts';
import type { IslandRow } from '../contributions/queries.ts';
import type { Tables } from '../tables.ts';
import { everApprovedStates } from '../versions/queries.ts';

type Db = Kysely<Tables>;

/** Replaces the declared islands by these names, in this order. An island that stays keeps its module. */
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

export function findIsland(db: Db, versionId: string, name: string): Promise<IslandRow | undefined> {
  return db
    .selectFrom('island')
    .selectAll()
    .where('version_id', '=', versionId)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Updates the module of an island and returns it; undefined when the version declares no such island. */
export function updateModule(
  db: Db,
  versionId: string,
  name: string,
  module: { module_sha256: string; size_bytes: number },
): Promise<IslandRow | undefined> {
  return db
    .updateTable('island')
    .set({
      ...module,
      // Uploading the same bytes again must not displace the former module.
      former_module_sha256: sql`case when module_sha256 is distinct from ${module.module_sha256}
        then module_sha256 else former_module_sha256 end`,
      module_changed_at: sql`case when module_sha256 is distinct from ${module.module_sha256}
        then ${new Date()}::timestamptz else module_changed_at end`,
    })
    .where('version_id', '=', versionId)
    .where('name', '=', name)
    .returningAll()
    .executeTakeFirst();
}

/** Whether a version with this module was ever approved. */
export async function isModuleApproved(db: Db, sha256: string): Promise<boolean> {
  const row = await db
    .selectFrom('island')
    .innerJoin('app_version', 'app_version.id', 'island.version_id')
    .select('island.name')
    .where('island.module_sha256', '=', sha256)
    .where('app_version.state', 'in', everApprovedStates)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** SQL for how long pages may still load the former module of an island. */
const formerModuleLife = "interval '10 minutes'";

/**
 * Whether an available app of the store is at a version that its developers chose and that has, or recently had, this
 * module.
 */
export async function isInDevelopment(db: Db, storeId: string, sha256: string): Promise<boolean> {
  const { rows } = await sql`
    select from install
    join app on app.id = install.app_id
    join island on island.version_id = install.version_id
    where install.store_id = ${storeId} and install.is_development and ${sql.raw(isAvailable)}
      and (island.module_sha256 = ${sha256} or (
        island.former_module_sha256 = ${sha256}
        and island.module_changed_at > now() - ${sql.raw(formerModuleLife)}
      ))
    limit 1`.execute(db);
  return rows.length > 0;
}
