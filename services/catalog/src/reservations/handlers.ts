import type { Handlers, ServiceContext } from '@waybill/kernel';
import type { Tables } from '../tables.ts';
import { createReserveStock, releaseStock } from './reservations.ts';
import type { routes } from './routes.ts';

export function handlers(context: ServiceContext<object, Tables>): Handlers<typeof routes, Tables> {
  const reserve = createReserveStock(context);
  return {
    reserveStock: ({ body }) => reserve(body),
    releaseStock: { write: ({ body }, { trx }) => releaseStock(trx, body) },
  };
}
