import type { Principal } from '@waybill/contracts';
import { applyView } from '@waybill/custom-fields';
import { type Handlers, itemsAnswer, rawJson, withWarnings } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { createContentValues } from '../../shared/custom-fields/values.ts';
import type { Tables } from '../../tables.ts';
import { changePage, createPage, deletePage } from './pages.ts';
import { findPageEnvelope, listPages, searchPages } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => {
  const { db: pool, config } = context;
  const values = createContentValues(context);
  const createView = (principal: Principal, storeId: string, db?: Kysely<Tables>) =>
    values.createView(principal, storeId, 'page', db);
  return {
    async listPages({ principal, storeId, query }) {
      const view = await createView(principal, storeId);
      return itemsAnswer('pages', applyView(view, await listPages(pool, storeId, query, config)));
    },
    async createPage({ principal, storeId, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const fields = await values.readValues(storeId, principal, 'page', body.customFields, true);
      return idempotentWrite.commit(async (write) =>
        rawJson(withWarnings(await createPage(write, context, storeId, body, fields), fields.warnings)),
      );
    },
    async getPage({ principal, storeId, params, db }) {
      const view = await createView(principal, storeId, db);
      const json = await findPageEnvelope(db, storeId, params.id, config);
      if (!json) throw errors.not_found();
      return rawJson(view.envelope(json));
    },
    async changePage({ principal, storeId, params, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const fields = await values.readValues(storeId, principal, 'page', body.customFields);
      const view = await createView(principal, storeId);
      return idempotentWrite.commit(async (write) => {
        const envelope = await changePage(write, context, storeId, params.id, body, fields);
        return rawJson(withWarnings(view.envelope(envelope), fields.warnings));
      });
    },
    searchPages: ({ body }) => searchPages(pool, body.storeId, body.q),
    deletePage: { write: ({ storeId, params }, write) => deletePage(write, storeId, params.id) },
  };
};
