import type { Handlers } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { userOf } from '../../publication/documents/actor.ts';
import { acceptWithWarnings } from '../../publication/documents/documents.ts';
import { documentAnswer } from '../../publication/documents/envelope.ts';
import { kindOf } from '../../publication/owners/template-kinds.ts';
import type { routes } from './routes.ts';
import {
  deleteTemplate,
  publishTemplate,
  readTemplate,
  readTemplateDraft,
  readTemplates,
  saveTemplateDraft,
} from './templates.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async listTemplates({ storeId }) {
    const templates = await readTemplates(context, storeId);
    return { templates, total: templates.length };
  },
  getTemplate: async ({ storeId, params }) => ({
    template: await readTemplate(context, storeId, kindOf(params)),
  }),
  getTemplateDraft: async ({ storeId, params }) =>
    documentAnswer(await readTemplateDraft(context, storeId, kindOf(params))),
  async saveTemplateDraft({ storeId, params, principal: { userId }, body, once }) {
    const kind = kindOf(params);
    await once.begin(body);
    const { document, warnings } = await acceptWithWarnings(context, storeId, body.document);
    return once.commit(async () =>
      documentAnswer(await saveTemplateDraft(context, storeId, kind, userId, document), warnings),
    );
  },
  publishTemplate: async ({ storeId, params, principal, once }) =>
    publishTemplate(context, storeId, kindOf(params), userOf(principal), once),
  deleteTemplate: ({ storeId, params }) => deleteTemplate(context, storeId, kindOf(params)),
});
