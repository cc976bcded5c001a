import type { Kysely, Selectable } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

export type IslandRow = Selectable<Tables['island']>;

/** Returns the islands of a version, in the order of the declaration. */
export function listIslands(db: Db, versionId: string): Promise<IslandRow[]> {
  return db
    .selectFrom('island')
    .selectAll()
    .where('version_id', '=', versionId)
    .orderBy('position')
    .execute();
}
