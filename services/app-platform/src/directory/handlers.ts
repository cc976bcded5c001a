import type { Handlers } from '@waybill/kernel';
import { createIconUrl } from '../apps/handlers.ts';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { findProfile, findProfileOfMember, listDirectory, type ProfileRow } from './queries.ts';
import type { AppProfile, ListedApp, routes, ShownBlock } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => {
  const { config, db, state } = context;
  const toListed = (row: ProfileRow, blocks: ShownBlock[]): ListedApp => ({
    id: row.id,
    name: row.name,
    orgName: row.org_name,
    description: row.description,
    iconUrl: createIconUrl(config, row),
    installUrl: row.install_url,
    scopes: row.scopes,
    blocks,
    installs: row.install_count,
  });
  const toProfile = (row: ProfileRow, blocks: ShownBlock[]): AppProfile => ({
    ...toListed(row, blocks),
    website: row.website,
    supportEmail: row.support_email,
    privacyUrl: row.privacy_url,
    connectOrigins: row.connect_origins,
  });

  return {
    async listDirectory({ query }) {
      const { rows, ...list } = await listDirectory(db, query);
      const blocks = await state.shownBlocks.read(rows.map(({ version_id }) => version_id));
      return { apps: rows.map((row) => toListed(row, blocks.get(row.version_id)!)), ...list };
    },
    async getAppProfile({ principal, params }) {
      const row =
        (await findProfile(db, params.appId)) ??
        (await findProfileOfMember(db, params.appId, principal.userId));
      if (!row) throw errors.not_found();
      const blocks = await state.shownBlocks.read([row.version_id]);
      return { app: toProfile(row, blocks.get(row.version_id)!) };
    },
  };
};
