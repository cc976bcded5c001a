import { type Handlers, itemsAnswer, rawJson } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { changePage, createPage, deletePage } from './pages.ts';
import { findPageEnvelope, listPages, searchPages } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => {
  const { db, config } = context;
  return {
    listPages: async ({ storeId, query }) =>
      itemsAnswer('pages', await listPages(db, storeId, query, config)),
    createPage: async ({ storeId, body }) => rawJson(await createPage(context, storeId, body)),
    async getPage({ storeId, params }) {
      const json = await findPageEnvelope(db, storeId, params.id, config);
      if (!json) throw errors.not_found();
      return rawJson(json);
    },
    changePage: async ({ storeId, params, body }) =>
      rawJson(await changePage(context, storeId, params.id, body)),
    searchPages: ({ body }) => searchPages(db, body.storeId, body.q),
    deletePage: ({ storeId, params }) => deletePage(context, storeId, params.id),
  };
};
