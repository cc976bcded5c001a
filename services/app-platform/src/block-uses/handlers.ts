import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import {
  listBlocksMissingAfterConsent,
  listBlocksMissingAfterRollback,
  listBlockUses,
} from './block-uses.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  listBlockUses: async ({ storeId, params }) => ({
    uses: await listBlockUses(context, storeId, params.appId),
  }),
  previewConsent: async ({ storeId, params }) => ({
    missingBlocks: await listBlocksMissingAfterConsent(context, storeId, params.appId),
  }),
  previewRollback: async ({ storeId, params, query }) => ({
    missingBlocks: await listBlocksMissingAfterRollback(
      context,
      storeId,
      params.appId,
      query.versionId ?? '',
    ),
  }),
});
