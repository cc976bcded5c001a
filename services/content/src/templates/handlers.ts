import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { userOf } from '../documents/actor.ts';
import { documentAnswer } from '../documents/envelope.ts';
import { kindOf } from './kinds.ts';
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
  async saveTemplateDraft({ storeId, params, principal: { userId }, body }) {
    const kind = kindOf(params);
    const { saved, warnings } = await saveTemplateDraft(context, storeId, kind, userId, body.document);
    return documentAnswer(saved, warnings);
  },
  publishTemplate: async ({ storeId, params, principal }) => ({
    template: await publishTemplate(context, storeId, kindOf(params), userOf(principal)),
  }),
  deleteTemplate: ({ storeId, params }) => deleteTemplate(context, storeId, kindOf(params)),
});
