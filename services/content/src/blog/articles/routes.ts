import {
  CustomFieldValues,
  CustomFieldValuesInput,
  contentWarnings,
  idPattern,
  Name,
  slugMaxLength,
  slugPattern,
  Timestamp,
} from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging, searchRoute } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../../errors.ts';
import { AnyDocument, DocumentItem, SavedDocumentItem } from '../../publication/documents/schema.ts';

const statuses = ['draft', 'published'] as const;
const bodyTypes = ['html', 'page'] as const;

/** An article as the public API shows it: `store-api.md 2.6`, `decisions.md 4.5`. */
export const Article = Type.Object(
  {
    id: Type.String({ pattern: idPattern('article') }),
    title: Type.String(),
    slug: Type.String({ description: 'Unique within the store.' }),
    excerpt: Type.String({ description: 'Plain text.' }),
    content: Type.String({
      description: 'HTML, sanitised on write. Empty if `bodyType` is `page`: the body is the document.',
    }),
    bodyType: Type.Enum([...bodyTypes]),
    status: Type.Enum([...statuses]),
    hasDraft: Type.Boolean({
      description: 'Whether a saved document is not yet published. False if `bodyType` is `html`.',
    }),
    hasChanges: Type.Boolean({
      description: 'Whether a saved document differs from what is published. False if `hasDraft` is.',
    }),
    categoryIds: Type.Array(Type.String()),
    coverMediaId: nullable(Type.String()),
    coverMedia: nullable(Type.Object({ id: Type.String(), url: Type.String() })),
    tags: Type.Array(Type.String()),
    customFields: CustomFieldValues,
    publishedAt: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Article' },
);
export type Article = Static<typeof Article>;

/** Maximum number of characters of an article's content. */
export const maxContentLength = 500_000;

const fields = {
  title: Name(),
  slug: Type.Optional(
    Type.String({
      pattern: slugPattern,
      maxLength: slugMaxLength,
      errorCode: 'invalid_slug',
      description: 'A slug that is taken gets a number, as a derived slug does.',
    }),
  ),
  excerpt: Type.Optional(Type.String({ maxLength: 1000, description: 'Plain text.' })),
  status: Type.Optional(Type.Enum([...statuses], { errorCode: 'invalid_status' })),
  categoryIds: Type.Optional(
    Type.Array(Type.String(), { maxItems: 50, description: 'Unknown IDs are dropped.' }),
  ),
  coverMediaId: Type.Optional(nullable(Type.String({ description: 'An unknown ID counts as null.' }))),
  tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 60 }), { maxItems: 50 })),
  customFields: Type.Optional(CustomFieldValuesInput),
};

export const ArticleInput = Type.Object(
  {
    ...fields,
    content: Type.Optional(Type.String({ maxLength: maxContentLength, description: 'HTML; sanitised.' })),
    bodyType: Type.Optional(
      Type.Enum([...bodyTypes], { description: 'Only `html` can be written; `page` is rejected.' }),
    ),
  },
  { $id: 'ArticleInput' },
);
export type ArticleInput = Static<typeof ArticleInput>;

/** The fields of an article that can be changed whatever its body is: `decisions.md 13.8`. */
export const ArticleChange = Type.Object(
  { ...fields, title: Type.Optional(fields.title) },
  { $id: 'ArticleChange' },
);
export type ArticleChange = Static<typeof ArticleChange>;

const ListQuery = Type.Object({
  ...paging,
  q: Type.Optional(Type.String({ description: 'Every word must occur in the title, the slug or a tag.' })),
  status: Type.Optional(Type.Enum([...statuses])),
  categoryId: Type.Optional(Type.String({ description: 'Only articles directly in this category.' })),
  sort: Type.Enum(['created', 'updated', 'published', 'title'], {
    default: 'created',
    description: '`published`: drafts come last in both directions.',
  }),
  dir: Type.Enum(['asc', 'desc'], { default: 'desc' }),
});
export type ListQuery = Static<typeof ListQuery>;

const Item = Type.Object({ article: Article });
const WrittenItem = Type.Object({ ...Item.properties, warnings: contentWarnings });
const ids = { id: 'article' } as const;
const refusals = [
  errors.invalid_status,
  errors.invalid_slug,
  errors.invalid_custom_field,
  errors.unsupported_body_type,
  errors.resource_unavailable,
];

const documentPath = '/api/stores/{storeId}/articles/{articleId}/document';
const documentIds = { storeId: 'store', articleId: 'article' } as const;

