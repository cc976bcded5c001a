import { idPattern, Timestamp } from '@waybill/contracts';
import { defineRoutes, instantFilter, nullable, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const intervals = ['day', 'week', 'month'] as const;

const period = {
  from: instantFilter('Inclusive; 30 days before `to` by default.'),
  to: instantFilter('Exclusive; now by default.'),
};

export const SalesQuery = Type.Object({
  ...period,
  interval: Type.Enum([...intervals], { default: 'day' }),
  timeZone: Type.String({
    default: 'UTC',
    description: 'The time zone that defines days, by its IANA name.',
  }),
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
      paidCents: Type.Integer({
        description: 'The amount captured in the interval, regardless of the time of the order.',
      }),
      refundedCents: Type.Integer({
        description: 'The amount refunded in the interval, regardless of the time of the order.',
      }),
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
        Type.String({ pattern: idPattern('paymentMethod'), description: 'Null if recorded by hand.' }),
      ),
      name: nullable(Type.String({ description: 'The method’s name when it was last chosen.' })),
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
      name: Type.String({ description: 'The product’s name when it was last sold.' }),
      quantity: Type.Integer(),
      totalCents: cents,
    }),
  ),
});
export type TopProducts = Static<typeof TopProducts>;

const access = { member: 'orders.read' } as const;
const ids = { storeId: 'store' } as const;
const counted = 'Excludes cancelled orders, and orders in currencies other than the store’s.';

/** Routes of reports: `decisions.md 10.2`. */
export const routes = defineRoutes({
  reportSales: {
    method: 'GET',
    path: '/api/stores/{storeId}/reports/sales',
    access,
    summary: 'Report sales by day, week or month',
    description:
      'Orders count in the interval in which they were placed; money counts in the interval in which it moved, ' +
      `including that of cancelled orders. ${counted} Includes intervals without orders, at most 400 ` +
      'intervals; weeks start on Monday. The first and the last interval cover only the time between `from` ' +
      'and `to`.',
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
      'By the day on which the money moved. Excludes days without movement, and payments in currencies other ' +
      'than the store’s.',
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
