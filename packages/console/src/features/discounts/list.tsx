import { useMemo } from 'react';
import { type ListSearch, useList } from '../../api/list.ts';
import { useStore } from '../../api/me.ts';
import { paths } from '../../paths.ts';
import { useSearch } from '../../router/router.tsx';
import { NoPermission } from '../../shell/problems.tsx';
import { ResourceList } from '../../shell/resource-list.tsx';
import { useFormats } from '../../texts/format.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Badge, Empty, Screen } from '../../ui/layout.tsx';
import type { ColumnOf } from '../../ui/table.tsx';
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
  const formats = useFormats();
  const store = useStore();
  const search = useSearch<ListSearch>();
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
    const describeEffect = ({ kind, percent, amountCents }: Discount) => {
      if (kind === 'percentage') return words.off({ percent: formats.decimal(percent!) });
      if (kind === 'amount') return words.offAmount({ amount: formats.money(amountCents!, store.currency) });
      return words.kinds[kind];
    };
    return [
      { id: 'title', title: words.name, isHeader: true, cell: ({ title }) => title },
      { id: 'code', title: words.code, cell: ({ code }) => (code ? <code>{code}</code> : words.automatic) },
      { id: 'effect', title: words.saves, isWide: true, cell: describeEffect },
      {
        id: 'status',
        title: words.status,
        cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'neutral'}>{words[status]}</Badge>,
      },
      {
        id: 'used',
        title: words.used,
        isEnd: true,
        isWide: true,
        cell: ({ usedCount, limits }) =>
          limits.total === null
            ? formats.number(usedCount)
            : `${formats.number(usedCount)} / ${formats.number(limits.total)}`,
      },
    ];
  }, [words, formats, store.currency]);
  return (
    <Screen title={words.title} actions={create}>
      <ResourceList
        label={words.title}
        list={list}
        items={list.data?.discounts}
        columns={columns}
        getHref={({ id }) => at(id)}
        searchPlaceholder={words.searchPlaceholder}
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
