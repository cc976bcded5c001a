import type { Handlers } from '@waybill/kernel';
import { requireApp } from '../apps/apps.ts';
import type { Context } from '../config.ts';
import { toIsland } from '../contributions/islands.ts';
import { listIslands } from '../contributions/queries.ts';
import type { Tables } from '../tables.ts';
import { findBlocks, listVersions, type VersionRow } from './queries.ts';
import type { AppVersion, AppVersionDetails, routes } from './routes.ts';
import {
  createVersion,
  fetchVocabulary,
  recallVersion,
  requireDraft,
  requireVersion,
  restoreVersion,
  submitVersion,
  withdrawVersion,
} from './versions.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listVersions({ principal, params, query }) {
    await requireApp(context, params, principal.userId);
    const { rows, ...list } = await listVersions(context.db, params.appId, query);
    return { versions: rows.map(toVersion), ...list };
  },
  createVersion: {
    guard: ({ principal, params }) => requireApp(context, params, principal.userId),
    write: async ({ params, body }, write) => ({
      version: toVersion(await createVersion(write, params.appId, body)),
    }),
  },
  async getVersion({ principal, params, db }) {
    const version = await requireVersion({ db }, params, principal.userId);
    return { version: await withContribution({ ...context, db }, version) };
  },
  submitVersion: {
    guard: ({ principal, params }) => requireDraft(context, params, principal.userId),
    async handle({ principal: { userId }, params: { versionId }, idempotentWrite }) {
      await idempotentWrite.begin(undefined);
      const vocabulary = await fetchVocabulary(context, versionId);
      return idempotentWrite.commit(async (write) => ({
        version: toVersion(await submitVersion(write, versionId, userId, vocabulary)),
      }));
    },
  },
  recallVersion: {
    async write({ principal, params }, write) {
      const version = await requireVersion({ db: write.trx }, params, principal.userId);
      return { version: toVersion(await recallVersion(write, context, version)) };
    },
  },
  withdrawVersion: {
    async write({ principal, params }, write) {
      const version = await requireVersion({ db: write.trx }, params, principal.userId);
      return { version: toVersion(await withdrawVersion(write, context, version)) };
    },
  },
  restoreVersion: {
    async write({ principal, params }, write) {
      const version = await requireVersion({ db: write.trx }, params, principal.userId);
      return { version: toVersion(await restoreVersion(write, context, version)) };
    },
  },
});

/** Converts a row into the version as the API shows it. */
export function toVersion(row: VersionRow): AppVersion {
  return {
    id: row.id,
    appId: row.app_id,
    number: row.number,
    state: row.state,
    scopes: row.scopes,
    connectOrigins: row.connect_origins,
    payments: row.payments as AppVersion['payments'],
    rejectionReason: row.rejection_reason,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    submittedAt: row.submitted_at?.toISOString() ?? null,
    reviewedAt: row.reviewed_at?.toISOString() ?? null,
    withdrawnAt: row.withdrawn_at?.toISOString() ?? null,
  };
}

/** Returns the version with its blocks and islands. */
export async function withContribution(
  { db, config }: Pick<Context, 'db' | 'config'>,
  row: VersionRow,
): Promise<AppVersionDetails> {
  const [blocks, islands] = await Promise.all([findBlocks(db, row.id), listIslands(db, row.id)]);
  return { ...toVersion(row), blocks, islands: islands.map((island) => toIsland(config, island)) };
}
