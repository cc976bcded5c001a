import {
  isDistributed,
  type Order,
  type PageQuery,
  parsePage,
  readList,
  splitWords,
  toLikePattern,
} from '@waybill/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';
import { installableStates } from '../versions/queries.ts';
import type { VersionState } from '../versions/routes.ts';
import { maxIconName, type ShownBlock } from './routes.ts';

// The directory is the same for every store, so these queries name no store.
type Db = Kysely<Tables>;

/** Selects apps that can be installed, each with its newest version in one of these states. */
const selectInstallable = (db: Db, states: readonly VersionState[] = ['approved']) =>
  db
    .selectFrom('app')
    .innerJoin('organisation', 'organisation.id', 'app.org_id')
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('app_version')
          .select(['app_version.id', 'app_version.scopes', 'app_version.connect_origins'])
          .whereRef('app_version.app_id', '=', 'app.id')
          .where('app_version.state', 'in', states)
          .orderBy('app_version.number', 'desc')
          .limit(1)
          .as('version'),
      (join) => join.onTrue(),
    )
    .where('app.suspended_at', 'is', null);

const selectProfiles = (apps: ReturnType<typeof selectInstallable>) =>
  apps
    .select(['app.id', 'app.name', 'app.description', 'app.icon_file', 'app.install_count'])
    .select(['app.website', 'app.support_email', 'app.privacy_url', 'app.install_url'])
    .select(['organisation.name as org_name', 'version.id as version_id'])
    .select(['version.scopes', 'version.connect_origins']);

/** An app with the name of its organisation and the requirements of its newest approved version. */
export type ProfileRow = Awaited<ReturnType<ReturnType<typeof selectProfiles>['executeTakeFirstOrThrow']>>;

const byInstallCount: Order = [
  { column: 'app.install_count', type: 'bigint', dir: 'desc' },
  { column: 'app.id', type: 'text', dir: 'desc' },
];

/**
 * Returns a page of the directory, and the number of matching apps. A search reads every listed app, because reviewers
 * admit only a limited number.
 * @throws invalid_cursor
 */
export function listDirectory(db: Db, query: PageQuery & { q?: string | undefined }) {
  let listed = selectInstallable(db).where('app.is_listed', '=', true);
  const words = splitWords(query.q);
  if (words.length > 0) {
    const text = sql`folded(concat_ws(' ', app.name, organisation.name, app.description))`;
    listed = listed.where(sql<boolean>`${text} like all (${words.map(toLikePattern)}::text[])`);
  }
  return readList(selectProfiles(listed), listed, parsePage('directory', [], query, byInstallCount));
}

/** Returns an app that can be installed, listed or not. */
export function findProfile(db: Db, appId: string): Promise<ProfileRow | undefined> {
  return selectProfiles(selectInstallable(db)).where('app.id', '=', appId).executeTakeFirst();
}

/** Returns an app as its organisation tries it before approval, at its newest version that can still be approved. */
export function findProfileOfMember(db: Db, appId: string, userId: string): Promise<ProfileRow | undefined> {
  return selectProfiles(selectInstallable(db, installableStates))
    .where('app.id', '=', appId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('org_member')
          .select('org_member.user_id')
          .whereRef('org_member.org_id', '=', 'app.org_id')
          .where('org_member.user_id', '=', userId),
      ),
    )
    .executeTakeFirst();
}

/** Returns the names of the blocks of versions. */
export async function listShownBlocks(db: Db, versionIds: readonly string[]) {
  const { rows } = await sql<{ id: string; blocks: ShownBlock[] }>`
    select version.id, coalesce((
      select jsonb_agg(jsonb_build_object(
        'key', block->>'key', 'name', block->>'name',
        'icon', case when length(block->>'icon') <= ${maxIconName} then block->>'icon' end
      ) order by position)
      from jsonb_array_elements(version.blocks) with ordinality as each (block, position)
    ), '[]') as blocks
    from app_version version where version.id = any(${versionIds}::text[])`.execute(db);
  return rows;
}

/**
 * Recounts the installs of each app. One index contains those that count. An app that a request has locked keeps its
 * number until the next time.
 */
export async function countInstalls(db: Db): Promise<void> {
  if (isDistributed(db)) return countInstallsByApp(db);
  await sql`
    update app set install_count = counted.installs
    from (
      select app.id, coalesce(used.installs, 0) as installs
      from app left join (
        select app_id, count(*)::integer as installs from install where state <> 'uninstalled' group by app_id
      ) used on used.app_id = app.id
      where app.install_count <> coalesce(used.installs, 0)
      for no key update of app skip locked
    ) counted
    where app.id = counted.id`.execute(db);
}

/** Does the same on Citus, where counting over all shards is separate from updating the reference table `app`. */
async function countInstallsByApp(db: Db): Promise<void> {
  const { rows } = await sql<{ appId: string; installs: number }>`
    select app_id as "appId", count(*)::integer as installs from install
    where state <> 'uninstalled' group by app_id`.execute(db);
  await sql`
    update app set install_count = 0
    where install_count <> 0 and id <> all(${rows.map(({ appId }) => appId)}::text[])`.execute(db);
  for (const { appId, installs } of rows)
    await sql`
      update app set install_count = ${installs} where id = ${appId} and install_count <> ${installs}`.execute(
      db,
    );
}
