import { type Handlers, itemsAnswer, rawJson } from '@waybill/kernel';
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

export function handlers(context: Context): Handlers<typeof routes> {
  const { db, transaction } = context;
  const createCustomer = customerCreation(context);
  const lock = ({ storeId, params }: { storeId: string; params: { id: string } }) =>
    transaction((trx) => lockCustomer(trx, storeId, params.id));
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
    replaceCustomer: {
      lock,
      handle: async ({ storeId, params, body }) =>
        rawJson(await replaceCustomer(transaction, storeId, params.id, body)),
    },
    searchCustomers: ({ body }) => searchCustomers(db, body.storeId, body.q),
    deleteCustomer: {
      lock,
      handle: ({ storeId, params }) => deleteCustomer(transaction, storeId, params.id),
    },
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
