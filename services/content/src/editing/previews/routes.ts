import { idPattern } from '@waybill/contracts';
import { defineRoutes, nullable } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../../errors.ts';
import { AnyDocument } from '../../publication/documents/schema.ts';
import { Canvas, locale } from '../canvas/schema.ts';

const shownWith = {
  productId: Type.Optional(
    Type.String({
      pattern: idPattern('product'),
      description: 'For the product template: the product to show; by default the newest active one.',
    }),
  ),
  categoryId: Type.Optional(
    Type.String({
      pattern: idPattern('category'),
      description: 'For the category template: the category to show; by default the first.',
    }),
  ),
  articleId: Type.Optional(
    Type.String({
      pattern: idPattern('article'),
      description: 'For the article template: the article to show; by default the last published one.',
    }),
  ),
};

const ShownWith = Type.Object(
  {
    type: Type.Enum(['product', 'category', 'article']),
    id: Type.String({ examples: ['prd_01jd5w2k0q8v6m3n4p5r6s7t8v'] }),
    name: Type.String(),
  },
  { $id: 'ShownWith' },
);

const template = { storeId: 'store' } as const;

/** `decisions.md 13.6, 17.2`. */
export const routes = defineRoutes({
  prepareTemplateCanvas: {
    method: 'POST',
    path: '/api/stores/{storeId}/templates/{kind}/canvas',
    access: { member: 'pages.read' },
    summary: 'Read the data with which the editor renders a template',
    description:
      'Stores nothing. Works as for a page. The templates of products, categories and articles are shown with ' +
      'an example, named in `shownWith`: null if the store has none that visitors see.',
    ids: template,
    body: Type.Object({ document: AnyDocument, locale, ...shownWith }),
    answer: [200, Type.Object({ ...Canvas.properties, shownWith: nullable(ShownWith) })],
    idempotency: 'none',
    errors: [errors.not_found, errors.resource_unavailable],
  },
  previewTemplate: {
    method: 'POST',
    path: '/api/stores/{storeId}/templates/{kind}/preview',
    access: { member: 'pages.read' },
    summary: 'Preview a page with the saved template',
    description:
      'Header, body, footer and theme; stores nothing. A `document` replaces the draft; without either, shows ' +
      'the live content. Header and footer surround the live homepage, and products and articles come from the ' +
      'canvas; without a homepage the body is empty.',
    ids: template,
    body: Type.Object({ document: Type.Optional(AnyDocument), locale, ...shownWith }),
    isBodyOptional: true,
    answer: [200, Type.String()],
    contentType: 'text/html',
    idempotency: 'none',
    errors: [errors.not_found, errors.invalid_document, errors.resource_unavailable],
  },
  previewArticle: {
    method: 'POST',
    path: '/api/stores/{storeId}/articles/{articleId}/preview',
    access: { member: 'blog.read' },
    summary: 'Preview the page that publishing the article would produce',
    description:
      'Stores nothing. A `document` is shown as the article’s body; an article whose body is HTML is shown in ' +
      'its template.',
    ids: { storeId: 'store', articleId: 'article' },
    body: Type.Object({ document: Type.Optional(AnyDocument), locale }),
    isBodyOptional: true,
    answer: [200, Type.String()],
    contentType: 'text/html',
    idempotency: 'none',
    errors: [errors.invalid_document, errors.resource_unavailable],
  },
});
