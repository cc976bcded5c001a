import { useMemo } from 'react';
import { type ListSearch, useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { ResourceList } from '../../shell/resource-list.tsx';
import { useFormats } from '../../texts/format.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Empty, Screen } from '../../ui/layout.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
import style from './customers.module.css';
import { type Customer, customersKey, readCustomers } from './queries.ts';
import { useCustomerTexts } from './texts.ts';

export function CustomerList() {
  const words = useCustomerTexts();
  const store = useStore();
  if (store.can('customers.read')) return <Customers />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('customers.read')} />;
}

function Customers() {
  const words = useCustomerTexts();
  const formats = useFormats();
  const store = useStore();
  const search = useSearch<ListSearch>();
  const list = useList(customersKey(store.id), search, (given, signal) =>
    readCustomers(store.id, given, signal),
  );
  const at = (id: string) => paths.inStore(store.id, 'customers', id);
  const create = store.can('customers.write') && (
    <LinkButton look="primary" href={at('new')}>
      {words.new}
    </LinkButton>
  );
  // Kept across renders, because new columns would make the table render all rows again.
  const columns = useMemo<ColumnOf<Customer>[]>(
    () => [
      {
        id: 'name',
        title: words.name,
        sort: 'name',
        isHeader: true,
        cell: ({ name, email }) => (
          <span className={style.person}>
            {name || '–'}
            <small className={style.small}>{email}</small>
          </span>
        ),
      },
      {
        id: 'email',
        title: words.email,
        sort: 'email',
        isWide: true,
        cell: ({ email }) => <span className={style.person}>{email}</span>,
      },
      {
        id: 'created',
        title: words.since,
        sort: 'created',
        isWide: true,
        cell: ({ createdAt }) => formats.date(createdAt),
      },
      {
        id: 'orders',
        title: words.orders,
        isEnd: true,
        cell: ({ ordersCount }) => formats.number(ordersCount),
      },
      {
        id: 'spent',
        title: words.spent,
        isEnd: true,
        cell: ({ totalSpentCents }) => formats.money(totalSpentCents, store.currency),
      },
    ],
    [words, formats, store.currency],
  );
  return (
    <Screen title={words.title} actions={create}>
      <ResourceList
        label={words.title}
        list={list}
        items={list.data?.customers}
        columns={columns}
        getHref={({ id }) => at(id)}
        searchPlaceholder={words.searchPlaceholder}
        sort={{ by: 'created', dir: 'desc' }}
        empty={
          <Empty title={words.empty} action={create || undefined}>
            {words.emptyHint}
          </Empty>
        }
        summary={words.count}
      />
    </Screen>
  );
}
