import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { navigate } from '../../router/history.ts';
import { useSearch } from '../../router/router.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { createChoices, type ListFilter, ResourceList } from '../../shell/resource-list.tsx';
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
  readOrders,
  statuses,
  statusTones,
  toOrderQuery,
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
const maxSlips = 100;

function Orders() {
  const words = useOrderTexts();
  const store = useStore();
  const search = useSearch<OrderSearch>();
  const list = useList(ordersKey(store.id), search, (given, signal) => readOrders(store.id, given, signal));
  const [isExporting, setExporting] = useState(false);
  const at = (id: string) => paths.inStore(store.id, 'orders', id);
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

  const columns = useColumns();
  const filters = useFilters();
  return (
    <Screen
      title={words.title}
      actions={
        <>
          {create}
          <OrdersMenu onExport={() => setExporting(true)} />
        </>
      }
    >
      {search.customerId && (
        <CustomerNotice
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
          getHref={({ id }) => at(id)}
          searchPlaceholder={words.searchPlaceholder}
          filters={filters}
          moreFilters={<PeriodFilter search={search} onChange={list.change} />}
          narrowing={['since', 'until', 'customerId']}
          sort={{ by: toOrderQuery(search).sort ?? 'number', dir: 'desc' }}
          selection={{ selected, onSelect: choose }}
          bulk={
            selected.size > 0 && (
              <PackingSlipsBar selected={selected} onClear={() => setSelected(new Set())} />
            )
          }
          empty={
            <Empty title={words.empty} action={create || undefined}>
              {words.emptyHint}
            </Empty>
          }
          summary={words.count}
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

/** The columns of the list. They are kept across renders, because new ones would make the table render all rows again. */
function useColumns(): ColumnOf<Order>[] {
  const words = useOrderTexts();
  const common = useCommon();
  const formats = useFormats();
  return useMemo<ColumnOf<Order>[]>(
    () => [
      {
        id: 'number',
        title: words.order,
        sort: 'number',
        isHeader: true,
        cell: ({ number }) => <strong className={style.number}>{words.number({ number })}</strong>,
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
            {customer.name || customer.email || '–'}
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
        cell: (order) => <Total order={order} />,
      },
    ],
    [words, common, formats],
  );
}

/** The total of an order. On narrow screens it also shows the most important state. */
function Total({ order }: { order: Order }) {
  const words = useOrderTexts();
  const formats = useFormats();
  return (
    <>
      {formats.money(order.totalCents, order.currency)}
      <span className={style.small}>
        <Badge tone={order.status === 'open' ? paymentTones[order.payment] : statusTones[order.status]}>
          {order.status === 'open' ? words.payments[order.payment] : words.statuses[order.status]}
        </Badge>
      </span>
    </>
  );
}

/** The actions of the screen that create no order. */
function OrdersMenu({ onExport }: { onExport(): void }) {
  const words = useOrderTexts();
  const common = useCommon();
  const store = useStore();
  const open = (...path: string[]) => navigate(paths.inStore(store.id, ...path));
  return (
    <ActionMenu
      label={common.actionsFor({ thing: words.title })}
      actions={[
        ...(store.can('orders.write')
          ? [{ id: 'send', text: words.sendFile, onAction: () => open('orders', 'send') }]
          : []),
        { id: 'returns', text: words.returns, onAction: () => open('returns') },
        { id: 'export', text: words.export, onAction: onExport },
      ]}
    />
  );
}

function useFilters(): ListFilter[] {
  const words = useOrderTexts();
  const common = useCommon();
  return [
    {
      name: 'status',
      label: common.status,
      any: words.anyStatus,
      choices: createChoices(statuses, words.statuses),
    },
    {
      name: 'payment',
      label: words.payment,
      any: words.anyPayment,
      choices: createChoices(payments, words.payments),
    },
    {
      name: 'fulfillment',
      label: words.fulfillment,
      any: words.anyFulfillment,
      choices: createChoices(fulfillments, words.fulfillments),
    },
  ];
}

/** The first and the last day of the orders shown. */
function PeriodFilter({
  search,
  onChange,
}: {
  search: OrderSearch;
  onChange(changes: Partial<OrderSearch>): void;
}) {
  const words = useOrderTexts();
  return (
    <div className={style.period}>
      {(['since', 'until'] as const).map((end) => (
        <TextField
          key={end}
          label={words[end]}
          type="date"
          value={search[end] ?? ''}
          onChange={(day) => onChange({ [end]: day || undefined })}
        />
      ))}
    </div>
  );
}

/** Prints the packing slips of the selected orders. */
function PackingSlipsBar({ selected, onClear }: { selected: ReadonlySet<string>; onClear(): void }) {
  const words = useOrderTexts();
  const common = useCommon();
  const store = useStore();
  const isTooMany = selected.size > maxSlips;
  return (
    <div className={style.bulk}>
      <span role="status">{common.selected({ count: selected.size })}</span>
      <Row>
        <LinkButton
          size="small"
          href={`${paths.inStore(store.id, 'orders', 'packing-slips')}?ids=${[...selected].join(',')}`}
          isDisabled={isTooMany}
        >
          {words.printSlips}
        </LinkButton>
        <Button size="small" look="quiet" onPress={onClear}>
          {words.chooseNone}
        </Button>
      </Row>
      {isTooMany && <span>{words.tooManyChosen({ most: maxSlips })}</span>}
    </div>
  );
}

function CustomerNotice({ id, storeId, onClear }: { id: string; storeId: string; onClear(): void }) {
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
