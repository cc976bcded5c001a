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
      description: 'Of the template of products: with which one; the newest active one otherwise.',
    }),
  ),
  categoryId: Type.Optional(
    Type.String({
      pattern: idPattern('category'),
      description: 'Of the template of categories: with which one; the first otherwise.',
    }),
  ),
  articleId: Type.Optional(
    Type.String({
      pattern: idPattern('article'),
      description: 'Of the template of articles: with which one; the one published last otherwise.',
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
      'Nothing is stored. As that of a page; the templates of products, categories and articles are drawn with one of them, which ' +
      '`shownWith` names: null where the store has none that visitors see.',
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
      'Header, body, footer and theme; nothing is stored. With a `document` that one in place of the draft; without ' +
      'either, what visitors see. Header and footer stand around the live homepage, products and articles are those of ' +
      'the canvas; without one nothing stands in the body that would be its own.',
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
      'Nothing is stored. With a `document` as if that were its body; an article whose body is HTML is shown in its ' +
      'template.',
    ids: { storeId: 'store', articleId: 'article' },
    body: Type.Object({ document: Type.Optional(AnyDocument), locale }),
    isBodyOptional: true,
    answer: [200, Type.String()],
    contentType: 'text/html',
    idempotency: 'none',
    errors: [errors.invalid_document, errors.resource_unavailable],
  },
});
