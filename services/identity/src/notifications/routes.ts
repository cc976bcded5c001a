import { errors, idPattern } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';

const Notification = Type.Object(
  {
    storeId: Type.String({ pattern: idPattern('store') }),
    orderCreated: Type.Boolean({
      description: 'Whether you receive a mail for each new order of the store.',
    }),
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
      'For the first 100 stores by ID where you are a member, or for one store. Owners receive order mails ' +
      'unless they turn them off.',
    query: Type.Object({
      storeId: Type.Optional(Type.String({ maxLength: 40, description: 'Only for this store.' })),
    }),
    answer: [200, Type.Object({ notifications: Type.Array(Notification) })],
  },
  changeNotifications: {
    method: 'PATCH',
    path: '/api/me/notifications',
    access: 'user',
    summary: 'Choose which mails you get from a store',
    description: 'Mails go to your address once it is verified; at most 60 order mails an hour.',
    body: NotificationInput,
    answer: [200, Type.Object({ notification: Notification })],
    errors: [errors.not_found],
  },
});
