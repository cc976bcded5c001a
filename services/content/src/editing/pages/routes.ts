import {
  CustomFieldValuesInput,
  contentWarnings,
  Name,
  Page,
  slugMaxLength,
  slugPattern,
} from '@waybill/contracts';
import { defineRoutes, pageSchema, paging, searchRoute } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../../errors.ts';

/** `decisions.md 4.1`. */
const fields = {
  name: Name(),
  slug: Type.Optional(
    Type.String({ pattern: slugPattern, maxLength: slugMaxLength, errorCode: 'invalid_slug' }),
  ),
  position: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Shifts the others; positions past the end mean the end.' }),
  ),
  isHomepage: Type.Optional(
    Type.Boolean({ description: 'True replaces the previous homepage; false on the homepage is ignored.' }),
  ),
  settings: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'Stored as sent, at most 64 KiB as JSON. Live pages use these settings if they are strings: `title` and ' +
          '`description` in the head, `lang` as the language; and `noindex` if it is true.',
      },
    ),
  ),
  customFields: Type.Optional(CustomFieldValuesInput),
};

export const PageInput = Type.Object(fields, { $id: 'PageInput' });
export type PageInput = Static<typeof PageInput>;

export const PageChange = Type.Object({ ...fields, name: Type.Optional(fields.name) }, { $id: 'PageChange' });
export type PageChange = Static<typeof PageChange>;

const ListQuery = Type.Object(paging);
export type ListQuery = Static<typeof ListQuery>;

const Item = Type.Object({ page: Page });
const WrittenItem = Type.Object({ page: Page, warnings: contentWarnings });
const ids = { id: 'page' } as const;

/** `store-api.md 4.5`. */
export const routes = defineRoutes({
  listPages: {
    method: 'GET',
    path: '/api/v1/pages',
    access: { scope: 'pages.read' },
    summary: 'List pages by position',
    description: 'Their settings and status, without their documents.',
    query: ListQuery,
    answer: [200, pageSchema('pages', Page)],
  },
  createPage: {
    method: 'POST',
    path: '/api/v1/pages',
    access: { scope: 'pages.write' },
    summary: 'Create a page',
    description:
      'Without a slug, one is derived from the name; without a position, the page goes to the end. The first ' +
      'page of a store becomes its homepage.',
    body: PageInput,
    // Media and products are looked up before the transaction begins.
    idempotency: 'handler',
    answer: [201, WrittenItem],
    errors: [errors.invalid_slug, errors.invalid_custom_field, errors.duplicate_slug, errors.too_many_pages],
  },
  getPage: {
    method: 'GET',
    path: '/api/v1/pages/{id}',
    access: { scope: 'pages.read' },
    summary: 'Read a page',
    description: 'Its settings and status; the editor API has its document.',
    ids,
    answer: [200, Item],
  },
  changePage: {
    method: 'PATCH',
    path: '/api/v1/pages/{id}',
    access: { scope: 'pages.write' },
    summary: "Change a page's name, slug, position or settings, or make it the homepage",
    description: 'Omitted fields keep their values. A live page shows the change at once.',
    ids,
    body: PageChange,
    idempotency: 'handler',
    answer: [200, WrittenItem],
    errors: [errors.invalid_slug, errors.invalid_custom_field, errors.duplicate_slug],
  },
  deletePage: {
    method: 'DELETE',
    path: '/api/v1/pages/{id}',
    access: { scope: 'pages.write' },
    summary: 'Delete a page, live or not',
    description: 'If the homepage is deleted, the page with the lowest position becomes the homepage.',
    ids,
    answer: [204, null],
  },
  searchPages: searchRoute('/internal/pages/search'),
});
