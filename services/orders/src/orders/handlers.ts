import type { Principal } from '@waybill/contracts';
import { applyView } from '@waybill/custom-fields';
import { type Handlers, itemsAnswer, type Lock, rawJson, withWarnings } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Context } from '../config.ts';
import { createOrderValues } from '../custom-fields/values.ts';
import { errors } from '../errors.ts';
import { createRefundAssertion } from '../refunding/limit.ts';
import type { Tables } from '../tables.ts';
import { changeOrder, setCustomFields, setPaymentLink } from './orders.ts';
import { findOrderEnvelope, listOrders, lockOrder, searchOrders } from './queries.ts';
import type { routes } from './routes.ts';

export const lock =
  (): Lock =>
  ({ storeId, params }, { trx }) =>
    lockOrder(trx, storeId, params.id!);

export function handlers(context: Context): Handlers<typeof routes, Tables> {
  const { db: pool } = context;
  const values = createOrderValues(context);
  const createView = (principal: Principal, storeId: string, db?: Kysely<Tables>) =>
    values.createView(principal, storeId, 'order', db);
  return {
    async listOrders({ principal, storeId, query }) {
      const view = await createView(principal, storeId);
      return itemsAnswer('orders', applyView(view, await listOrders(pool, storeId, query)));
    },
    async createOrder() {
      throw errors.orders_are_read_only({ headers: { allow: 'GET, HEAD' } });
    },
    async getOrder({ principal, storeId, params, db }) {
      const view = await createView(principal, storeId, db);
      const json = await findOrderEnvelope(db, storeId, params.id);
      if (!json) throw errors.not_found();
      return rawJson(view.envelope(json));
    },
    searchOrders: ({ body }) => searchOrders(pool, body.storeId, body.q),
    async changeOrder({ principal, storeId, params, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const view = await createView(principal, storeId);
      const assertAllowed =
        body.payment === 'refunded' ? await createRefundAssertion(context, principal, storeId) : () => {};
      return idempotentWrite.commit(async (write) =>
        rawJson(view.envelope(await changeOrder(write, storeId, params.id, body, assertAllowed))),
      );
    },
    setPaymentLink: {
      async write({ principal, storeId, params, body }, write) {
        const view = await createView(principal, storeId, write.trx);
        return rawJson(view.envelope(await setPaymentLink(write, storeId, params.id, body.url)));
      },
    },
    async setOrderCustomFields({ principal, storeId, params, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const change = await values.readValues(storeId, principal, 'order', body.customFields);
      const view = await createView(principal, storeId);
      return idempotentWrite.commit(async (write) => {
        const envelope = await setCustomFields(write, storeId, params.id, change);
        return rawJson(withWarnings(view.envelope(envelope), change.warnings));
      });
    },
  };
}
