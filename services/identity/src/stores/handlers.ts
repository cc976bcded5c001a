import { listPermissions, type Principal, type StoreReply } from '@waybill/contracts';
import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { findStoreOfFormerSlug } from '../former-addresses/queries.ts';
import type { Tables } from '../tables.ts';
import { findStore, findStoreBySlug, listStoresOfUser, type StoreRow } from './queries.ts';
import type { routes } from './routes.ts';
import {
  changeStore,
  checkChange,
  createStore,
  getCheckoutSettings,
  toFacts,
  toOwnFacts,
  toStore,
} from './stores.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listStores({ principal, query }) {
    const { rows, ...list } = await listStoresOfUser(context.db, principal.userId, query);
    return { stores: rows.map((row) => toStore(context.config, row, row.role)), ...list };
  },
  createStore: {
    write: async ({ principal, body }, write) => ({
      store: toStore(context.config, await createStore(write, principal.userId, body), 'owner'),
    }),
  },
  async getStore({ principal, storeId, db }) {
    const row = await findStore(db, storeId);
    if (!row) throw errors.not_found();
    return { store: toStore(context.config, row, principal.role!) };
  },
  async changeStore({ principal, storeId, body, idempotentWrite }) {
    await idempotentWrite.begin(body);
    await checkChange(context, storeId, body);
    return idempotentWrite.commit(async (write) => ({
      store: toStore(context.config, await changeStore(write, storeId, body), principal.role!),
    }));
  },
  getOwnStore: ({ principal, storeId }) => readOwnStore(context, principal, storeId),
  getOwnStoreAsMember: ({ principal, storeId }) => readOwnStore(context, principal, storeId),
  readStoreFacts: async ({ params }) => toStoreReply(await findStore(context.db, params.storeId)),
  async findStoreFacts({ params, query }) {
    const row = await findStoreBySlug(context.db, params.slug);
    if (row || query.former === undefined) return toStoreReply(row);
    const former = await findStoreOfFormerSlug(context.db, params.slug);
    return toStoreReply(former && (await findStore(context.db, former.id)));
  },
});

/** Returns the store that a credential or a member belongs to, and what they may do there. @throws not_found */
async function readOwnStore({ db, config }: Context, principal: Principal, storeId: string) {
  const row = await findStore(db, storeId);
  if (!row || row.closed_at) throw errors.not_found();
  const url = config.sites.getAddress(row.slug);
  return { store: { ...toOwnFacts(row), url }, scopes: [...listPermissions(principal)] };
}

function toStoreReply(row: StoreRow | undefined): StoreReply {
  if (!row || row.closed_at) throw errors.not_found();
  return { store: toFacts(row), checkout: getCheckoutSettings(row), orgId: row.org_id };
}
