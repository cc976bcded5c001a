import Type, { type Static } from 'typebox';
import { OrderUnits } from './fulfillments.ts';
import { idPattern } from './ids.ts';
import { Timestamp } from './resources.ts';

export const returnKinds = ['return', 'withdrawal'] as const;
export const returnStates = ['requested', 'approved', 'declined', 'received', 'closed'] as const;
export type ReturnState = (typeof returnStates)[number];

export const ReturnLine = Type.Object({
  ...OrderUnits.properties,
  reason: Type.Union([Type.String(), Type.Null()], { examples: ['Too small'] }),
});
export type ReturnLine = Static<typeof ReturnLine>;

/** A return of goods by a customer: `decisions.md 23.3`. */
export const Return = Type.Object(
  {
    id: Type.String({ pattern: idPattern('return') }),
    orderId: Type.String({ pattern: idPattern('order') }),
    kind: Type.Enum([...returnKinds], {
      description: '`withdrawal`: the customer withdraws from the contract, as the law allows.',
    }),
    lines: Type.Array(ReturnLine),
    state: Type.Enum([...returnStates]),
    note: Type.Union([Type.String(), Type.Null()], {
      description: 'The messages that the customer and the store exchange about the return.',
      examples: ['Please send it back within two weeks.'],
    }),
    refundId: Type.Union([Type.String({ pattern: idPattern('refund') }), Type.Null()], {
      description: 'The refund of its lines; null until refunded.',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Return' },
);
export type Return = Static<typeof Return>;
