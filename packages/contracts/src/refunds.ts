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
  restock: Type.Boolean({ description: 'Whether the units return to stock.', examples: [true] }),
  amountCents: cents('The price paid for the units, including tax.', 1780),
  taxCents: cents('The tax included in that amount.', 284),
});
export type RefundLine = Static<typeof RefundLine>;

/** A refund of money: `decisions.md 23.2`. */
export const Refund = Type.Object(
  {
    id: Type.String({ pattern: idPattern('refund') }),
    orderId: Type.String({ pattern: idPattern('order') }),
    amountCents: cents('The refunded amount, including tax.', 1780),
    taxCents: cents('The tax included in that amount.', 284),
    shippingCents: cents('The refunded part of the order’s `shippingCents`.', 0),
    lines: Type.Array(RefundLine, {
      description: 'The refunded lines at the price paid for them, even if another amount was refunded.',
    }),
    reason: Type.Union([Type.String(), Type.Null()], { examples: ['Arrived broken'] }),
    state: Type.Enum([...refundStates], {
      description: '`pending`: the provider has not answered yet. `failed`: no money moved.',
    }),
    createdAt: Timestamp,
  },
  { $id: 'Refund' },
);
export type Refund = Static<typeof Refund>;
