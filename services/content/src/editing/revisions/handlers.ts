import { type Handlers, rawJson } from '@waybill/kernel';
import type { PageDocument } from '@waybill/page';
import type { Transaction } from 'kysely';
import { saveArticleDocument } from '../../blog/articles/articles.ts';
import { findArticleEnvelope } from '../../blog/articles/queries.ts';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { acceptDocument, toEditable } from '../../publication/documents/documents.ts';
import { documentAnswer } from '../../publication/documents/envelope.ts';
import { readHistory, readRevision, readRevisionDocument } from '../../publication/history/history.ts';
import { parseTemplateKind, templateId } from '../../publication/owners/template-kinds.ts';
import type { Tables } from '../../tables.ts';
import { saveDraft } from '../drafts/drafts.ts';
import { findPage } from '../pages/queries.ts';
import { findSection } from '../sections/queries.ts';
import { replaceSection } from '../sections/sections.ts';
import { saveTemplateDraft } from '../templates/templates.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => {
  const { db, config } = context;

  /** Checks that the owner exists, because its history is deleted some time after it. */
  async function owned(ownerId: string, owner: Promise<unknown>): Promise<string> {
    if (!(await owner)) throw errors.not_found();
    return ownerId;
  }
  const ofPage = (storeId: string, id: string) => owned(id, findPage(db, storeId, id));
  const ofSection = (storeId: string, id: string) => owned(id, findSection(db, storeId, id));
  const ofArticle = (storeId: string, id: string) =>
    owned(id, findArticleEnvelope(db, storeId, id, config.publicBaseUrl));

  async function readOne(storeId: string, ownerId: string, revisionId: string) {
    const { document, revision } = await readRevision(context, storeId, ownerId, revisionId);
    return rawJson(`{"document":${document},"revision":${JSON.stringify(revision)}}`);
  }
  async function readDocument(
    trx: Transaction<Tables>,
    storeId: string,
    ownerId: string,
    revisionId: string,
  ): Promise<PageDocument> {
    return JSON.parse(toEditable(await readRevisionDocument(trx, storeId, ownerId, revisionId)));
  }

  return {
    listPageRevisions: async ({ storeId, params, query }) =>
      readHistory(context, storeId, await ofPage(storeId, params.pageId), query),
    getPageRevision: async ({ storeId, params }) =>
      readOne(storeId, await ofPage(storeId, params.pageId), params.revisionId),
    restorePageRevision: {
      async write({ storeId, params: { pageId, revisionId }, principal: { userId } }, write) {
        const document = acceptDocument(await readDocument(write.trx, storeId, pageId, revisionId));
        return documentAnswer(await saveDraft(write, storeId, pageId, userId, document));
      },
    },
    listSectionRevisions: async ({ storeId, params, query }) =>
      readHistory(context, storeId, await ofSection(storeId, params.sectionId), query),
    getSectionRevision: async ({ storeId, params }) =>
      readOne(storeId, await ofSection(storeId, params.sectionId), params.revisionId),
    restoreSectionRevision: {
      async write({ storeId, params: { sectionId, revisionId }, principal: { userId } }, write) {
        const document = await readDocument(write.trx, storeId, sectionId, revisionId);
        return rawJson(await replaceSection(write, storeId, sectionId, userId, { document }));
      },
    },
    listArticleRevisions: async ({ storeId, params, query }) =>
      readHistory(context, storeId, await ofArticle(storeId, params.articleId), query),
    getArticleRevision: async ({ storeId, params }) =>
      readOne(storeId, await ofArticle(storeId, params.articleId), params.revisionId),
    restoreArticleRevision: {
      async write({ storeId, params: { articleId, revisionId }, principal: { userId } }, write) {
        const document = acceptDocument(await readDocument(write.trx, storeId, articleId, revisionId));
        return documentAnswer(await saveArticleDocument(write, storeId, articleId, userId, document));
      },
    },
    listTemplateRevisions: ({ storeId, params, query }) =>
      readHistory(context, storeId, templateId(parseTemplateKind(params)), query),
    getTemplateRevision: ({ storeId, params }) =>
      readOne(storeId, templateId(parseTemplateKind(params)), params.revisionId),
    restoreTemplateRevision: {
      async write({ storeId, params, principal: { userId } }, write) {
        const kind = parseTemplateKind(params);
        const stored = await readDocument(write.trx, storeId, templateId(kind), params.revisionId);
        const document = acceptDocument(stored);
        return documentAnswer(await saveTemplateDraft(write, context, storeId, kind, userId, document));
      },
    },
  };
};
