import { type Handlers, listAnswer, rawJson } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { userOf } from '../documents/actor.ts';
import { toEdit } from '../documents/documents.ts';
import { documentAnswer } from '../documents/envelope.ts';
import { errors } from '../errors.ts';
import {
  changeArticle,
  convertArticle,
  createArticle,
  deleteArticle,
  publishArticle,
  replaceArticle,
  saveArticleDocument,
} from './articles.ts';
import {
  findArticleDocument,
  findArticleEnvelope,
  isBuilderArticle,
  listArticles,
  readArticles,
  searchArticles,
} from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => {
  const { db, config } = context;
  return {
    async listArticles({ storeId, query }) {
      const page = await listArticles(db, storeId, query, config.publicBaseUrl);
      return listAnswer('articles', page, (ids) => readArticles(db, storeId, ids, config.publicBaseUrl));
    },
    createArticle: async ({ storeId, body }) => rawJson(await createArticle(context, storeId, body)),
    async getArticle({ storeId, params }) {
      const json = await findArticleEnvelope(db, storeId, params.id, config.publicBaseUrl);
      if (!json) throw errors.not_found();
      return rawJson(json);
    },
    replaceArticle: {
      // Whatever is sent: nothing can be written here (`decisions.md 4.5`).
      async guard({ storeId, params }) {
        if (await isBuilderArticle(db, storeId, params.id)) throw errors.unsupported_body_type();
      },
      handle: async ({ storeId, params, body }) =>
        rawJson(await replaceArticle(context, storeId, params.id, body)),
    },
    publishArticle: async ({ storeId, params, principal }) =>
      rawJson(await publishArticle(context, storeId, params.id, userOf(principal))),
    searchArticles: ({ body }) => searchArticles(db, body.storeId, body.q),
    deleteArticle: ({ storeId, params }) => deleteArticle(context, storeId, params.id),
    changeArticle: async ({ storeId, params, body }) =>
      rawJson(await changeArticle(context, storeId, params.id, body)),
    convertArticle: async ({ storeId, params }) =>
      rawJson(await convertArticle(context, storeId, params.articleId)),
    async getArticleDocument({ storeId, params }) {
      const saved = await findArticleDocument(db, storeId, params.articleId);
      if (!saved) throw errors.not_found();
      return documentAnswer({ ...saved, document: toEdit(saved.document) });
    },
    async saveArticleDocument({ storeId, params: { articleId }, principal: { userId }, body }) {
      const { saved, warnings } = await saveArticleDocument(
        context,
        storeId,
        articleId,
        userId,
        body.document,
      );
      return documentAnswer(saved, warnings);
    },
  };
};
