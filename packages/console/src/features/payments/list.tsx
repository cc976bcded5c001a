import { useMemo } from 'react';
import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { paymentStates, paymentStateTones, usePaymentStateTexts } from '../../shell/payment-states.ts';
import { getWayName } from '../../shell/payment-ways.ts';
import { NoPermission } from '../../shell/problems.tsx';
import { createChoices, ResourceList } from '../../shell/resource-list.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Badge, Empty, Row, Screen } from '../../ui/layout.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './payments.module.css';
import { type Payment, type PaymentSearch, paymentsKey, readPayments } from './queries.ts';
import { usePaymentTexts } from './texts.ts';

/** The payments of all orders. */
export function PaymentList() {
  const words = usePaymentTexts();
  const store = useStore();
  if (store.can('orders.read')) return <Payments />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('orders.read')} />;
}

function Payments() {
  const words = usePaymentTexts();
  const states = usePaymentStateTexts();
  const common = useCommon();
  const store = useStore();
  const search = useSearch<PaymentSearch>();
  const list = useList(paymentsKey(store.id), search, (given, signal) =>
    readPayments(store.id, given, signal),
  );
  const columns = usePaymentColumns();
  return (
    <Screen
      title={words.title}
      subtitle={words.titleHint}
      actions={
        <>
          <LinkButton href={paths.inStore(store.id, 'payments', 'report')}>{words.report}</LinkButton>
          <LinkButton href={paths.inStore(store.id, 'payments', 'reconciliation')}>
            {words.reconciliation}
          </LinkButton>
          {store.manages && (
            <LinkButton href={paths.inStore(store.id, 'payment-methods')}>{words.methods}</LinkButton>
          )}
        </>
      }
    >
      <ResourceList
        label={words.title}
        list={list}
        items={list.data?.payments}
        columns={columns}
        getHref={({ orderId }) => paths.inStore(store.id, 'orders', orderId)}
        filters={[
          {
            name: 'status',
            label: common.status,
            isLabelShown: true,
            any: words.anyState,
            choices: createChoices(paymentStates, states.states),
          },
        ]}
        moreFilters={(['since', 'until'] as const).map((end) => (
          <TextField
            key={end}
            label={words[end]}
            type="date"
            value={search[end] ?? ''}
            onChange={(day) => list.change({ [end]: day || undefined })}
          />
        ))}
        narrowing={['since', 'until']}
        empty={<Empty title={words.empty}>{words.emptyHint}</Empty>}
        summary={words.count}
      />
    </Screen>
  );
}

function usePaymentColumns(): ColumnOf<Payment>[] {
  const words = usePaymentTexts();
  const states = usePaymentStateTexts();
  const common = useCommon();
  const formats = useFormats();
  return useMemo<ColumnOf<Payment>[]>(
    () => [
      {
        id: 'date',
        title: words.date,
        isHeader: true,
        cell: ({ createdAt }) => (
          <>
            <span className={style.roomy}>{formats.dateTime(createdAt)}</span>
            <span className={style.narrow}>{formats.day(createdAt)}</span>
          </>
        ),
      },
      {
        id: 'way',
        title: words.way,
        cell: ({ provider, method, isTest }) => (
          <Row>
            {getWayName(states, { method, provider })}
            {isTest && <Badge tone="warn">{states.test}</Badge>}
          </Row>
        ),
      },
      { id: 'reference', title: words.reference, isWide: true, cell: ({ reference }) => reference ?? '' },
      {
        id: 'status',
        title: common.status,
        isWide: true,
        cell: ({ status }) => <Badge tone={paymentStateTones[status]}>{states.states[status]}</Badge>,
      },
      {
        id: 'amount',
        title: words.amount,
        isEnd: true,
        cell: ({ amountCents, refundedCents, currency, status }) => (
          <>
            {formats.money(amountCents, currency)}
            {refundedCents > 0 && (
              <small> {words.lessRefunded({ amount: formats.money(refundedCents, currency) })}</small>
            )}
            <span className={style.narrow}>
              <Badge tone={paymentStateTones[status]}>{states.states[status]}</Badge>
            </span>
          </>
        ),
      },
    ],
    [words, states, common, formats],
  );
}
