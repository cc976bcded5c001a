import { defineRoutes, pagesOf, paging } from '@waybill/kernel';
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
    'Newest first. Of one user’s saves within a minute the last is kept. The last 100 stay, and all of 90 days’ ' +
    'published ones, unless the documents of one history have more than 256 MiB.',
  query: Type.Object(paging),
  answer: [200, pagesOf('revisions', Revision)],
} as const;
const read = {
  method: 'GET',
  answer: [200, Type.Object({ document: Document, revision: Revision })],
} as const;
const restore = {
  method: 'POST',
  description: 'A save like any other: what the document holds must still be there.',
  errors: [errors.invalid_document],
} as const;

/** `decisions.md 13.2`. */
export const routes = defineRoutes({
  listPageRevisions: {
    ...list,
    path: page.path,
    access: { member: 'pages.read' },
    summary: 'What a page was at its saves and publishes',
    ids: page.ids,
  },
  getPageRevision: {
    ...read,
    path: `${page.path}/{revisionId}`,
    access: { member: 'pages.read' },
    summary: "Read an earlier state of a page's document",
    description: 'The document as it was saved or published then. Restoring makes it the draft.',
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
    summary: 'What a global section was at its saves, and when pages that hold it were published',
    ids: section.ids,
  },
  getSectionRevision: {
    ...read,
    path: `${section.path}/{revisionId}`,
    access: { member: 'pages.read' },
    summary: "Read an earlier state of a global section's document",
    description: 'The document as it was saved or published then. Restoring makes it the section’s document.',
    ids: { ...section.ids, revisionId: 'revision' },
  },
  restoreSectionRevision: {
    ...restore,
    path: `${section.path}/{revisionId}/restore`,
    access: { member: 'pages.write' },
    summary: "Make an earlier state the global section's document",
    ids: { ...section.ids, revisionId: 'revision' },
    answer: [200, Type.Object({ section: Section })],
  },
  listArticleRevisions: {
    ...list,
    path: article.path,
    access: { member: 'blog.read' },
    summary: "What an article's builder document was at its saves and publishes",
    ids: article.ids,
  },
  getArticleRevision: {
    ...read,
    path: `${article.path}/{revisionId}`,
    access: { member: 'blog.read' },
    summary: "Read an earlier state of an article's builder document",
    description: 'The document as it was saved or published then. Restoring makes it the draft.',
    ids: { ...article.ids, revisionId: 'revision' },
  },
  restoreArticleRevision: {
    ...restore,
    path: `${article.path}/{revisionId}/restore`,
    access: { member: 'blog.write' },
    summary: "Make an earlier state the article's builder document, also of one whose body is HTML now",
    ids: { ...article.ids, revisionId: 'revision' },
    answer: [200, DocumentItem],
  },
  listTemplateRevisions: {
    ...list,
    path: template.path,
    access: { member: 'pages.read' },
    summary: 'What a template was at its saves and publishes',
    description: `${list.description} They outlast a return to the default.`,
    ids: template.ids,
    errors: [errors.not_found],
  },
  getTemplateRevision: {
    ...read,
    path: `${template.path}/{revisionId}`,
    access: { member: 'pages.read' },
    summary: "Read an earlier state of a template's document",
    description: 'The document as it was saved or published then. Restoring makes it the draft.',
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
