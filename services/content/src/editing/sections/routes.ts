import { idPattern, Name, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../../errors.ts';
import { AnyDocument, Document } from '../../publication/documents/schema.ts';

/** A global section: `decisions.md 4.3, 13.1`. */
export const Section = Type.Object(
  {
    id: Type.String({ pattern: idPattern('section') }),
    name: Type.String(),
    document: Document,
    revision: Type.Integer({ minimum: 1, description: 'Changes with every save.' }),
    savedAt: Timestamp,
    savedBy: nullable(Type.String({ description: 'The ID of a user; null if it was saved long ago.' })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Section' },
);

export const SectionInput = Type.Object({
  name: Name(),
  document: AnyDocument,
});
export type SectionInput = Static<typeof SectionInput>;

/** A user of a section. */
export const SectionUser = Type.Object(
  {
    type: Type.Enum(['page', 'article', 'section', 'template']),
    id: Type.String({
      description: 'For a template: `tpl_` followed by its kind, which is also its name.',
      examples: ['pag_01jd5w2k0q8v6m3n4p5r6s7t8v'],
    }),
    name: Type.String(),
    live: Type.Boolean({ description: 'Whether visitors see the section there, as last published.' }),
  },
  { $id: 'SectionUser' },
);
export type SectionUser = Static<typeof SectionUser>;

/** Maximum number of users of each kind in an answer. */
export const maxUsers = 100;

const ListQuery = Type.Object(paging);
export type ListQuery = Static<typeof ListQuery>;

const Item = Type.Object({ section: Section });
const ids = { storeId: 'store', sectionId: 'section' } as const;

/** `decisions.md 4.3`. */
export const routes = defineRoutes({
  listSections: {
    method: 'GET',
    path: '/api/stores/{storeId}/sections',
    access: { member: 'pages.read' },
    summary: 'List global sections, the oldest first',
    description: 'Each with its last saved document. Pages show the last published one.',
    ids: { storeId: 'store' },
    query: ListQuery,
    answer: [200, pageSchema('sections', Section)],
  },
  createSection: {
    method: 'POST',
    path: '/api/stores/{storeId}/sections',
    access: { member: 'pages.write' },
    summary: 'Create a global section',
    description: 'A part of pages that is written once. A page includes it with a node of type `sectionRef`.',
    ids: { storeId: 'store' },
    body: SectionInput,
    answer: [201, Item],
    errors: [errors.invalid_document, errors.too_many_sections],
  },
  getSection: {
    method: 'GET',
    path: '/api/stores/{storeId}/sections/{sectionId}',
    access: { member: 'pages.read' },
    summary: 'Read the saved state of a global section',
    description: 'The document to edit. Pages show the document that was last published with them.',
    ids,
    answer: [200, Item],
  },
  replaceSection: {
    method: 'PUT',
    path: '/api/stores/{storeId}/sections/{sectionId}',
    access: { member: 'pages.write' },
    summary: 'Save a global section',
    description: 'Live pages show the change when a page that contains the section is next published.',
    ids,
    body: SectionInput,
    answer: [200, Item],
    errors: [errors.invalid_document],
  },
  deleteSection: {
    method: 'DELETE',
    path: '/api/stores/{storeId}/sections/{sectionId}',
    access: { member: 'pages.write' },
    summary: 'Delete a global section',
    description:
      'Rejected with `invalid_state` while a draft, a live page, an article or another section contains it; ' +
      '`details` lists them.',
    ids,
    answer: [204, null],
    errors: [errors.invalid_state],
  },
  getSectionUsage: {
    method: 'GET',
    path: '/api/stores/{storeId}/sections/{sectionId}/usage',
    access: { member: 'pages.read' },
    summary: 'List the documents that contain a section',
    description: `Includes drafts; live documents come first. At most ${maxUsers} of each kind.`,
    ids,
    answer: [200, Type.Object({ usage: Type.Array(SectionUser) })],
  },
});
