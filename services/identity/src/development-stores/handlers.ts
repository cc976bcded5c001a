import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { toStore } from '../stores/stores.ts';
import type { Tables } from '../tables.ts';
import { closeDevelopmentStore, createDevelopmentStore, requireOrgMember } from './development-stores.ts';
import { countStores, listStoresOfOrg } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listDevelopmentStores({ principal: { userId }, params: { orgId }, query }) {
    await requireOrgMember(context, orgId, userId);
    const { rows, ...list } = await listStoresOfOrg(context.db, orgId, userId, query);
    return { stores: rows.map((row) => toStore(context.config, row, row.role)), ...list };
  },
  async createDevelopmentStore({ principal: { userId }, params: { orgId }, body, idempotentWrite }) {
    // This call precedes the transaction, which must not wait for other services. It also runs for repeated requests.
    await requireOrgMember(context, orgId, userId);
    await idempotentWrite.begin(body);
    return idempotentWrite.commit(async (write) => ({
      store: toStore(context.config, await createDevelopmentStore(write, orgId, userId, body.name), 'owner'),
    }));
  },
  async closeDevelopmentStore({ principal: { userId }, params, idempotentWrite }) {
    const orgRole = await requireOrgMember(context, params.orgId, userId);
    await idempotentWrite.begin(undefined);
    await idempotentWrite.commit((write) =>
      closeDevelopmentStore(write, context, params, { userId, orgRole }),
    );
  },
  countDevelopmentStores: async ({ params }) => ({ total: await countStores(context.db, params.orgId) }),
});
