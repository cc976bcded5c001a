import type { Handlers } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { acceptWithWarnings } from '../../publication/documents/documents.ts';
import { documentAnswer } from '../../publication/documents/envelope.ts';
import type { Tables } from '../../tables.ts';
import { dropDraft, readDraft, saveDraft } from './drafts.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  getDraft: async ({ storeId, params, db }) => documentAnswer(await readDraft(db, storeId, params.pageId)),
  async saveDraft({ storeId, params: { pageId }, principal: { userId }, body, idempotentWrite }) {
    await idempotentWrite.begin(body);
    const { document, warnings } = await acceptWithWarnings(context, storeId, body.document);
    return idempotentWrite.commit(async (write) =>
      documentAnswer(await saveDraft(write, storeId, pageId, userId, document), warnings),
    );
  },
  dropDraft: { write: ({ storeId, params }, write) => dropDraft(write, storeId, params.pageId) },
});
