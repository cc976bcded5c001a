import { applyView } from '@waybill/custom-fields';
import { type Handlers, itemsAnswer, type Lock, rawJson, withWarnings } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { createOrderValues } from '../custom-fields/values.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { customerCreation, deleteCustomer, replaceCustomer } from './customers.ts';
import {
  findCustomerEnvelope,
  findNote,
  listCustomers,
  lockCustomer,
  searchCustomers,
  updateNote,
} from './queries.ts';
import type { routes } from './routes.ts';

/** Locks the customer, or the customer of a note, whose path names the customer differently. */
export const lock =
  (): Lock =>
  ({ storeId, params: { id, customerId = id } }, { trx }) =>
    lockCustomer(trx, storeId, customerId!);

export function handlers(context: Context): Handlers<typeof routes, Tables> {
  const { db: pool } = context;
  const createCustomer = customerCreation(context);
  const values = createOrderValues(context);
  return {
    async listCustomers({ principal, storeId, query }) {
      const view = await values.createView(principal, storeId, 'customer');
      return itemsAnswer('customers', applyView(view, await listCustomers(pool, storeId, query)));
    },
    async createCustomer({ principal, storeId, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const change = await values.readValues(storeId, principal, 'customer', body.customFields, true);
      return createCustomer(storeId, body, change, idempotentWrite);
    },
    async getCustomer({ principal, storeId, params, db }) {
      const view = await values.createView(principal, storeId, 'customer', db);
      const json = await findCustomerEnvelope(db, storeId, params.id);
      if (!json) throw errors.not_found();
      return rawJson(view.envelope(json));
    },
    async replaceCustomer({ principal, storeId, params, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const change = await values.readValues(storeId, principal, 'customer', body.customFields);
      const view = await values.createView(principal, storeId, 'customer');
      return idempotentWrite.commit(async (write) => {
        const envelope = await replaceCustomer(write, storeId, params.id, body, change);
        return rawJson(withWarnings(view.envelope(envelope), change.warnings));
      });
    },
    searchCustomers: ({ body }) => searchCustomers(pool, body.storeId, body.q),
    deleteCustomer: { write: ({ storeId, params }, write) => deleteCustomer(write, storeId, params.id) },
    getCustomerNote: async ({ storeId, params, db }) =>
      requireNote(await findNote(db, storeId, params.customerId)),
    changeCustomerNote: {
      write: async ({ storeId, params, body }, { trx }) =>
        requireNote(
          body.note === undefined
            ? await findNote(trx, storeId, params.customerId)
            : await updateNote(trx, storeId, params.customerId, body.note ?? ''),
        ),
    },
  };
}

function requireNote(note: string | null): { note: string } {
  if (note === null) throw errors.not_found();
  return { note };
}
