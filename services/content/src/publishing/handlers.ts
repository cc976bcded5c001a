import { type Handlers, rawJson } from '@waybill/kernel';
import { previewAnswer } from '../canvas/preview-answer.ts';
import type { Context } from '../config.ts';
import { userOf } from '../documents/actor.ts';
import { createFrames } from '../frames/frames.ts';
import {
  prepareArticleCanvas,
  prepareCanvas,
  prepareSectionCanvas,
  previewPage,
  publishPage,
  unpublishPage,
} from './publishing.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => {
  const frames = createFrames(context);
  return {
    publishPage: ({ storeId, params, principal, once }) =>
      publishPage(context, storeId, params.id, userOf(principal), once),
    unpublishPage: async ({ storeId, params }) => rawJson(await unpublishPage(context, storeId, params.id)),
    prepareCanvas: ({ storeId, params, body }) => prepareCanvas(context, storeId, params.pageId, body),
    prepareSectionCanvas: ({ storeId, params, body }) =>
      prepareSectionCanvas(context, storeId, params.sectionId, body),
    prepareArticleCanvas: ({ storeId, params, body }) =>
      prepareArticleCanvas(context, storeId, params.articleId, body),
    previewPage: async ({ storeId, params, body, headers }) =>
      previewAnswer(await previewPage(context, frames, storeId, params.pageId, body), headers),
  };
};
