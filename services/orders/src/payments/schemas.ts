import { idPattern, moneyStates } from '@waybill/contracts';
import { nullable } from '@waybill/kernel';
import Type, { type Static } from 'typebox';

/** An order's payment as its shopper sees it. */
export const CheckoutPayment = Type.Object(
  {
    id: Type.String({ pattern: idPattern('payment') }),
    status: Type.Enum([...moneyStates]),
    redirectUrl: nullable(
      Type.String({
        description:
          'The URL where the shopper pays; null if nothing is to be paid at a provider, or the URL is not yet ' +
          'known.',
        examples: ['https://checkout.stripe.com/c/pay/cs_test_a1'],
      }),
    ),
  },
  { $id: 'CheckoutPayment' },
);
export type CheckoutPayment = Static<typeof CheckoutPayment>;