/** `store-api.md 4.7`, `decisions.md 4.3, 4.5, 13.8`. */
export const routes = defineRoutes({
  listArticles: {
    method: 'GET',
    path: '/api/v1/articles',
    access: { scope: 'blog.read' },
    summary: 'List and search articles',
    description:
      'By search, status or category. `bodyType` tells whether the body is HTML or a builder document.',
    query: ListQuery,
    answer: [200, pageSchema('articles', Article)],
  },
  createArticle: {
    method: 'POST',
    path: '/api/v1/articles',
    access: { scope: 'blog.write' },
    summary: 'Create an article',
    description:
      'Without a slug, one is derived from the title. The stored content is sanitised: read it back to see the ' +
      'result.',
    body: ArticleInput,
    // Media is asked before the transaction begins, as are other services below.
    idempotency: 'handler',
    answer: [201, WrittenItem],
    errors: [...refusals, errors.too_many_articles],
  },
  getArticle: {
    method: 'GET',
    path: '/api/v1/articles/{id}',
    access: { scope: 'blog.read' },
    summary: 'Read an article',
    description: 'If `bodyType` is `page`, `content` is empty and the document is in the editor API.',
    ids,
    answer: [200, Item],
  },
  replaceArticle: {
    method: 'PUT',
    path: '/api/v1/articles/{id}',
    access: { scope: 'blog.write' },
    summary: 'Replace an article',
    description:
      'Omitted fields return to their defaults, except the slug and values of custom fields. `publishedAt` is ' +
      'the time of first publication. An article whose body is a builder document is rejected.',
    ids,
    body: ArticleInput,
    idempotency: 'handler',
    answer: [200, WrittenItem],
    errors: refusals,
  },
  publishArticle: {
    method: 'POST',
    path: '/api/v1/articles/{id}/publish',
    access: { scope: 'blog.write' },
    summary: "Publish an article's saved document",
    description:
      'Visitors see the saved document from now on. Its global sections go live as saved, and changes to its ' +
      'products, media and apps appear within seconds. A draft article becomes published.',
    ids,
    idempotency: 'handler',
    answer: [200, Item],
    errors: [errors.nothing_to_publish, errors.resource_unavailable],
  },
  deleteArticle: {
    method: 'DELETE',
    path: '/api/v1/articles/{id}',
    access: { scope: 'blog.write' },
    summary: 'Delete an article',
    description: 'Its address answers 404 within seconds. Its translations are also deleted.',
    ids,
    answer: [204, null],
  },
  changeArticle: {
    method: 'PATCH',
    // Uses the members' parameter name for the id, because it is the same item.
    path: '/api/stores/{storeId}/articles/{id}',
    access: { member: 'blog.write' },
    summary: "Change an article's title, slug, position or publication",
    description: 'Omitted fields keep their values. The body stays unchanged, HTML or a builder document.',
    ids: { storeId: 'store', id: 'article' },
    body: ArticleChange,
    idempotency: 'handler',
    answer: [200, WrittenItem],
    errors: [
      errors.invalid_status,
      errors.invalid_slug,
      errors.invalid_custom_field,
      errors.resource_unavailable,
    ],
  },
  convertArticle: {
    method: 'POST',
    path: '/api/stores/{storeId}/articles/{articleId}/convert',
    access: { member: 'blog.write' },
    summary: "Convert an article's body to HTML",
    description:
      'The published content becomes `content`, sanitised: plain HTML, without styles, forms and content of ' +
      'apps. If nothing is published, the last saved document is used. An article whose body is already HTML ' +
      'stays unchanged; a document with more than 500,000 characters of HTML is `invalid_state`.',
    ids: documentIds,
    body: Type.Object({ bodyType: Type.Literal('html') }),
    idempotency: 'handler',
    answer: [200, WrittenItem],
    errors: [errors.invalid_state, errors.resource_unavailable],
  },
  getArticleDocument: {
    method: 'GET',
    path: documentPath,
    access: { member: 'blog.read' },
    summary: "Read an article's builder document",
    description: '`not_found` for an article whose body is HTML.',
    ids: documentIds,
    answer: [200, DocumentItem],
  },
  saveArticleDocument: {
    method: 'PUT',
    path: documentPath,
    access: { member: 'blog.write' },
    summary: 'Create or replace the builder document of an article',
    description:
      'Afterwards the public API can read, publish and delete the article, but not write it; its content reads ' +
      'as empty. Visitors continue to see the previous content until it is published. Texts are stored in ' +
      'Unicode NFC with LF line endings.',
    ids: documentIds,
    body: Type.Object({ document: AnyDocument }),
    idempotency: 'handler',
    answer: [200, SavedDocumentItem],
    errors: [errors.invalid_document],
  },
  searchArticles: searchRoute('/internal/articles/search'),
});
