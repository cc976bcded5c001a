import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Badge, Card, Empty, Screen } from '../../ui/layout.tsx';
import { Select } from '../../ui/select.tsx';
import { type ColumnOf, ListPager, Table } from '../../ui/table.tsx';
import { orderOfReturnQuery, type Return, type ReturnSearch, readReturns } from './after-sale-queries.ts';
import { useAfterSaleTexts } from './after-sale-texts.ts';
import style from './orders.module.css';
import { ordersKey } from './queries.ts';
import { returnTones } from './returns.tsx';
import { useOrderTexts } from './texts.ts';

/** The returns of all orders: what customers ask for, and what is on its way back. */
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
  const search = useSearch({ strict: false }) as ReturnSearch;
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
      back={<TextLink href={paths.inStore(store.id, 'orders')}>{common.backTo(orderWords.title)}</TextLink>}
    >
      <Card isFlush>
        <Filters>
          <Select
            label={common.status}
            isLabelHidden
            choices={[
              { id: 'any', text: orderWords.anyStatus },
              ...states.map((id) => ({ id: id as string, text: words.returnStates[id] })),
            ]}
            value={search.state ?? 'any'}
            onChange={(state) => list.change({ state: state === 'any' ? undefined : state })}
          />
        </Filters>
        {list.error && !list.data ? (
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        ) : (
          <Table
            label={words.returns}
            columns={columns}
            items={list.data?.returns ?? []}
            hrefOf={({ orderId }) => paths.inStore(store.id, 'orders', orderId)}
            isLoading={list.isFetching}
            empty={
              search.state ? (
                <Empty
                  title={common.nothingFound}
                  action={
                    <Button onPress={() => list.change({ state: undefined })}>{common.clearFilters}</Button>
                  }
                >
                  {common.nothingFoundHint}
                </Empty>
              ) : (
                <Empty title={words.noReturns}>{words.noReturnsHint}</Empty>
              )
            }
          />
        )}
        <ListPager list={list} summary={(total) => words.returnCount(formats.number(total))} />
      </Card>
    </Screen>
  );
}

/** The order of a return, which the return itself knows by its id alone. */
function OrderOf({ orderId }: { orderId: string }) {
  const words = useOrderTexts();
  const store = useStore();
  const { data } = useQuery(orderOfReturnQuery(store.id, orderId));
  if (!data) return '…';
  return (
    <span className={style.person}>
      <strong className={style.number}>{words.number(data.number)}</strong>{' '}
      {data.customer.name || data.customer.email}
    </span>
  );
}
