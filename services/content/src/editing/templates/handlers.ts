import type { Handlers } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { getUserId } from '../../publication/documents/actor.ts';
import { acceptWithWarnings } from '../../publication/documents/documents.ts';
import { documentAnswer } from '../../publication/documents/envelope.ts';
import { parseTemplateKind } from '../../publication/owners/template-kinds.ts';
import type { Tables } from '../../tables.ts';
import type { routes } from './routes.ts';
import {
  deleteTemplate,
  publishTemplate,
  readTemplate,
  readTemplateDraft,
  readTemplates,
  saveTemplateDraft,
} from './templates.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listTemplates({ storeId }) {
    const templates = await readTemplates(context, storeId);
    return { templates, total: templates.length };
  },
  getTemplate: async ({ storeId, params, db }) => ({
    template: await readTemplate({ db }, storeId, parseTemplateKind(params)),
  }),
  getTemplateDraft: async ({ storeId, params, db }) =>
    documentAnswer(await readTemplateDraft({ ...context, db }, storeId, parseTemplateKind(params))),
  async saveTemplateDraft({ storeId, params, principal: { userId }, body, idempotentWrite }) {
    const kind = parseTemplateKind(params);
    await idempotentWrite.begin(body);
    const { document, warnings } = await acceptWithWarnings(context, storeId, body.document);
    return idempotentWrite.commit(async (write) =>
      documentAnswer(await saveTemplateDraft(write, context, storeId, kind, userId, document), warnings),
    );
  },
  publishTemplate: async ({ storeId, params, principal, idempotentWrite }) =>
    publishTemplate(context, storeId, parseTemplateKind(params), getUserId(principal), idempotentWrite),
  deleteTemplate: {
    write: ({ storeId, params }, write) => deleteTemplate(write, storeId, parseTemplateKind(params)),
  },
});
