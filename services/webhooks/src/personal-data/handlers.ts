import type { Handlers } from '@waybill/kernel';
import type { Context } from '../context.ts';
import { listEventsOf } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = ({ db }: Context): Handlers<typeof routes> => ({
  listCustomerEvents: ({ body: { storeId, after, customerId, orderIds = [] } }) =>
    listEventsOf(db, storeId, { customerId, orderIds }, after),
});
