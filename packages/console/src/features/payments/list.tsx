import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { paymentStates, paymentStateTones, usePaymentStateTexts } from '../../shell/payment-states.ts';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Badge, Card, Empty, Row, Screen } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { type ColumnOf, ListPager, Table } from '../../ui/table.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { type Payment, type PaymentSearch, paymentsKey, readPayments } from './queries.ts';
import { usePaymentTexts } from './texts.ts';

/** All payments of the store, whatever order they are of. */
export function PaymentList() {
  const words = usePaymentTexts();
  const store = useStore();
  if (store.can('orders.read')) return <Payments />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('orders.read')} />;
}

const noFilters = { status: undefined, since: undefined, until: undefined };

function Payments() {
  const words = usePaymentTexts();
  const states = usePaymentStateTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const search = useSearch({ strict: false }) as PaymentSearch;
  const list = useList(paymentsKey(store.id), search, (given, signal) =>
    readPayments(store.id, given, signal),
  );
  const isFiltered = Object.keys(noFilters).some((name) => search[name as keyof typeof noFilters]);
  const columns = useMemo<ColumnOf<Payment>[]>(
    () => [
      { id: 'date', title: words.date, isHeader: true, cell: ({ createdAt }) => formats.dateTime(createdAt) },
      {
        id: 'way',
        title: words.way,
        cell: ({ provider, method, isTest }) => (
          <Row>
            {method ?? states.providers[provider]}
            {isTest && <Badge tone="warn">{states.test}</Badge>}
          </Row>
        ),
      },
      { id: 'reference', title: words.reference, isWide: true, cell: ({ reference }) => reference ?? '' },
      {
        id: 'status',
        title: common.status,
        cell: ({ status }) => <Badge tone={paymentStateTones[status]}>{states.states[status]}</Badge>,
      },
      {
        id: 'amount',
        title: words.amount,
        isEnd: true,
        cell: ({ amountCents, refundedCents, currency }) => (
          <>
            {formats.money(amountCents, currency)}
            {refundedCents > 0 && (
              <small> {words.lessRefunded(formats.money(refundedCents, currency))}</small>
            )}
          </>
        ),
      },
    ],
    [words, states, common, formats],
  );
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
      <Card isFlush>
        <Filters>
          <Select
            label={common.status}
            choices={[
              { id: 'any', text: words.anyState },
              ...paymentStates.map((id) => ({ id: id as string, text: states.states[id] })),
            ]}
            value={search.status ?? 'any'}
            onChange={(status) => list.change({ status: status === 'any' ? undefined : status })}
          />
          {(['since', 'until'] as const).map((end) => (
            <TextField
              key={end}
              label={words[end]}
              type="date"
              value={search[end] ?? ''}
              onChange={(day) => list.change({ [end]: day || undefined })}
            />
          ))}
        </Filters>
        {list.error && !list.data ? (
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        ) : (
          <Table
            label={words.title}
            columns={columns}
            items={list.data?.payments ?? []}
            hrefOf={({ orderId }) => paths.inStore(store.id, 'orders', orderId)}
            isLoading={list.isFetching}
            empty={
              isFiltered ? (
                <Empty
                  title={common.nothingFound}
                  action={<Button onPress={() => list.change(noFilters)}>{common.clearFilters}</Button>}
                >
                  {common.nothingFoundHint}
                </Empty>
              ) : (
                <Empty title={words.empty}>{words.emptyHint}</Empty>
              )
            }
          />
        )}
        <ListPager list={list} summary={(total) => words.count(total)} />
      </Card>
    </Screen>
  );
}
