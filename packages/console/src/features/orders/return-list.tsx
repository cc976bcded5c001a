import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { createChoices, ResourceList } from '../../shell/resource-list.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { TextLink } from '../../ui/button.tsx';
import { Badge, Empty, Screen } from '../../ui/layout.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import { orderOfReturnQuery, type Return, type ReturnSearch, readReturns } from './after-sale-queries.ts';
import { useAfterSaleTexts } from './after-sale-texts.ts';
import style from './orders.module.css';
import { ordersKey } from './queries.ts';
import { returnTones } from './returns.tsx';
import { useOrderTexts } from './texts.ts';

/** The returns of all orders, requested and in progress. */
export function ReturnList() {
  const words = useAfterSaleTexts();
  const store = useStore();
  if (store.can('orders.read')) return <AllReturns />;
  return <NoPermission title={words.returns} role={store.role} needed={store.roleFor('orders.read')} />;
}

function AllReturns() {
  const words = useAfterSaleTexts();
  const orderWords = useOrderTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const search = useSearch<ReturnSearch>();
  const list = useList([...ordersKey(store.id), 'returns'], search, (given, signal) =>
    readReturns(store.id, given, signal),
  );
  const columns = useMemo<ColumnOf<Return>[]>(
    () => [
      {
        id: 'order',
        title: orderWords.order,
        isHeader: true,
        cell: ({ orderId }) => <OrderOf orderId={orderId} />,
      },
      { id: 'date', title: orderWords.date, cell: ({ createdAt }) => formats.dateTime(createdAt) },
      {
        id: 'items',
        title: orderWords.quantity,
        isWide: true,
        isEnd: true,
        cell: ({ lines }) => formats.number(lines.reduce((sum, { quantity }) => sum + quantity, 0)),
      },
      {
        id: 'reason',
        title: words.reason,
        isWide: true,
        cell: ({ lines }) => (
          <span className={style.person}>
            {[...new Set(lines.flatMap(({ reason }) => reason ?? []))].join(', ')}
          </span>
        ),
      },
      {
        id: 'state',
        title: common.status,
        cell: ({ state }) => <Badge tone={returnTones[state]}>{words.returnStates[state]}</Badge>,
      },
    ],
    [words, orderWords, common, formats],
  );
  const states = Object.keys(words.returnStates) as Return['state'][];
  return (
    <Screen
      title={words.returns}
      subtitle={words.returnsHint}
      back={
        <TextLink href={paths.inStore(store.id, 'orders')}>
          {common.backTo({ place: orderWords.title })}
        </TextLink>
      }
    >
      <ResourceList
        label={words.returns}
        list={list}
        items={list.data?.returns}
        columns={columns}
        getHref={({ orderId }) => paths.inStore(store.id, 'orders', orderId)}
        filters={[
          {
            name: 'state',
            label: common.status,
            any: orderWords.anyStatus,
            choices: createChoices(states, words.returnStates),
          },
        ]}
        empty={<Empty title={words.noReturns}>{words.noReturnsHint}</Empty>}
        summary={words.returnCount}
      />
    </Screen>
  );
}

/** The order of a return, which holds only the order's id. */
function OrderOf({ orderId }: { orderId: string }) {
  const words = useOrderTexts();
  const store = useStore();
  const { data } = useQuery(orderOfReturnQuery(store.id, orderId));
  if (!data) return '…';
  return (
    <span className={style.person}>
      <strong className={style.number}>{words.number({ number: data.number })}</strong>{' '}
      {data.customer.name || data.customer.email}
    </span>
  );
}
