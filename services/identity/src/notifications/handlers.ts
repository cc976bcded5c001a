import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { findNotification, listNotifications, upsertNotification } from './queries.ts';
import type { routes } from './routes.ts';

const mostStores = 100;

export const handlers = ({ db }: Context): Handlers<typeof routes> => ({
  async getNotifications({ principal: { userId }, query: { storeId } }) {
    if (storeId === undefined) return { notifications: await listNotifications(db, userId, mostStores) };
    const notification = await findNotification(db, userId, storeId);
    return { notifications: notification ? [notification] : [] };
  },
  async changeNotifications({ principal: { userId }, body }) {
    const notification = { storeId: body.storeId, orderCreated: body.orderCreated };
    if (!(await upsertNotification(db, userId, notification))) throw errors.not_found();
    return { notification };
  },
});
