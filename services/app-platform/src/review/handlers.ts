import type { Handlers } from '@waybill/kernel';
import { toApp } from '../apps/handlers.ts';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { toVersion, withContribution } from '../versions/handlers.ts';
import { findForReview, listForReview, type ReviewRow } from './queries.ts';
import { approveVersion, findChanges, rejectVersion, requireReviewer, setSuspended } from './review.ts';
import type { ReviewItem, routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async listReviews({ principal, query }) {
    requireReviewer(principal);
    const { rows, ...list } = await listForReview(context.db, query);
    return { versions: rows.map((row) => ({ ...toVersion(row), app: appOf(row) })), ...list };
  },
  async getReview({ principal, params }) {
    requireReviewer(principal, params);
    const row = await findForReview(context.db, params.versionId);
    if (!row) throw errors.not_found();
    const [version, changes] = await Promise.all([withContribution(context, row), findChanges(context, row)]);
    return { version: { ...version, app: appOf(row), changes } };
  },
  async approveVersion({ principal, params }) {
    requireReviewer(principal, params);
    return { version: toVersion(await approveVersion(context, params.versionId)) };
  },
  rejectVersion: {
    guard: async ({ principal, params }) => requireReviewer(principal, params),
    handle: async ({ params, body }) => ({
      version: toVersion(await rejectVersion(context, params.versionId, body.reason)),
    }),
  },
  async suspendApp({ principal, params }) {
    requireReviewer(principal, params);
    return { app: toApp(context.config, await setSuspended(context, params.appId, true)) };
  },
  async unsuspendApp({ principal, params }) {
    requireReviewer(principal, params);
    return { app: toApp(context.config, await setSuspended(context, params.appId, false)) };
  },
});

function appOf({ app_id, org_id, app_name, suspended_at }: ReviewRow): ReviewItem['app'] {
  return { id: app_id, orgId: org_id, name: app_name, suspendedAt: suspended_at?.toISOString() ?? null };
}
