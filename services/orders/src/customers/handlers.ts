import { type Handlers, itemsAnswer, type Lock, rawJson } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
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

/** A customer, and its note, which has a name of its own for it in the path. */
export const lock =
  ({ transaction }: Context): Lock =>
  ({ storeId, params: { id, customerId = id } }) =>
    transaction((trx) => lockCustomer(trx, storeId, customerId!));

export function handlers(context: Context): Handlers<typeof routes> {
  const { db, transaction } = context;
  const createCustomer = customerCreation(context);
  return {
    listCustomers: async ({ storeId, query }) =>
      itemsAnswer('customers', await listCustomers(db, storeId, query)),
    async createCustomer({ storeId, body, once }) {
      await once.begin(body);
      return createCustomer(storeId, body, once);
    },
    async getCustomer({ storeId, params }) {
      const json = await findCustomerEnvelope(db, storeId, params.id);
      if (!json) throw errors.not_found();
      return rawJson(json);
    },
    replaceCustomer: async ({ storeId, params, body }) =>
      rawJson(await replaceCustomer(transaction, storeId, params.id, body)),
    searchCustomers: ({ body }) => searchCustomers(db, body.storeId, body.q),
    deleteCustomer: ({ storeId, params }) => deleteCustomer(transaction, storeId, params.id),
    getCustomerNote: async ({ storeId, params }) => noteOf(await findNote(db, storeId, params.customerId)),
    changeCustomerNote: async ({ storeId, params, body }) =>
      noteOf(
        body.note === undefined
          ? await findNote(db, storeId, params.customerId)
          : await updateNote(db, storeId, params.customerId, body.note ?? ''),
      ),
  };
}

function noteOf(note: string | null): { note: string } {
  if (note === null) throw errors.not_found();
  return { note };
}
