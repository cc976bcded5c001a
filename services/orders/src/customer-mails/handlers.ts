import type { MailedOrder, MailedPart } from '@waybill/contracts';
import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { toFulfillment } from '../dispatch/dispatch.ts';
import { findFulfillment } from '../dispatch/queries.ts';
import { toDocument } from '../documents/documents.ts';
import { findDocument, findLogo, findSettings } from '../documents/queries.ts';
import { isCustomerMailed } from '../mailed-changes/mailed-changes.ts';
import { findRefund } from '../refunding/queries.ts';
import { toRefund } from '../refunding/refunding.ts';
import { findReturn } from '../returns/queries.ts';
import { toReturn } from '../returns/returns.ts';
import { ensureToken } from '../tokens/tokens.ts';
import { listMailedOrders } from './queries.ts';
import type { routes } from './routes.ts';

/**
 * Finds the part of an order that a mail is about, and whether the customer wants to be told. Returns null if the part
 * does not exist.
 */
async function findPart(
  context: Context,
  storeId: string,
  orderId: string,
  part: MailedPart,
): Promise<Pick<MailedOrder, 'part' | 'notifies'> | null> {
  const { db } = context;
  switch (part?.kind) {
    case undefined:
      return { part: null, notifies: true };
    case 'fulfillment': {
      const row = await findFulfillment(db, storeId, orderId, part!.id);
      return row ? { part: toFulfillment(row), notifies: isCustomerMailed(row, part!.at) } : null;
    }
    case 'refund': {
      const row = await findRefund(db, storeId, orderId, part!.id);
      const refund = row && toRefund(row);
      return refund ? { part: refund, notifies: row.notifies && refund.state !== 'failed' } : null;
    }
    case 'return': {
      const row = await findReturn(db, storeId, orderId, part!.id);
      return row ? { part: toReturn(row), notifies: isCustomerMailed(row, part!.at) } : null;
    }
    case 'document': {
      const row = await findDocument(db, storeId, orderId, part!.id);
      return row ? { part: await toDocument(context, row), notifies: true } : null;
    }
    default:
      return null;
  }
}

export const handlers = (context: Context): Handlers<typeof routes> => {
  const { db } = context;
  return {
    async listMailedOrders({ body: { orders } }) {
      const found = await listMailedOrders(db, orders);
      const mailed = found.map(async (row, i): Promise<MailedOrder | null> => {
        const { storeId, orderId, part } = orders[i]!;
        const about = row && (await findPart(context, storeId, orderId, part as MailedPart));
        if (!row || !about) return null;
        return {
          order: JSON.parse(row.order),
          token: await ensureToken(context, 'order', storeId, orderId, row),
          ...about,
          isPaidAtProvider: row.isPaidAtProvider,
        };
      });
      return { orders: await Promise.all(mailed) };
    },
    async getBranding({ body: { storeId } }) {
      const { logoHash = null } = (await findSettings(db, storeId)) ?? {};
      const logo = logoHash && (await findLogo(db, storeId, logoHash));
      return { logo: logo ? logo.toString('base64') : null };
    },
  };
};
