import { defineRoutes, pageSchema, paging } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../../errors.ts';
import { Document, DocumentItem } from '../../publication/documents/schema.ts';
import { Revision } from '../../publication/history/revision.ts';
import { Section } from '../sections/routes.ts';

const page = {
  path: '/api/stores/{storeId}/pages/{pageId}/revisions',
  ids: { storeId: 'store', pageId: 'page' },
} as const;
const section = {
  path: '/api/stores/{storeId}/sections/{sectionId}/revisions',
  ids: { storeId: 'store', sectionId: 'section' },
} as const;
const article = {
  path: '/api/stores/{storeId}/articles/{articleId}/revisions',
  ids: { storeId: 'store', articleId: 'article' },
} as const;
const template = {
  path: '/api/stores/{storeId}/templates/{kind}/revisions',
  ids: { storeId: 'store' },
} as const;

const list = {
  method: 'GET',
  description:
    'Newest first. Of one user’s saves within a minute, only the last is kept. The last 100 revisions are ' +
    'kept, and all revisions published within 90 days, unless the documents of one history exceed 256 MiB.',
  query: Type.Object(paging),
  answer: [200, pageSchema('revisions', Revision)],
} as const;
const read = {
  method: 'GET',
  answer: [200, Type.Object({ document: Document, revision: Revision })],
} as const;
const restore = {
  method: 'POST',
  description: 'Works like any other save: everything the document refers to must still exist.',
  errors: [errors.invalid_document],
} as const;

/** `decisions.md 13.2`. */
export const routes = defineRoutes({
  listPageRevisions: {
    ...list,
    path: page.path,
    access: { member: 'pages.read' },
    summary: 'List the revisions of a page',
    ids: page.ids,
  },
  getPageRevision: {
    ...read,
    path: `${page.path}/{revisionId}`,
    access: { member: 'pages.read' },
    summary: "Read an earlier state of a page's document",
    description: 'The document as saved or published then. Restoring makes it the draft.',
    ids: { ...page.ids, revisionId: 'revision' },
  },
  restorePageRevision: {
    ...restore,
    path: `${page.path}/{revisionId}/restore`,
    access: { member: 'pages.write' },
    summary: "Make an earlier state the page's draft",
    ids: { ...page.ids, revisionId: 'revision' },
    answer: [200, DocumentItem],
  },
  listSectionRevisions: {
    ...list,
    path: section.path,
    access: { member: 'pages.read' },
    summary: 'List the revisions of a global section, and the publications of pages that contain it',
    ids: section.ids,
  },
  getSectionRevision: {
    ...read,
    path: `${section.path}/{revisionId}`,
    access: { member: 'pages.read' },
    summary: 'Read an earlier document of a global section',
    description: 'The document as saved or published then. Restoring makes it the section’s document.',
    ids: { ...section.ids, revisionId: 'revision' },
  },
  restoreSectionRevision: {
    ...restore,
    path: `${section.path}/{revisionId}/restore`,
    access: { member: 'pages.write' },
    summary: 'Restore an earlier document of a global section',
    ids: { ...section.ids, revisionId: 'revision' },
    answer: [200, Type.Object({ section: Section })],
  },
  listArticleRevisions: {
    ...list,
    path: article.path,
    access: { member: 'blog.read' },
    summary: "List the revisions of an article's builder document",
    ids: article.ids,
  },
  getArticleRevision: {
    ...read,
    path: `${article.path}/{revisionId}`,
    access: { member: 'blog.read' },
    summary: 'Read an earlier builder document of an article',
    description: 'The document as saved or published then. Restoring makes it the draft.',
    ids: { ...article.ids, revisionId: 'revision' },
  },
  restoreArticleRevision: {
    ...restore,
    path: `${article.path}/{revisionId}/restore`,
    access: { member: 'blog.write' },
    summary: 'Restore an earlier builder document of an article, also if its body is HTML now',
    ids: { ...article.ids, revisionId: 'revision' },
    answer: [200, DocumentItem],
  },
  listTemplateRevisions: {
    ...list,
    path: template.path,
    access: { member: 'pages.read' },
    summary: 'List the revisions of a template',
    description: `${list.description} Revisions remain after a reset to the default.`,
    ids: template.ids,
    errors: [errors.not_found],
  },
  getTemplateRevision: {
    ...read,
    path: `${template.path}/{revisionId}`,
    access: { member: 'pages.read' },
    summary: "Read an earlier state of a template's document",
    description: 'The document as saved or published then. Restoring makes it the draft.',
    ids: { ...template.ids, revisionId: 'revision' },
  },
  restoreTemplateRevision: {
    ...restore,
    path: `${template.path}/{revisionId}/restore`,
    access: { member: 'pages.write' },
    summary: "Make an earlier state the template's draft",
    ids: { ...template.ids, revisionId: 'revision' },
    answer: [200, DocumentItem],
  },
});
