import { type Handlers, rawJson } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { getUserId } from '../../publication/documents/actor.ts';
import { createContentValues } from '../../shared/custom-fields/values.ts';
import type { Tables } from '../../tables.ts';
import { previewAnswer } from '../canvas/preview-answer.ts';
import {
  prepareArticleCanvas,
  prepareCanvas,
  prepareSectionCanvas,
  previewPage,
  publishPage,
  unpublishPage,
} from './publishing.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => {
  const { renderSlots } = context.state;
  const values = createContentValues(context);
  return {
    async publishPage({ storeId, params, principal, idempotentWrite }) {
      const view = await values.createView(principal, storeId, 'page');
      return publishPage(context, storeId, params.id, getUserId(principal), idempotentWrite, view);
    },
    unpublishPage: {
      async write({ storeId, params, principal }, write) {
        const view = await values.createView(principal, storeId, 'page', write.trx);
        return rawJson(view.envelope(await unpublishPage(write, context, storeId, params.id)));
      },
    },
    prepareCanvas: ({ storeId, params, body }) =>
      renderSlots.run(storeId, () => prepareCanvas(context, storeId, params.pageId, body)),
    prepareSectionCanvas: ({ storeId, params, body }) =>
      renderSlots.run(storeId, () => prepareSectionCanvas(context, storeId, params.sectionId, body)),
    prepareArticleCanvas: ({ storeId, params, body }) =>
      renderSlots.run(storeId, () => prepareArticleCanvas(context, storeId, params.articleId, body)),
    previewPage: async ({ storeId, params, body, headers }) => {
      const preview = () => previewPage(context, storeId, params.pageId, body);
      return previewAnswer(await renderSlots.run(storeId, preview), headers);
    },
  };
};
