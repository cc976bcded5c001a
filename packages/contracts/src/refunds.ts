import Type, { type Static } from 'typebox';
import { OrderUnits } from './fulfillments.ts';
import { idPattern } from './ids.ts';
import { Timestamp } from './resources.ts';

export const refundStates = ['pending', 'done', 'failed'] as const;
export type RefundState = (typeof refundStates)[number];

const cents = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

export const RefundLine = Type.Object({
  ...OrderUnits.properties,
  restock: Type.Boolean({ description: 'Whether the units go back on stock.', examples: [true] }),
  amountCents: cents('What was paid for the units, their tax included.', 1780),
  taxCents: cents('The tax in that.', 284),
});
export type RefundLine = Static<typeof RefundLine>;

/** A refund of money: `decisions.md 23.2`. */
export const Refund = Type.Object(
  {
    id: Type.String({ pattern: idPattern('refund') }),
    orderId: Type.String({ pattern: idPattern('order') }),
    amountCents: cents('What goes back, tax included.', 1780),
    taxCents: cents('The tax in that.', 284),
    shippingCents: cents('What of the order’s `shippingCents` goes back.', 0),
    lines: Type.Array(RefundLine, { description: 'At what was paid for them, whatever sum replaced that.' }),
    reason: Type.Union([Type.String(), Type.Null()], { examples: ['Arrived broken'] }),
    state: Type.Enum([...refundStates], {
      description: '`pending`: the provider has not answered yet. `failed`: no money moved.',
    }),
    createdAt: Timestamp,
  },
  { $id: 'Refund' },
);
export type Refund = Static<typeof Refund>;
