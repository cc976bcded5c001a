import type { Handlers } from '@waybill/kernel';
import { findApp } from '../apps/queries.ts';
import type { Context } from '../config.ts';
import { listShownBlocks } from '../directory/queries.ts';
import type { ShownBlock } from '../directory/routes.ts';
import { errors } from '../errors.ts';
import { canSeeApp } from '../installs/installs.ts';
import { findInstall } from '../installs/queries.ts';
import type { InstallRow } from '../lifecycle/queries.ts';
import { needsConsent } from '../sweeps/sweeps.ts';
import type { VersionRow } from '../versions/queries.ts';
import { listStoreVersions } from './queries.ts';
import type { routes, StoreVersion } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async listStoreVersions({ storeId, params: { appId }, principal, query }) {
    const { db } = context;
    const app = await findApp(db, appId);
    if (!app) throw errors.not_found();
    const found = await findInstall(db, storeId, appId);
    if (!found && !(await canSeeApp(db, app, principal.userId))) throw errors.not_found();
    const install = found?.state === 'uninstalled' ? undefined : found;
    const { rows, ...list } = await listStoreVersions(db, { storeId, appId }, install?.version_id, query);
    const blocks = await readBlocks(context, rows);
    return { versions: rows.map((row) => toStoreVersion(row, install, blocks.get(row.id) ?? [])), ...list };
  },
});

const granted = { granted_scopes: [], connect_origins: [] };

function toStoreVersion(
  row: VersionRow,
  install: InstallRow | undefined,
  blocks: readonly ShownBlock[],
): StoreVersion {
  return {
    id: row.id,
    number: row.number,
    scopes: row.scopes,
    connectOrigins: row.connect_origins,
    state: row.state,
    approvedAt: (row.state !== 'rejected' && row.reviewed_at?.toISOString()) || null,
    isInstalled: row.id === install?.version_id,
    isWaiting: row.id === install?.waiting_version_id,
    needsConsent: needsConsent(install ?? granted, row),
    blocks: blocks.map(({ key, name }) => ({ key, name })),
  };
}

/** Names in a draft that a store has installed may change; those of other versions are cached. */
async function readBlocks({ db, state }: Context, rows: readonly VersionRow[]) {
  const isSettled = ({ state }: VersionRow) => state !== 'draft' && state !== 'submitted';
  const [settled, open] = [rows.filter(isSettled), rows.filter((row) => !isSettled(row))];
  const cached = await state.shownBlocks.read(settled.map(({ id }) => id));
  const uncached =
    open.length === 0
      ? []
      : await listShownBlocks(
          db,
          open.map(({ id }) => id),
        );
  return new Map([...cached, ...uncached.map(({ id, blocks }) => [id, blocks] as const)]);
}
