import { type Handlers, itemsAnswer, type Lock, rawJson } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { changeDiscount, createCodes, createDiscount, deleteDiscount, withdrawCode } from './discounts.ts';
import { findDiscountEnvelope, listCodes, listDiscounts, lockDiscount } from './queries.ts';
import type { routes } from './routes.ts';

export const lock =
  ({ transaction }: Context): Lock =>
  ({ storeId, params }) =>
    transaction((trx) => lockDiscount(trx, storeId, params.id!));

export const handlers = ({ db, transaction }: Context): Handlers<typeof routes> => ({
  listDiscounts: async ({ storeId, query }) =>
    itemsAnswer('discounts', await listDiscounts(db, storeId, query)),
  createDiscount: async ({ storeId, body }) => rawJson(await createDiscount(transaction, storeId, body)),
  async getDiscount({ storeId, params }) {
    const json = await findDiscountEnvelope(db, storeId, params.id);
    if (!json) throw errors.not_found();
    return rawJson(json);
  },
  changeDiscount: async ({ storeId, params, body }) =>
    rawJson(await changeDiscount(transaction, storeId, params.id, body)),
  deleteDiscount: ({ storeId, params }) => deleteDiscount(transaction, storeId, params.id),
  createDiscountCodes: async ({ storeId, params, body }) => ({
    codes: await createCodes(transaction, storeId, params.id, body),
  }),
  async listDiscountCodes({ storeId, params, query }) {
    if (!(await findDiscountEnvelope(db, storeId, params.id))) throw errors.not_found();
    return itemsAnswer('codes', await listCodes(db, storeId, params.id, query));
  },
  withdrawDiscountCode: ({ storeId, params }) => withdrawCode(transaction, storeId, params.id, params.code),
});
