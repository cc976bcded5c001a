import type { Principal } from '@waybill/contracts';
import { inView } from '@waybill/custom-fields';
import { type Handlers, itemsAnswer, rawJson, withWarnings } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { createContentValues } from '../../shared/custom-fields/values.ts';
import { changePage, createPage, deletePage } from './pages.ts';
import { findPageEnvelope, listPages, searchPages } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => {
  const { db, config } = context;
  const values = createContentValues(context);
  const viewOf = (principal: Principal, storeId: string) => values.viewOf(principal, storeId, 'page');
  return {
    async listPages({ principal, storeId, query }) {
      const view = await viewOf(principal, storeId);
      return itemsAnswer('pages', inView(view, await listPages(db, storeId, query, config)));
    },
    async createPage({ principal, storeId, body, once }) {
      await once.begin(body);
      const fields = await values.read(storeId, principal, 'page', body.customFields, true);
      return once.commit(async () =>
        rawJson(withWarnings(await createPage(context, storeId, body, fields), fields.warnings)),
      );
    },
    async getPage({ principal, storeId, params }) {
      const view = await viewOf(principal, storeId);
      const json = await findPageEnvelope(db, storeId, params.id, config);
      if (!json) throw errors.not_found();
      return rawJson(view.envelope(json));
    },
    async changePage({ principal, storeId, params, body, once }) {
      await once.begin(body);
      const fields = await values.read(storeId, principal, 'page', body.customFields);
      const view = await viewOf(principal, storeId);
      return once.commit(async () =>
        rawJson(
          withWarnings(
            view.envelope(await changePage(context, storeId, params.id, body, fields)),
            fields.warnings,
          ),
        ),
      );
    },
    searchPages: ({ body }) => searchPages(db, body.storeId, body.q),
    deletePage: ({ storeId, params }) => deletePage(context, storeId, params.id),
  };
};
