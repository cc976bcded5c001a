import type { Handlers } from '@waybill/kernel';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { findNotification, listNotifications, upsertNotification } from './queries.ts';
import type { routes } from './routes.ts';

const maxStores = 100;

export const handlers = (): Handlers<typeof routes, Tables> => ({
  async getNotifications({ principal: { userId }, query: { storeId }, db }) {
    if (storeId === undefined) return { notifications: await listNotifications(db, userId, maxStores) };
    const notification = await findNotification(db, userId, storeId);
    return { notifications: notification ? [notification] : [] };
  },
  changeNotifications: {
    async write({ principal: { userId }, body }, { trx }) {
      const notification = { storeId: body.storeId, orderCreated: body.orderCreated };
      if (!(await upsertNotification(trx, userId, notification))) throw errors.not_found();
      return { notification };
    },
  },
});
