import { errors, idPattern } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

const Notification = Type.Object(
  {
    storeId: Type.String({ pattern: idPattern('store') }),
    orderCreated: Type.Boolean({ description: 'Whether each new order of the store is mailed to you.' }),
  },
  { $id: 'Notification' },
);
/**
 * The same schema under its own name: `?fields=` makes the fields of answers optional, but those of bodies must stay
 * required.
 */
const NotificationInput = Type.Object(Notification.properties, { $id: 'NotificationInput' });

/** Routes of notifications: `decisions.md 17.4`. */
export const routes = defineRoutes({
  getNotifications: {
    method: 'GET',
    path: '/api/me/notifications',
    access: 'user',
    summary: 'Read which mails you get from a store',
    description:
      'In the stores where you are a member, the first 100 by their ids, or in one alone. Owners are told of orders ' +
      'unless they say otherwise.',
    query: Type.Object({
      storeId: Type.Optional(Type.String({ maxLength: 40, description: 'Of this store only.' })),
    }),
    answer: [200, Type.Object({ notifications: Type.Array(Notification) })],
  },
  changeNotifications: {
    method: 'PATCH',
    path: '/api/me/notifications',
    access: 'user',
    summary: 'Choose which mails you get from a store',
    description: 'Mails go to your address once it is verified, 60 of orders an hour at most.',
    body: NotificationInput,
    answer: [200, Type.Object({ notification: Notification })],
    errors: [errors.not_found],
  },
});
