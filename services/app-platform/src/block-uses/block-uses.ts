import type { BlockUse } from '@waybill/contracts';
import type { Context } from '../config.ts';
import { listShownBlocks } from '../directory/queries.ts';
import { errors } from '../errors.ts';
import { assertInstalled, requireEarlierVersion, requireWaitingVersion } from '../installs/installs.ts';
import { findInstall } from '../installs/queries.ts';
import type { InstallRow } from '../lifecycle/queries.ts';
import type { ShownBlock } from './routes.ts';

/**
 * Lists the app's blocks that are shown in the store, which would disappear without the app (`decisions.md 14.8`).
 * @throws not_found, invalid_state, resource_unavailable
 */
export async function listBlockUses(context: Context, storeId: string, appId: string): Promise<ShownBlock[]> {
  const blocks = await listMissingBlocks(context, await requireInstalled(context, storeId, appId), null);
  return blocks.filter(({ places }) => places.length > 0);
}

/**
 * Lists the blocks that the waiting version lacks, with the places that show them (`decisions.md 14.8`).
 * @throws not_found, invalid_state, resource_unavailable
 */
export async function listBlocksMissingAfterConsent(
  context: Context,
  storeId: string,
  appId: string,
): Promise<ShownBlock[]> {
  const install = await requireInstalled(context, storeId, appId);
  return listMissingBlocks(context, install, (await requireWaitingVersion(context.db, install)).id);
}

/**
 * Lists the blocks that an earlier version lacks, with the places that show them (`decisions.md 7.6, 14.8`).
 * @throws not_found, invalid_state, resource_unavailable
 */
export async function listBlocksMissingAfterRollback(
  context: Context,
  storeId: string,
  appId: string,
  versionId: string,
): Promise<ShownBlock[]> {
  const install = await requireInstalled(context, storeId, appId);
  return listMissingBlocks(
    context,
    install,
    (await requireEarlierVersion(context.db, install, versionId)).id,
  );
}

async function requireInstalled({ db }: Context, storeId: string, appId: string): Promise<InstallRow> {
  const install = await findInstall(db, storeId, appId);
  if (!install) throw errors.not_found();
  assertInstalled(install);
  return install;
}

/**
 * Lists the blocks that the target version lacks (null: no version at all), compared with the installed version and
 * with the earlier versions that live pages still show.
 */
async function listMissingBlocks(
  { db, peers }: Context,
  install: InstallRow,
  targetId: string | null,
): Promise<ShownBlock[]> {
  const { store_id, app_id, version_id } = install;
  const [versions] = [await listNamesByVersion(db, [version_id, ...(targetId ? [targetId] : [])])];
  const installed = versions.get(version_id)!;
  const request = { storeId: store_id, appId: app_id, blockKeys: [...installed.keys()] };
  // Without a content service there are no pages.
  const reply = peers.has('content')
    ? await peers.call<{ uses: BlockUse[] }>('content', 'POST', '/internal/block-uses', request)
    : null;
  const uses = new Map(reply?.uses.map((use) => [use.blockKey, use]));
  const builds = new Set(
    [...uses.values()].flatMap(({ places }) => places.flatMap((place) => place.versionIds)),
  );
  for (const [id, names] of await listNamesByVersion(
    db,
    [...builds].filter((id) => !versions.has(id)),
  )) {
    versions.set(id, names);
  }

  const targetBlocks = (targetId && versions.get(targetId)) || new Map<string, string>();
  const names = new Map([...versions].filter(([id]) => id !== targetId).flatMap(([, each]) => [...each]));
  for (const [key, name] of installed) names.set(key, name);
  const keys = [...new Set([...installed.keys(), ...names.keys()])].filter((key) => !targetBlocks.has(key));
  return keys.flatMap((key) => {
    const { places, hasMore } = findShownPlaces(key, uses.get(key), install, versions);
    if (places.length === 0 && !installed.has(key)) return [];
    const pages = places
      .filter(({ live, type }) => live && (type === 'page' || type === 'article'))
      .map(({ id, name }) => ({ id, name }));
    return [{ key, name: names.get(key)!, pages, places, hasMore }];
  });
}

/**
 * Returns the names of the blocks of versions by key, in the order of the manifest. They are not cached, because a
 * draft may be installed.
 */
async function listNamesByVersion(
  db: Context['db'],
  ids: readonly string[],
): Promise<Map<string, Map<string, string>>> {
  const found = ids.length === 0 ? [] : await listShownBlocks(db, ids);
  return new Map(found.map(({ id, blocks }) => [id, new Map(blocks.map(({ key, name }) => [key, name]))]));
}

/**
 * Returns the places that show a block, among those that refer to it. Editors and previews show blocks of the installed
 * version, visitors those of the version that their page was made with. For an unavailable app, returns the places that
 * would show it.
 */
function findShownPlaces(
  key: string,
  use: BlockUse | undefined,
  { version_id, shown_state }: InstallRow,
  versions: ReadonlyMap<string, ReadonlyMap<string, string>>,
): Pick<ShownBlock, 'places' | 'hasMore'> {
  const hasBlock = (versionId: string) => versions.get(versionId)?.has(key) === true;
  const places = (use?.places ?? []).flatMap(({ versionIds, ...place }) => {
    const builds = shown_state === 'installed' && versionIds.length > 0 ? versionIds : [version_id];
    const [live, draft] = [place.live && builds.some(hasBlock), place.draft && hasBlock(version_id)];
    return live || draft ? [{ ...place, live, draft }] : [];
  });
  return { places, hasMore: use?.hasMore ?? false };
}
