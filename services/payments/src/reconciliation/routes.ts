import { idPattern, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const cents = (description: string) => Type.Integer({ description, examples: [1780] });

export const Reconciliation = Type.Object(
  {
    differences: Type.Array(
      Type.Object({
        paymentId: Type.String({ pattern: idPattern('payment') }),
        reference: nullable(Type.String({ examples: ['pi_3MtwBwLkdIwHu7ix28a3tqPa'] })),
        hereCents: cents('The amount recorded here: captured less refunded.'),
        thereCents: cents('The amount reported by the provider.'),
        checkedAt: Timestamp,
      }),
    ),
    checkedAt: Timestamp,
  },
  { $id: 'PaymentReconciliation' },
);
export type Reconciliation = Static<typeof Reconciliation>;

/** Routes of reconciliation: `decisions.md 22.7`. */
export const routes = defineRoutes({
  getReconciliation: {
    method: 'GET',
    path: '/api/stores/{storeId}/payment-reconciliation',
    access: { member: 'orders.read' },
    summary: 'Compare payments with the lists of their providers',
    description:
      'The last 30 days that differ, in net amounts. Compared again if the last comparison is more than a ' +
      'minute old. Changes nothing by itself.',
    ids: { storeId: 'store' },
    isItem: false,
    answer: [200, Reconciliation],
    errors: [errors.resource_unavailable],
  },
});
