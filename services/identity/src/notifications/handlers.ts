import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { listNotifications, upsertNotification } from './queries.ts';
import type { routes } from './routes.ts';

const mostStores = 100;

export const handlers = ({ db }: Context): Handlers<typeof routes> => ({
  getNotifications: async ({ principal: { userId } }) => ({
    notifications: await listNotifications(db, userId, mostStores),
  }),
  async changeNotifications({ principal: { userId }, body }) {
    const notification = { storeId: body.storeId, orderCreated: body.orderCreated };
    if (!(await upsertNotification(db, userId, notification))) throw errors.not_found();
    return { notification };
  },
});
