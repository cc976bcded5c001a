import { type Handlers, itemsAnswer, type Lock, rawJson } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { changeDiscount, createCodes, createDiscount, deleteDiscount, withdrawCode } from './discounts.ts';
import { findDiscountEnvelope, listCodes, listDiscounts, lockDiscount } from './queries.ts';
import type { routes } from './routes.ts';

export const lock =
  (): Lock =>
  ({ storeId, params }, { trx }) =>
    lockDiscount(trx, storeId, params.id!);

export const handlers = ({ db: pool }: Context): Handlers<typeof routes, Tables> => ({
  listDiscounts: async ({ storeId, query }) =>
    itemsAnswer('discounts', await listDiscounts(pool, storeId, query)),
  createDiscount: {
    write: async ({ storeId, body }, write) => rawJson(await createDiscount(write, storeId, body)),
  },
  async getDiscount({ storeId, params, db }) {
    const json = await findDiscountEnvelope(db, storeId, params.id);
    if (!json) throw errors.not_found();
    return rawJson(json);
  },
  changeDiscount: {
    write: async ({ storeId, params, body }, write) =>
      rawJson(await changeDiscount(write, storeId, params.id, body)),
  },
  deleteDiscount: { write: ({ storeId, params }, write) => deleteDiscount(write, storeId, params.id) },
  createDiscountCodes: {
    write: async ({ storeId, params, body }, write) => ({
      codes: await createCodes(write, storeId, params.id, body),
    }),
  },
  async listDiscountCodes({ storeId, params, query }) {
    if (!(await findDiscountEnvelope(pool, storeId, params.id))) throw errors.not_found();
    return itemsAnswer('codes', await listCodes(pool, storeId, params.id, query));
  },
  withdrawDiscountCode: {
    write: ({ storeId, params }, write) => withdrawCode(write, storeId, params.id, params.code),
  },
});
