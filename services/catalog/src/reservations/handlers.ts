import type { Handlers, ServiceContext } from '@waybill/kernel';
import type { Tables } from '../tables.ts';
import { reserve } from './reservations.ts';
import type { routes } from './routes.ts';

export const handlers = ({ transaction }: ServiceContext<object, Tables>): Handlers<typeof routes> => ({
  reserveStock: ({ body }) => reserve(transaction, body),
});
