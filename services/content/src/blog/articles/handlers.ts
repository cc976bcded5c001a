import type { Principal } from '@waybill/contracts';
import { applyView, mergeWarnings } from '@waybill/custom-fields';
import { warningsFor } from '@waybill/html';
import { type Handlers, listAnswer, rawJson, withWarnings } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { getUserId } from '../../publication/documents/actor.ts';
import { acceptWithWarnings, toEditable } from '../../publication/documents/documents.ts';
import { documentAnswer } from '../../publication/documents/envelope.ts';
import { createContentValues } from '../../shared/custom-fields/values.ts';
import type { Tables } from '../../tables.ts';
import {
  changeArticle,
  convertArticle,
  createArticle,
  deleteArticle,
  prepareChange,
  prepareInput,
  publishArticle,
  replaceArticle,
  saveArticleDocument,
} from './articles.ts';
import { findArticleDocument } from './document-queries.ts';
import { listArticles, readArticles, searchArticles } from './list-queries.ts';
import { findArticleEnvelope, isBuilderArticle } from './queries.ts';
import type { ListQuery, routes } from './routes.ts';

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of handlers that share one context
export const handlers = (context: Context): Handlers<typeof routes, Tables> => {
  const { db: pool, config, shareQuery } = context;
  const articleList = shareQuery((db, storeId, query: ListQuery) =>
    listArticles(db, storeId, query, config.publicBaseUrl),
  );
  const values = createContentValues(context);
  const createView = (principal: Principal, storeId: string, db?: Kysely<Tables>) =>
    values.createView(principal, storeId, 'article', db);
  return {
    async listArticles({ principal, storeId, query }) {
      const view = await createView(principal, storeId);
      const page = await articleList(storeId, query);
      return listAnswer('articles', applyView(view, page), async (ids) =>
        applyView(view, await readArticles(pool, storeId, ids, config.publicBaseUrl)),
      );
    },
    async createArticle({ principal, storeId, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const fields = await values.readValues(storeId, principal, 'article', body.customFields, true);
      const written = { ...(await prepareInput(context, storeId, body)), fields };
      const warnings = mergeWarnings(warningsFor(body.content), fields.warnings);
      return idempotentWrite.commit(async (write) =>
        rawJson(withWarnings(await createArticle(write, context, storeId, written), warnings)),
      );
    },
    async getArticle({ principal, storeId, params, db }) {
      const view = await createView(principal, storeId, db);
      const json = await findArticleEnvelope(db, storeId, params.id, config.publicBaseUrl);
      if (!json) throw errors.not_found();
      return rawJson(view.envelope(json));
    },
    replaceArticle: {
      // This route can write no builder article, whatever is sent (`decisions.md 4.5`).
      async guard({ storeId, params }) {
        if (await isBuilderArticle(pool, storeId, params.id)) throw errors.unsupported_body_type();
      },
      async handle({ principal, storeId, params, body, idempotentWrite }) {
        await idempotentWrite.begin(body);
        const fields = await values.readValues(storeId, principal, 'article', body.customFields);
        const written = { ...(await prepareInput(context, storeId, body)), fields };
        const view = await createView(principal, storeId);
        const warnings = mergeWarnings(warningsFor(body.content), fields.warnings);
        return idempotentWrite.commit(async (write) => {
          const envelope = await replaceArticle(write, context, storeId, params.id, written);
          return rawJson(withWarnings(view.envelope(envelope), warnings));
        });
      },
    },
    async publishArticle({ storeId, params, principal, idempotentWrite }) {
      const view = await createView(principal, storeId);
      return publishArticle(context, storeId, params.id, getUserId(principal), idempotentWrite, view);
    },
    searchArticles: ({ body }) => searchArticles(pool, body.storeId, body.q),
    deleteArticle: { write: ({ storeId, params }, write) => deleteArticle(write, storeId, params.id) },
    async changeArticle({ principal, storeId, params, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const fields = await values.readValues(storeId, principal, 'article', body.customFields);
      const change = { ...(await prepareChange(context, storeId, body)), fields };
      return idempotentWrite.commit(async (write) =>
        rawJson(
          withWarnings(await changeArticle(write, context, storeId, params.id, change), fields.warnings),
        ),
      );
    },
    async convertArticle({ storeId, params, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      return convertArticle(context, storeId, params.articleId, idempotentWrite);
    },
    async getArticleDocument({ storeId, params, db }) {
      const saved = await findArticleDocument(db, storeId, params.articleId);
      if (!saved) throw errors.not_found();
      return documentAnswer({ ...saved, document: toEditable(saved.document) });
    },
    async saveArticleDocument({
      storeId,
      params: { articleId },
      principal: { userId },
      body,
      idempotentWrite,
    }) {
      await idempotentWrite.begin(body);
      const { document, warnings } = await acceptWithWarnings(context, storeId, body.document);
      return idempotentWrite.commit(async (write) =>
        documentAnswer(await saveArticleDocument(write, storeId, articleId, userId, document), warnings),
      );
    },
  };
};
