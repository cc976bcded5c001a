import { useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { NoPermission } from '../../shell/problems.tsx';
import { choicesOf, ResourceList } from '../../shell/resource-list.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Badge, Empty, Notice, Row, Screen } from '../../ui/layout.tsx';
import { ActionMenu } from '../../ui/overlays.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import { TextField } from '../../ui/text-field.tsx';
import style from './orders.module.css';
import {
  customerQuery,
  fulfillments,
  fulfillmentTones,
  type Order,
  type OrderSearch,
  ordersKey,
  payments,
  paymentTones,
  queryOf,
  readOrders,
  statuses,
  statusTones,
} from './queries.ts';
import { useOrderTexts } from './texts.ts';

export function OrderList() {
  const words = useOrderTexts();
  const store = useStore();
  if (store.can('orders.read')) return <Orders />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('orders.read')} />;
}

/** Loads on demand, because most visits export nothing. */
const OrderExport = lazy(async () => ({ default: (await import('./export.tsx')).OrderExport }));

/** Maximum number of packing slips in one document. */
const mostSlips = 100;

function Orders() {
  const words = useOrderTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const search = useSearch({ strict: false }) as OrderSearch;
  const list = useList(ordersKey(store.id), search, (given, signal) => readOrders(store.id, given, signal));
  const [isExporting, setExporting] = useState(false);
  const at = (id: string) => paths.inStore(store.id, 'orders', id);
  const router = useRouter();
  /** Ids of the selected orders. Orders of other pages stay selected, so that all are printed together. */
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const orders = list.data?.orders ?? [];
  const choose = (shown: ReadonlySet<string>) => {
    const others = [...selected].filter((id) => !orders.some((order) => order.id === id));
    setSelected(new Set([...others, ...orders.map(({ id }) => id).filter((id) => shown.has(id))]));
  };
  const create = store.can('orders.write') && (
    <LinkButton look="primary" href={at('new')}>
      {words.new}
    </LinkButton>
  );

  // Kept across renders, because new columns would make the table render all rows again.
  const columns = useMemo<ColumnOf<Order>[]>(
    () => [
      {
        id: 'number',
        title: words.order,
        sort: 'number',
        isHeader: true,
        cell: ({ number }) => <strong className={style.number}>{words.number(number)}</strong>,
      },
      {
        id: 'created',
        title: words.date,
        sort: 'created',
        isWide: true,
        cell: ({ createdAt }) => <span className={style.number}>{formats.dateTime(createdAt)}</span>,
      },
      {
        id: 'customer',
        title: words.customer,
        cell: ({ customer, createdAt }) => (
          <span className={style.person}>
            {customer.name || customer.email}
            <small className={style.small}>{formats.day(createdAt)}</small>
          </span>
        ),
      },
      {
        id: 'status',
        title: common.status,
        isWide: true,
        cell: ({ status }) => <Badge tone={statusTones[status]}>{words.statuses[status]}</Badge>,
      },
      {
        id: 'payment',
        title: words.payment,
        isWide: true,
        cell: ({ payment }) => <Badge tone={paymentTones[payment]}>{words.payments[payment]}</Badge>,
      },
      {
        id: 'fulfillment',
        title: words.fulfillment,
        isWide: true,
        cell: ({ fulfillment }) => (
          <Badge tone={fulfillmentTones[fulfillment]}>{words.fulfillments[fulfillment]}</Badge>
        ),
      },
      {
        id: 'total',
        title: words.total,
        sort: 'total',
        isEnd: true,
        cell: (order) => (
          <>
            {formats.money(order.totalCents, order.currency)}
            <span className={style.small}>
              <Badge tone={order.status === 'open' ? paymentTones[order.payment] : statusTones[order.status]}>
                {order.status === 'open' ? words.payments[order.payment] : words.statuses[order.status]}
              </Badge>
            </span>
          </>
        ),
      },
    ],
    [words, common, formats],
  );

  return (
    <Screen
      title={words.title}
      actions={
        <>
          {create}
          <ActionMenu
            label={common.actionsFor(words.title)}
            actions={[
              ...(store.can('orders.write')
                ? [{ id: 'send', text: words.sendFile, onAction: () => router.history.push(at('send')) }]
                : []),
              {
                id: 'returns',
                text: words.returns,
                onAction: () => router.history.push(paths.inStore(store.id, 'returns')),
              },
              { id: 'export', text: words.export, onAction: () => setExporting(true) },
            ]}
          />
        </>
      }
    >
      {search.customerId && (
        <OfCustomer
          id={search.customerId}
          storeId={store.id}
          onClear={() => list.change({ customerId: undefined })}
        />
      )}
      <div className={style.list}>
        <ResourceList
          label={words.title}
          list={list}
          items={orders}
          columns={columns}
          hrefOf={({ id }) => at(id)}
          searchPlaceholder={words.searchPlaceholder}
          filters={[
            {
              name: 'status',
              label: common.status,
              any: words.anyStatus,
              choices: choicesOf(statuses, words.statuses),
            },
            {
              name: 'payment',
              label: words.payment,
              any: words.anyPayment,
              choices: choicesOf(payments, words.payments),
            },
            {
              name: 'fulfillment',
              label: words.fulfillment,
              any: words.anyFulfillment,
              choices: choicesOf(fulfillments, words.fulfillments),
            },
          ]}
          moreFilters={
            <div className={style.period}>
              {(['since', 'until'] as const).map((end) => (
                <TextField
                  key={end}
                  label={words[end]}
                  type="date"
                  value={search[end] ?? ''}
                  onChange={(day) => list.change({ [end]: day || undefined })}
                />
              ))}
            </div>
          }
          narrowing={['since', 'until', 'customerId']}
          sort={{ by: queryOf(search).sort ?? 'number', dir: 'desc' }}
          selection={{ selected, onSelect: choose }}
          bulk={
            selected.size > 0 && (
              <div className={style.bulk}>
                <span role="status">{common.selected(formats.number(selected.size))}</span>
                <Row>
                  <LinkButton
                    size="small"
                    href={`${at('packing-slips')}?ids=${[...selected].join(',')}`}
                    isDisabled={selected.size > mostSlips}
                  >
                    {words.printSlips}
                  </LinkButton>
                  <Button size="small" look="quiet" onPress={() => setSelected(new Set())}>
                    {words.chooseNone}
                  </Button>
                </Row>
                {selected.size > mostSlips && <span>{words.tooManyChosen(formats.number(mostSlips))}</span>}
              </div>
            )
          }
          empty={
            <Empty title={words.empty} action={create || undefined}>
              {words.emptyHint}
            </Empty>
          }
          summary={(total) => words.count(formats.number(total))}
        />
      </div>
      {isExporting && (
        <Suspense>
          <OrderExport search={search} onClose={() => setExporting(false)} />
        </Suspense>
      )}
    </Screen>
  );
}

function OfCustomer({ id, storeId, onClear }: { id: string; storeId: string; onClear(): void }) {
  const words = useOrderTexts();
  const { data } = useQuery(customerQuery(storeId, id));
  return (
    <Notice
      title={words.ofCustomer}
      actions={
        <Button size="small" onPress={onClear}>
          {words.showAll}
        </Button>
      }
    >
      {data && (data.name || data.email)}
    </Notice>
  );
}
