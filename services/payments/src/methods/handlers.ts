import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { changeMethod, createMethod, deleteMethod, listChoices, toMethod } from './methods.ts';
import { findMethod, listMethods } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listPaymentMethods({ storeId, query }) {
    const { rows, ...list } = await listMethods(context.db, storeId, query);
    return { paymentMethods: rows.map((row) => toMethod(context, row)), ...list };
  },
  createPaymentMethod: ({ storeId, body, idempotentWrite }) =>
    createMethod(context, storeId, body, idempotentWrite),
  async getPaymentMethod({ storeId, params, db }) {
    const row = await findMethod(db, storeId, params.methodId);
    if (!row) throw errors.not_found();
    return { paymentMethod: toMethod(context, row) };
  },
  changePaymentMethod: ({ storeId, params, body, idempotentWrite }) =>
    changeMethod(context, storeId, params.methodId, body, idempotentWrite),
  deletePaymentMethod: {
    write: ({ storeId, params }, write) => deleteMethod(context, write, storeId, params.methodId),
  },
  async listPaymentChoices({ params, query }) {
    return { paymentMethods: await listChoices(context, params.storeId, query) };
  },
});
