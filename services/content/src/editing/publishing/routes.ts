import { Page } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../../errors.ts';
import { AnyDocument } from '../../publication/documents/schema.ts';
import { Canvas, locale } from '../canvas/schema.ts';

/** `store-api.md 4.5`, `decisions.md 4.2, 4.3, 13.3, 13.6`. */
export const routes = defineRoutes({
  publishPage: {
    method: 'POST',
    path: '/api/v1/pages/{id}/publish',
    access: { scope: 'pages.write' },
    summary: "Publish a page's saved draft",
    description:
      'Consumes the draft. The global sections that the page holds go live as they are saved, and other live pages ' +
      'that hold them are made again within seconds. Emits `page.published` for this page alone.',
    ids: { id: 'page' },
    // Other services are asked for the page's sources before the transaction begins.
    idempotency: 'handler',
    answer: [200, Type.Object({ page: Page })],
    errors: [errors.nothing_to_publish, errors.resource_unavailable],
  },
  unpublishPage: {
    method: 'POST',
    path: '/api/v1/pages/{id}/unpublish',
    access: { scope: 'pages.write' },
    summary: 'Take a live page off',
    description:
      'Nothing answers at its address then. What was live becomes the draft, unless there is one, so that it can be ' +
      'published again. Emits `page.unpublished`. A page that is not live: `invalid_state`.',
    ids: { id: 'page' },
    answer: [200, Type.Object({ page: Page })],
    errors: [errors.invalid_state],
  },
  previewPage: {
    method: 'POST',
    path: '/api/stores/{storeId}/pages/{pageId}/preview',
    access: { member: 'pages.read' },
    summary: 'Preview the HTML that publishing the draft would produce',
    description:
      'Nothing is stored. With a `document` that one in place of the draft; without either, the live page as it would ' +
      'be made now. In any `locale`, whether the store has addresses in it or not.',
    ids: { storeId: 'store', pageId: 'page' },
    body: Type.Object({ document: Type.Optional(AnyDocument), locale }),
    isBodyOptional: true,
    answer: [200, Type.String()],
    contentType: 'text/html',
    idempotency: 'none',
    errors: [errors.nothing_to_publish, errors.invalid_document, errors.resource_unavailable],
  },
  prepareCanvas: {
    method: 'POST',
    path: '/api/stores/{storeId}/pages/{pageId}/canvas',
    access: { member: 'pages.read' },
    summary: 'Read the data with which the editor renders a document',
    description:
      'Nothing is stored. `renderDocument(document, sources, { canvas: true })` of `@waybill/page` draws it; without ' +
      '`canvas` it gives the HTML and the style sheet that a publish would. Any document is taken: `problems` say ' +
      'what is wrong (`invalid_document`), and what will not show as a save’s `warnings` do.',
    ids: { storeId: 'store', pageId: 'page' },
    body: Type.Object({ document: AnyDocument, locale }),
    answer: [200, Canvas],
    idempotency: 'none',
    errors: [errors.resource_unavailable],
  },
  prepareSectionCanvas: {
    method: 'POST',
    path: '/api/stores/{storeId}/sections/{sectionId}/canvas',
    access: { member: 'pages.read' },
    summary: 'Read the data with which the editor renders a section',
    description:
      'Nothing is stored. As that of a page, for a section that no page has to hold: its document, or any other.',
    ids: { storeId: 'store', sectionId: 'section' },
    body: Type.Object({ document: AnyDocument, locale }),
    answer: [200, Canvas],
    idempotency: 'none',
    errors: [errors.resource_unavailable],
  },
  prepareArticleCanvas: {
    method: 'POST',
    path: '/api/stores/{storeId}/articles/{articleId}/canvas',
    access: { member: 'blog.read' },
    summary: 'Read the data with which the editor renders an article',
    description: 'Nothing is stored. As that of a page, for an article, published or not.',
    ids: { storeId: 'store', articleId: 'article' },
    body: Type.Object({ document: AnyDocument, locale }),
    answer: [200, Canvas],
    idempotency: 'none',
    errors: [errors.resource_unavailable],
  },
});
