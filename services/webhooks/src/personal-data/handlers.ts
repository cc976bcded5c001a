import type { Handlers } from '@waybill/kernel';
import type { Context } from '../context.ts';
import { listCustomerEvents } from './queries.ts';
import type { routes } from './routes.ts';

export const handlers = ({ db }: Context): Handlers<typeof routes> => ({
  listCustomerEvents: ({ body: { storeId, after, customerId, orderIds = [] } }) =>
    listCustomerEvents(db, storeId, { customerId, orderIds }, after),
});
