import { idPattern, Timestamp } from '@waybill/contracts';
import { defineRoutes, instantFilter, nullable, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const intervals = ['day', 'week', 'month'] as const;

const period = {
  from: instantFilter('Included; 30 days before `to` unless given.'),
  to: instantFilter('Not included; now unless given.'),
};

export const SalesQuery = Type.Object({
  ...period,
  interval: Type.Enum([...intervals], { default: 'day' }),
  timeZone: Type.String({ default: 'UTC', description: 'Where days begin: a name of the IANA database.' }),
});
export type SalesQuery = Static<typeof SalesQuery>;

export const TopProductsQuery = Type.Object({ ...period, limit: paging.limit });
export type TopProductsQuery = Static<typeof TopProductsQuery>;

const cents = Type.Integer({ description: 'In minor units of the store’s currency.' });

export const Sales = Type.Object({
  sales: Type.Array(
    Type.Object({
      start: Timestamp,
      orders: Type.Integer({ minimum: 0 }),
      totalCents: cents,
      paidCents: Type.Integer({ description: 'What was captured in the interval, whenever it was ordered.' }),
      refundedCents: Type.Integer({ description: 'What was given back in the interval, likewise.' }),
    }),
  ),
  currency: Type.String({ description: 'ISO 4217.' }),
});
export type Sales = Static<typeof Sales>;

export const PaymentsQuery = Type.Object({ ...period, timeZone: SalesQuery.properties.timeZone });
export type PaymentsQuery = Static<typeof PaymentsQuery>;

export const PaymentsReport = Type.Object({
  payments: Type.Array(
    Type.Object({
      start: Timestamp,
      methodId: nullable(
        Type.String({ pattern: idPattern('paymentMethod'), description: 'Null: recorded by hand.' }),
      ),
      name: nullable(Type.String({ description: 'Of the method, as it was chosen last.' })),
      capturedCents: cents,
      refundedCents: cents,
      disputedCents: cents,
    }),
  ),
  currency: Type.String({ description: 'ISO 4217.' }),
});
export type PaymentsReport = Static<typeof PaymentsReport>;

export const TopProducts = Type.Object({
  products: Type.Array(
    Type.Object({
      productId: Type.String(),
      name: Type.String({ description: 'As it was when it was last sold.' }),
      quantity: Type.Integer(),
      totalCents: cents,
    }),
  ),
});
export type TopProducts = Static<typeof TopProducts>;

const access = { member: 'orders.read' } as const;
const ids = { storeId: 'store' } as const;
const counted = 'Cancelled orders do not count, nor do those in another currency than the store’s.';

/** Routes of reports: `decisions.md 10.2`. */
export const routes = defineRoutes({
  reportSales: {
    method: 'GET',
    path: '/api/stores/{storeId}/reports/sales',
    access,
    summary: 'Report sales by day, week or month',
    description:
      'Orders count in the interval in which they were placed, money in the one in which it moved, that of cancelled ' +
      `orders too. ${counted} Intervals without an order are there as well, 400 at most; weeks begin on Monday. The first and the ` +
      'last hold what is of them between `from` and `to`.',
    ids,
    query: SalesQuery,
    answer: [200, Sales],
    errors: [errors.invalid_body],
  },
  reportPayments: {
    method: 'GET',
    path: '/api/stores/{storeId}/reports/payments',
    access,
    summary: 'Report captured and refunded payments by day and method',
    description:
      'On the day on which the money moved. Days without movement are left out, as are payments in another currency than ' +
      'the store’s.',
    ids,
    query: PaymentsQuery,
    answer: [200, PaymentsReport],
    errors: [errors.invalid_body],
  },
  reportTopProducts: {
    method: 'GET',
    path: '/api/stores/{storeId}/reports/top-products',
    access,
    summary: 'Report the best-selling products',
    description: counted,
    ids,
    query: TopProductsQuery,
    answer: [200, TopProducts],
    errors: [errors.invalid_body],
  },
});
