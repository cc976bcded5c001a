import { inView } from '@waybill/custom-fields';
import { type Handlers, itemsAnswer, type Lock, rawJson, withWarnings } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { createOrderValues } from '../custom-fields/values.ts';
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
  const values = createOrderValues(context);
  return {
    async listCustomers({ principal, storeId, query }) {
      const view = await values.viewOf(principal, storeId, 'customer');
      return itemsAnswer('customers', inView(view, await listCustomers(db, storeId, query)));
    },
    async createCustomer({ principal, storeId, body, once }) {
      await once.begin(body);
      const change = await values.read(storeId, principal, 'customer', body.customFields, true);
      return createCustomer(storeId, body, change, once);
    },
    async getCustomer({ principal, storeId, params }) {
      const view = await values.viewOf(principal, storeId, 'customer');
      const json = await findCustomerEnvelope(db, storeId, params.id);
      if (!json) throw errors.not_found();
      return rawJson(view.envelope(json));
    },
    async replaceCustomer({ principal, storeId, params, body, once }) {
      await once.begin(body);
      const change = await values.read(storeId, principal, 'customer', body.customFields);
      const view = await values.viewOf(principal, storeId, 'customer');
      return once.commit(async () =>
        rawJson(
          withWarnings(
            view.envelope(await replaceCustomer(transaction, storeId, params.id, body, change)),
            change.warnings,
          ),
        ),
      );
    },
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
