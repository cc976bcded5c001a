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
      'Consumes the draft. The page’s global sections go live as saved, and other live pages that contain them ' +
      'are rebuilt within seconds. Emits `page.published` for this page only.',
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
    summary: 'Unpublish a page',
    description:
      'Its address then answers nothing. The live document becomes the draft, unless a draft exists, so that ' +
      'it can be published again. Emits `page.unpublished`. `invalid_state` if the page is not live.',
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
      'Stores nothing. A `document` replaces the draft; without either, shows the live page as it would be ' +
      'built now. In any `locale`, even if the store has no addresses in it.',
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
      'Stores nothing. `renderDocument(document, sources, { canvas: true })` of `@waybill/page` renders it; ' +
      'without `canvas` it returns the HTML and style sheet that a publish would produce. Accepts any ' +
      'document: `problems` lists its errors (`invalid_document`), and the content that will not show, as the ' +
      '`warnings` of a save do.',
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
      'Stores nothing. Works as for a page, for a section that need not be on any page: with its document, or ' +
      'any other.',
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
    description: 'Stores nothing. Works as for a page, for an article, published or not.',
    ids: { storeId: 'store', articleId: 'article' },
    body: Type.Object({ document: AnyDocument, locale }),
    answer: [200, Canvas],
    idempotency: 'none',
    errors: [errors.resource_unavailable],
  },
});
