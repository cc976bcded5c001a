import { useQuery } from '@tanstack/react-query';
import { currencyExponent } from '@waybill/contracts/currencies';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useStore } from '../../api/me.ts';
import { useMutation } from '../../api/mutation.ts';
import { paymentStateTones, usePaymentStateTexts } from '../../shell/payment-states.ts';
import { getWayName } from '../../shell/payment-ways.ts';
import { Failure } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Badge, Card, Notice, Row, Skeleton } from '../../ui/layout.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Actions, ConfirmDialog, Dialog } from '../../ui/overlays.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { afterSaleQueryKeys } from './after-sale-queries.ts';
import style from './orders.module.css';
import { type Order, orderPaymentsQuery, type Payment } from './queries.ts';
import { useOrderTexts } from './texts.ts';

type Question = { is: 'record' } | { is: 'capture' | 'void'; payment: Payment };

/** The payments of an order by method. Received money is recorded and authorised money captured here. */
export function Payments({ order }: { order: Order }) {
  const words = useOrderTexts();
  const formats = useFormats();
  const store = useStore();
  const { data, error, refetch } = useQuery(orderPaymentsQuery(store.id, order.id));
  const [question, setQuestion] = useState<Question | null>(null);
  const money = (cents: number) => formats.money(cents, order.currency);
  const canWrite = store.can('orders.write');
  const close = () => setQuestion(null);
  return (
    <Card
      title={words.paymentsTitle}
      actions={
        canWrite &&
        order.dueCents > 0 && (
          <Button size="small" onPress={() => setQuestion({ is: 'record' })}>
            {words.recordPayment}
          </Button>
        )
      }
    >
      <dl className={style.sums}>
        {(
          [
            [words.paid, order.paidCents],
            [words.refunded, order.refundedCents],
            [words.due, order.dueCents],
          ] as const
        ).map(([term, cents]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{money(cents)}</dd>
          </div>
        ))}
      </dl>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={2} />}
      {data?.payments.length === 0 && <p>{words.noPayments}</p>}
      <ol className={style.timeline}>
        {data?.payments.map((payment) => (
          <OnePayment
            key={payment.id}
            payment={payment}
            canWrite={canWrite}
            onAsk={(is) => setQuestion({ is, payment })}
          />
        ))}
      </ol>
      {question && question.is !== 'void' && (
        <AmountDialog
          order={order}
          payment={question.is === 'capture' ? question.payment : null}
          onClose={close}
        />
      )}
      {question?.is === 'void' && <VoidDialog payment={question.payment} onClose={close} />}
    </Card>
  );
}

/** A payment with its ledger entries, newest first. */
function OnePayment({
  payment,
  canWrite,
  onAsk,
}: {
  payment: Payment;
  canWrite: boolean;
  onAsk(is: 'capture' | 'void'): void;
}) {
  const words = useOrderTexts();
  const states = usePaymentStateTexts();
  const formats = useFormats();
  const { provider, method, status, amountCents, currency, isTest, reference, failure, entries } = payment;
  // A payment of 0 only holds notes about a state that was set by hand.
  const isNote = amountCents === 0;
  const isOpen = !isNote && (status === 'authorized' || (status === 'pending' && provider === 'manual'));
  return (
    <li>
      {!isNote && (
        <Row isSpread>
          <span>
            {getWayName(states, { method, provider })} · {formats.money(amountCents, currency)}
          </span>
          <span>
            {isTest && <Badge tone="warn">{states.test}</Badge>}{' '}
            <Badge tone={paymentStateTones[status]}>{states.states[status]}</Badge>
          </span>
        </Row>
      )}
      {reference && <small>{reference}</small>}
      {failure && <Notice tone="bad">{failure.message || failure.code}</Notice>}
      {[...entries].reverse().map((entry) => (
        <small key={entry.id}>
          {formats.dateTime(entry.at)} · {states.entries[entry.kind]}
          {entry.amountCents > 0 && ` ${formats.money(entry.amountCents, currency)}`}
          {entry.status && `: ${words.payments[entry.status as Order['payment']]}`}
        </small>
      ))}
      {canWrite && isOpen && (
        <Row>
          <Button size="small" onPress={() => onAsk('capture')}>
            {provider === 'manual' ? words.markReceived : words.capture}
          </Button>
          <Button size="small" look="quiet" onPress={() => onAsk('void')}>
            {words.void}
          </Button>
        </Row>
      )}
    </li>
  );
}

/** Asks for the amount that was received or is to be captured. */
function AmountDialog({
  order,
  payment,
  onClose,
}: {
  order: Order;
  payment: Payment | null;
  onClose(): void;
}) {
  const words = useOrderTexts();
  const common = useCommon();
  const store = useStore();
  const most = payment ? Math.min(payment.amountCents, order.dueCents) : order.dueCents;
  const [amountCents, setAmountCents] = useState<number | null>(most);
  const [reference, setReference] = useState('');
  const isReceived = !payment || payment.provider === 'manual';
  const save = useMutation(
    () => {
      const body = { amountCents: amountCents ?? most };
      return payment
        ? api.post('/api/stores/{storeId}/payments/{id}/capture', {
            params: { path: { storeId: store.id, id: payment.id } },
            body,
          })
        : api.post('/api/stores/{storeId}/orders/{id}/payments', {
            params: { path: { storeId: store.id, id: order.id } },
            body: { ...body, ...(reference.trim() && { reference: reference.trim() }) },
          });
    },
    {
      done: isReceived ? words.recorded : words.captured,
      invalidates: afterSaleQueryKeys(store.id),
      onDone: onClose,
      fields: { amount_exceeded: '/amountCents' },
    },
  );
  const title = isReceived ? words.recordPayment : words.capture;
  return (
    <Dialog title={title} isOpen onClose={onClose} size="small">
      <Form mutation={save} onSubmit={() => void save.run(undefined)}>
        <p>{isReceived ? words.recordHint : words.captureHint}</p>
        <NumberField
          label={words.amount}
          name="/amountCents"
          money={{ currency: order.currency, exponent: currencyExponent(order.currency) }}
          minValue={0}
          value={amountCents}
          onChange={setAmountCents}
          isRequired
        />
        {!payment && (
          <TextField
            label={words.reference}
            hint={words.referenceHint}
            name="/reference"
            value={reference}
            onChange={setReference}
            maxLength={200}
          />
        )}
        <Actions>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button look="primary" type="submit" isPending={save.isPending}>
            {title}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

function VoidDialog({ payment, onClose }: { payment: Payment; onClose(): void }) {
  const words = useOrderTexts();
  const store = useStore();
  const end = useMutation(
    () =>
      api.post('/api/stores/{storeId}/payments/{id}/void', {
        params: { path: { storeId: store.id, id: payment.id } },
      }),
    { done: words.voided, invalidates: afterSaleQueryKeys(store.id) },
  );
  return (
    <ConfirmDialog
      title={words.voidTitle}
      confirm={words.void}
      isOpen
      onClose={onClose}
      onConfirm={() => end.attempt(undefined)}
    >
      {words.voidHint}
    </ConfirmDialog>
  );
}
