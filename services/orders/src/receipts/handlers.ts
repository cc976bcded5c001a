import type { MailedReceipt } from '@waybill/contracts';
import { type Handlers, rawJson } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { findMailedReceipt, findReceipt } from './queries.ts';
import { isSecret, readToken, tokenOf } from './receipts.ts';
import type { routes } from './routes.ts';

export const handlers = ({ db }: Context): Handlers<typeof routes> => {
  async function receiptJson(storeId: string, token: string, withAddress: boolean): Promise<string> {
    const asked = readToken(token);
    const found = asked && (await findReceipt(db, storeId, asked.orderId, { withAddress }));
    if (!found || !isSecret(found.secret, asked.secret)) throw errors.not_found();
    return found.json;
  }

  return {
    getReceipt: async ({ params: { storeId, token } }) => rawJson(await receiptJson(storeId, token, false)),
    readReceipt: async ({ body: { storeId, token } }) => rawJson(await receiptJson(storeId, token, true)),
    async receiptOfOrder({ body: { storeId, orderId } }) {
      const found = await findMailedReceipt(db, storeId, orderId);
      if (!found) throw errors.not_found();
      const { secret, receipt, name, email } = found;
      return {
        order: receipt as MailedReceipt['order'],
        token: secret === null ? null : tokenOf(orderId, secret),
        customer: { name, email },
      };
    },
  };
};
