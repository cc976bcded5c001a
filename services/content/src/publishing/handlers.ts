import { Answer, type Handlers, rawJson } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { userOf } from '../documents/actor.ts';
import { createFrames } from '../frames/frames.ts';
import { policyFor } from '../rendering/policy.ts';
import {
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
    publishPage: async ({ storeId, params, principal }) =>
      rawJson(await publishPage(context, storeId, params.id, userOf(principal))),
    unpublishPage: async ({ storeId, params }) => rawJson(await unpublishPage(context, storeId, params.id)),
    prepareCanvas: ({ storeId, params, body }) => prepareCanvas(context, storeId, params.pageId, body),
    prepareSectionCanvas: ({ storeId, params, body }) =>
      prepareSectionCanvas(context, storeId, params.sectionId, body),
    async previewPage({ storeId, params, body, headers: asked }) {
      const { html, allowed } = await previewPage(context, frames, storeId, params.pageId, body);
      const headers = {
        'content-security-policy': policyFor(allowed, asked),
        'x-content-type-options': 'nosniff',
      };
      return new Answer(html, 'text/html; charset=utf-8', headers);
    },
  };
};
