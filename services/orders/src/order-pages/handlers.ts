import { ApiError } from '@waybill/contracts';
import { enforceRateLimit, getNetwork, type Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { toFulfillment } from '../dispatch/dispatch.ts';
import { listAllFulfillments } from '../dispatch/queries.ts';
import { toDocument } from '../documents/documents.ts';
import { listDocuments } from '../documents/queries.ts';
import { findOrderId } from '../receipts/receipts.ts';
import { listReturns } from '../returns/queries.ts';
import { findReturnable, requestReturn, toReturn } from '../returns/returns.ts';
import type { routes } from './routes.ts';

/** Maximum number of each kind that the page of an order shows, newest first. */
const most = { limit: 50 };

export function handlers(context: Context): Handlers<typeof routes> {
  const { db, cache, config } = context;
  return {
    async readOrderPage({ body: { storeId, token } }) {
      const orderId = await findOrderId(db, storeId, token);
      const [fulfillments, documents, returns, returnable] = await Promise.all([
        listAllFulfillments(db, storeId, orderId),
        listDocuments(db, storeId, orderId, most),
        listReturns(db, storeId, orderId, most),
        findReturnable(context, storeId, orderId),
      ]);
      return {
        fulfillments: fulfillments.map(toFulfillment).filter(({ status }) => status !== 'cancelled'),
        documents: await Promise.all(documents.rows.map((row) => toDocument(context, row))),
        returns: returns.rows.map(toReturn),
        returnable,
      };
    },
    async returnFromPage({ body: { storeId, token, kind, lines, address } }) {
      try {
        await enforceRateLimit(cache, `returns:${getNetwork(address)}`, config.checkoutLimit);
        const orderId = await findOrderId(db, storeId, token);
        await requestReturn(context, storeId, orderId, { kind, lines });
        return { refusal: null };
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500 || error.status === 404) throw error;
        return { refusal: error.code };
      }
    },
  };
}
