import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { documentAnswer } from '../documents/envelope.ts';
import { dropDraft, readDraft, saveDraft } from './drafts.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  getDraft: async ({ storeId, params }) => documentAnswer(await readDraft(context, storeId, params.pageId)),
  async saveDraft({ storeId, params, principal, body }) {
    const { userId } = principal;
    const { saved, warnings } = await saveDraft(context, storeId, params.pageId, userId, body.document);
    return documentAnswer(saved, warnings);
  },
  dropDraft: ({ storeId, params }) => dropDraft(context, storeId, params.pageId),
});
