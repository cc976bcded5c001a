import { useQuery } from '@tanstack/react-query';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { TextLink } from '../../ui/button.tsx';
import { orderOfPaymentQuery } from './queries.ts';
import { usePaymentTexts } from './texts.ts';

/** A link to a payment's order, found by the payment's id. Shows the id if the order no longer exists. */
export function OrderOfPayment({ paymentId }: { paymentId: string }) {
  const words = usePaymentTexts();
  const store = useStore();
  const { data } = useQuery(orderOfPaymentQuery(store.id, paymentId));
  if (!data) return <code>{paymentId}</code>;
  return (
    <TextLink href={paths.inStore(store.id, 'orders', data.id)}>
      {words.orderNumber({ number: data.number })}
    </TextLink>
  );
}
