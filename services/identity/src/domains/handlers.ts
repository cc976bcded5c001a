import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { findStoreOfFormerHostname } from '../former-addresses/queries.ts';
import type { Tables } from '../tables.ts';
import { addDomain, removeDomain } from './domains.ts';
import { type DomainRow, findDomain, findStoreAt, listDomains } from './queries.ts';
import { createRecord } from './records.ts';
import type { Domain, routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listDomains({ storeId, query }) {
    const { rows, ...list } = await listDomains(context.db, storeId, query);
    return { domains: rows.map(toDomain), ...list };
  },
  createDomain: {
    write: async ({ storeId, body }, write) => ({
      domain: toDomain(await addDomain(write, context, storeId, body)),
    }),
  },
  async getDomain({ storeId, params, db }) {
    const row = await findDomain(db, storeId, params.domainId);
    if (!row) throw errors.not_found();
    return { domain: toDomain(row) };
  },
  deleteDomain: {
    write: ({ storeId, params }, write) => removeDomain(write, storeId, params.domainId),
  },
  async findStoreAtDomain({ params: { hostname }, query }) {
    const store = await findStoreAt(context.db, hostname);
    if (store) return { store, isFormer: false };
    const former =
      query.former === undefined ? undefined : await findStoreOfFormerHostname(context.db, hostname);
    if (!former) throw errors.not_found();
    return { store: former, isFormer: true };
  },
});

function toDomain(row: DomainRow): Domain {
  const { id, hostname, state, created_at } = row;
  return { id, hostname, state, txt: createRecord(row), createdAt: created_at.toISOString() };
}
