import type { Principal } from '@waybill/contracts';
import { inView } from '@waybill/custom-fields';
import { type Handlers, itemsAnswer, type Lock, rawJson, withWarnings } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { createOrderValues } from '../custom-fields/values.ts';
import { errors } from '../errors.ts';
import { refundJudge } from '../refunding/limit.ts';
import { changeOrder, setCustomFields, setPaymentLink } from './orders.ts';
import { findOrderEnvelope, listOrders, lockOrder, searchOrders } from './queries.ts';
import type { routes } from './routes.ts';

export const lock =
  ({ transaction }: Context): Lock =>
  ({ storeId, params }) =>
    transaction((trx) => lockOrder(trx, storeId, params.id!));

export function handlers(context: Context): Handlers<typeof routes> {
  const { db, transaction } = context;
  const values = createOrderValues(context);
  const viewOf = (principal: Principal, storeId: string) => values.viewOf(principal, storeId, 'order');
  return {
    async listOrders({ principal, storeId, query }) {
      const view = await viewOf(principal, storeId);
      return itemsAnswer('orders', inView(view, await listOrders(db, storeId, query)));
    },
    async createOrder() {
      throw errors.orders_are_read_only({ headers: { allow: 'GET, HEAD' } });
    },
    async getOrder({ principal, storeId, params }) {
      const view = await viewOf(principal, storeId);
      const json = await findOrderEnvelope(db, storeId, params.id);
      if (!json) throw errors.not_found();
      return rawJson(view.envelope(json));
    },
    searchOrders: ({ body }) => searchOrders(db, body.storeId, body.q),
    async changeOrder({ principal, storeId, params, body, once }) {
      await once.begin(body);
      const view = await viewOf(principal, storeId);
      const judge = body.payment === 'refunded' ? await refundJudge(context, principal, storeId) : () => {};
      return once.commit(async () =>
        rawJson(view.envelope(await changeOrder(transaction, storeId, params.id, body, judge))),
      );
    },
    async setPaymentLink({ principal, storeId, params, body }) {
      const view = await viewOf(principal, storeId);
      return rawJson(view.envelope(await setPaymentLink(transaction, storeId, params.id, body.url)));
    },
    async setOrderCustomFields({ principal, storeId, params, body, once }) {
      await once.begin(body);
      const change = await values.read(storeId, principal, 'order', body.customFields);
      const view = await viewOf(principal, storeId);
      return once.commit(async () =>
        rawJson(
          withWarnings(
            view.envelope(await setCustomFields(transaction, storeId, params.id, change)),
            change.warnings,
          ),
        ),
      );
    },
  };
}
