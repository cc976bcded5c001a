import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type ListSearch, useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { Failure, NoPermission } from '../../shell/problems.tsx';
import { useCommon } from '../../texts/common.ts';
import { useFormats } from '../../texts/format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Badge, Card, Empty, Screen } from '../../ui/layout.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { type ColumnOf, ListPager, Table } from '../../ui/table.tsx';
import { type Discount, discountsKey, readDiscounts } from './queries.ts';
import { useDiscountTexts } from './texts.ts';

export function DiscountList() {
  const words = useDiscountTexts();
  const store = useStore();
  if (store.can('discounts.read')) return <Discounts />;
  return <NoPermission title={words.title} role={store.role} needed={store.roleFor('discounts.read')} />;
}

function Discounts() {
  const words = useDiscountTexts();
  const common = useCommon();
  const formats = useFormats();
  const store = useStore();
  const search = useSearch({ strict: false }) as ListSearch;
  const list = useList(discountsKey(store.id), search, (given, signal) =>
    readDiscounts(store.id, given, signal),
  );
  const at = (id: string) => paths.inStore(store.id, 'discounts', id);
  const create = store.can('discounts.write') && (
    <LinkButton look="primary" href={at('new')}>
      {words.new}
    </LinkButton>
  );
  const columns = useMemo<ColumnOf<Discount>[]>(() => {
    const effectOf = ({ kind, percent, amountCents }: Discount) => {
      if (kind === 'percentage') return words.off(percent!);
      if (kind === 'amount') return words.offAmount(formats.money(amountCents!, store.currency));
      return words.kinds[kind];
    };
    return [
      { id: 'title', title: words.name, isHeader: true, cell: ({ title }) => title },
      { id: 'code', title: words.code, cell: ({ code }) => (code ? <code>{code}</code> : words.automatic) },
      { id: 'effect', title: words.saves, isWide: true, cell: effectOf },
      {
        id: 'status',
        title: words.status,
        cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'neutral'}>{words[status]}</Badge>,
      },
      {
        id: 'used',
        title: words.used,
        isEnd: true,
        cell: ({ usedCount, limits }) =>
          limits.total === null
            ? formats.number(usedCount)
            : `${formats.number(usedCount)} / ${formats.number(limits.total)}`,
      },
    ];
  }, [words, formats, store.currency]);
  return (
    <Screen title={words.title} actions={create}>
      <Card isFlush>
        <Filters>
          <SearchField
            label={common.search}
            placeholder={words.searchPlaceholder}
            value={search.q ?? ''}
            onChange={(q) => list.change({ q: q || undefined })}
          />
        </Filters>
        {list.error && !list.data ? (
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        ) : (
          <Table
            label={words.title}
            columns={columns}
            items={list.data?.discounts ?? []}
            hrefOf={({ id }) => at(id)}
            isLoading={list.isFetching}
            empty={
              search.q ? (
                <Empty
                  title={common.nothingFound}
                  action={
                    <Button onPress={() => list.change({ q: undefined })}>{common.clearFilters}</Button>
                  }
                >
                  {common.nothingFoundHint}
                </Empty>
              ) : (
                <Empty title={words.empty} action={create || undefined}>
                  {words.emptyHint}
                </Empty>
              )
            }
          />
        )}
        <ListPager list={list} summary={(total) => words.count(total)} />
      </Card>
    </Screen>
  );
}
