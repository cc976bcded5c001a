import type { Handlers } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { parseTemplateKind } from '../../publication/owners/template-kinds.ts';
import { previewAnswer } from '../canvas/preview-answer.ts';
import { prepareTemplateCanvas, previewArticle, previewTemplate } from './previews.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => {
  const { renderSlots } = context.state;
  return {
    prepareTemplateCanvas: ({ storeId, params, body }) =>
      renderSlots.run(storeId, () =>
        prepareTemplateCanvas(context, storeId, parseTemplateKind(params), body),
      ),
    previewTemplate: async ({ storeId, params, body, headers }) => {
      const preview = () => previewTemplate(context, storeId, parseTemplateKind(params), body);
      return previewAnswer(await renderSlots.run(storeId, preview), headers);
    },
    previewArticle: async ({ storeId, params, body, headers }) => {
      const preview = () => previewArticle(context, storeId, params.articleId, body);
      return previewAnswer(await renderSlots.run(storeId, preview), headers);
    },
  };
};
