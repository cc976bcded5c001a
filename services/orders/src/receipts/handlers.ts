import type { MailedReceipt } from '@waybill/contracts';
import { type Handlers, rawJson } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { findReceipt, listMailedReceipts } from './queries.ts';
import { giveToken, isSecret, readToken } from './receipts.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => {
  const { db } = context;

  async function receiptJson(storeId: string, token: string, withAddress: boolean): Promise<string> {
    const asked = readToken(token);
    const found = asked && (await findReceipt(db, storeId, asked.orderId, { withAddress }));
    if (!found || !isSecret(found, asked.secret))
      throw errors.not_found({ message: 'There is no such order here.' });
    return found.json;
  }

  async function mailedReceipts(
    orders: readonly { storeId: string; orderId: string }[],
  ): Promise<(MailedReceipt | null)[]> {
    const found = await listMailedReceipts(db, orders);
    return Promise.all(
      found.map(async (row, i) => {
        if (!row) return null;
        const { id, receipt, name, email } = row;
        const token = await giveToken(context, orders[i]!.storeId, id, row);
        return { order: receipt as MailedReceipt['order'], token, customer: { name, email } };
      }),
    );
  }

  return {
    getReceipt: async ({ params: { storeId, token } }) => rawJson(await receiptJson(storeId, token, false)),
    readReceipt: async ({ body: { storeId, token } }) => rawJson(await receiptJson(storeId, token, true)),
    async receiptOfOrder({ body }) {
      const [receipt] = await mailedReceipts([body]);
      if (!receipt) throw errors.not_found();
      return receipt;
    },
    receiptsOfOrders: async ({ body }) => ({ receipts: await mailedReceipts(body.orders) }),
  };
};
