import { type Handlers, itemsAnswer, type Lock, rawJson } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { refundJudge } from '../refunding/limit.ts';
import { changeOrder, setPaymentLink } from './orders.ts';
import { findOrderEnvelope, listOrders, lockOrder, searchOrders } from './queries.ts';
import type { routes } from './routes.ts';

export const lock =
  ({ transaction }: Context): Lock =>
  ({ storeId, params }) =>
    transaction((trx) => lockOrder(trx, storeId, params.id!));

export const handlers = (context: Context): Handlers<typeof routes> => {
  const { db, transaction } = context;
  return {
    listOrders: async ({ storeId, query }) => itemsAnswer('orders', await listOrders(db, storeId, query)),
    async createOrder() {
      throw errors.orders_are_read_only({ headers: { allow: 'GET, HEAD' } });
    },
    async getOrder({ storeId, params }) {
      const json = await findOrderEnvelope(db, storeId, params.id);
      if (!json) throw errors.not_found();
      return rawJson(json);
    },
    searchOrders: ({ body }) => searchOrders(db, body.storeId, body.q),
    async changeOrder({ principal, storeId, params, body, once }) {
      await once.begin(body);
      const judge = body.payment === 'refunded' ? await refundJudge(context, principal, storeId) : () => {};
      return once.commit(async () =>
        rawJson(await changeOrder(transaction, storeId, params.id, body, judge)),
      );
    },
    setPaymentLink: async ({ storeId, params, body }) =>
      rawJson(await setPaymentLink(transaction, storeId, params.id, body.url)),
  };
};
