import type { Handlers } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { acceptWithWarnings } from '../../publication/documents/documents.ts';
import { documentAnswer } from '../../publication/documents/envelope.ts';
import { dropDraft, readDraft, saveDraft } from './drafts.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  getDraft: async ({ storeId, params }) => documentAnswer(await readDraft(context, storeId, params.pageId)),
  async saveDraft({ storeId, params: { pageId }, principal: { userId }, body, once }) {
    await once.begin(body);
    const { document, warnings } = await acceptWithWarnings(context, storeId, body.document);
    return once.commit(async () =>
      documentAnswer(await saveDraft(context, storeId, pageId, userId, document), warnings),
    );
  },
  dropDraft: ({ storeId, params }) => dropDraft(context, storeId, params.pageId),
});
