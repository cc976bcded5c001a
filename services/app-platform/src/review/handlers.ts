import { Answer, type Handlers, jsonType } from '@waybill/kernel';
import { toApp } from '../apps/handlers.ts';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { toVersion, withContribution } from '../versions/handlers.ts';
import {
  findForReview,
  findReviewedOrg,
  listForReview,
  type ReviewedOrgRow,
  type ReviewRow,
} from './queries.ts';
import { renderBlocks } from './renderings.ts';
import { approveVersion, findChanges, rejectVersion, requireReviewer, setSuspended } from './review.ts';
import type { BlockRenderings, ReviewedOrg, ReviewItem, routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listReviews({ principal, query }) {
    requireReviewer(principal);
    const { rows, ...list } = await listForReview(context.db, query);
    return { versions: rows.map((row) => ({ ...toVersion(row), app: toReviewedApp(row) })), ...list };
  },
  async getReview({ principal, params, db }) {
    requireReviewer(principal, params);
    const current = { ...context, db };
    const row = await findForReview(db, params.versionId);
    if (!row) throw errors.not_found();
    const [version, changes, org] = await Promise.all([
      withContribution(current, row),
      findChanges(current, row),
      findReviewedOrg(db, row.org_id),
    ]);
    if (!org) throw errors.not_found();
    return { version: { ...version, app: toReviewedApp(row), org: toReviewedOrg(org), changes } };
  },
  async listRenderings({ principal, params }) {
    requireReviewer(principal, params);
    const row = await findForReview(context.db, params.versionId);
    if (!row) throw errors.not_found();
    return toSandboxedAnswer({ renderings: await renderBlocks(context, row) });
  },
  approveVersion: {
    async write({ principal, params }, write) {
      requireReviewer(principal, params);
      return { version: toVersion(await approveVersion(write, context, params.versionId)) };
    },
  },
  rejectVersion: {
    guard: async ({ principal, params }) => requireReviewer(principal, params),
    write: async ({ params, body }, write) => ({
      version: toVersion(await rejectVersion(write, context, params.versionId, body.reason)),
    }),
  },
  suspendApp: {
    async write({ principal, params }, write) {
      requireReviewer(principal, params);
      return { app: toApp(context.config, await setSuspended(write, context, params.appId, true)) };
    },
  },
  unsuspendApp: {
    async write({ principal, params }, write) {
      requireReviewer(principal, params);
      return { app: toApp(context.config, await setSuspended(write, context, params.appId, false)) };
    },
  },
});

/** Answers with renderings under a policy that runs nothing, because their content comes from third parties. */
const toSandboxedAnswer = (answer: { renderings: BlockRenderings[] }) =>
  new Answer(JSON.stringify(answer), jsonType, {
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  });

function toReviewedOrg({ created_at, ...org }: ReviewedOrgRow): ReviewedOrg {
  return { ...org, createdAt: created_at.toISOString() };
}

function toReviewedApp({ app_id, org_id, app_name, suspended_at }: ReviewRow): ReviewItem['app'] {
  return { id: app_id, orgId: org_id, name: app_name, suspendedAt: suspended_at?.toISOString() ?? null };
}
