import { type Handlers, rawJson } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { findReceipt } from './queries.ts';
import { isSecret, readToken } from './receipts.ts';
import type { routes } from './routes.ts';

export const handlers = ({ db }: Context): Handlers<typeof routes> => ({
  async getReceipt({ params: { storeId, token } }) {
    const asked = readToken(token);
    const found = asked && (await findReceipt(db, storeId, asked.orderId));
    if (!found || !isSecret(found.secret, asked.secret)) throw errors.not_found();
    return rawJson(found.json);
  },
});
