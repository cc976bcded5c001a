import { type Handlers, rawJson } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { readDraft, saveDraft } from './drafts.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  getDraft: async ({ storeId, params }) =>
    rawJson(`{"document":${await readDraft(context, storeId, params.pageId)}}`),
  saveDraft: async ({ storeId, params, body }) =>
    rawJson(`{"document":${await saveDraft(context, storeId, params.pageId, body.document)}}`),
});
