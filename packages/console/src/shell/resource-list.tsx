import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ListSearch, useList } from '../api/list.ts';
import { useCommon } from '../texts/common.ts';
import { Button } from '../ui/button.tsx';
import type { Choice } from '../ui/field.tsx';
import { Filters } from '../ui/filters.tsx';
import { Card, Empty } from '../ui/layout.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Select } from '../ui/select.tsx';
import { type ColumnOf, Pager, type Sort, Table } from '../ui/table.tsx';
import { Failure } from './problems.tsx';

/** What narrows a list to one of a few kinds. Its value stands in the address. */
export interface ListFilter {
  /** Its parameter in the address. */
  name: string;
  label: string;
  isLabelShown?: boolean;
  /** The text of the choice that narrows nothing. */
  any: string;
  choices: readonly Choice<string>[];
}

type List = Pick<
  ReturnType<typeof useList<{ nextCursor: string | null; total?: number }, ListSearch>>,
  'data' | 'error' | 'refetch' | 'isFetching' | 'change' | 'onNext' | 'onPrevious'
>;

/** How a list shows its items; a table unless `view` says otherwise. */
export interface ListView<Item> {
  label: string;
  items: readonly Item[];
  hrefOf(item: Item): string;
  isLoading: boolean;
  empty: ReactNode;
  selected?: ReadonlySet<string>;
  onSelect?(selected: ReadonlySet<string>): void;
}

/** A page of a list with its filters, its order, what can be done with the selected items, and the way on and back. */
export function ResourceList<Item extends { id: string }>({
  label,
  title,
  actions,
  list,
  items = [],
  columns,
  hrefOf,
  onOpen,
  before,
  searchPlaceholder,
  filters = [],
  moreFilters,
  narrowing = [],
  showAll,
  sort,
  selection,
  bulk,
  isLoading = list.isFetching,
  empty,
  summary,
  view,
}: {
  /** Names the table for those who do not see it. */
  label: string;
  /** Stands above the list, where the screen's own title does not say what it is. */
  title?: string;
  actions?: ReactNode;
  list: List;
  items: readonly Item[] | undefined;
  columns: readonly ColumnOf<Item>[];
  hrefOf?(item: Item): string;
  onOpen?(item: Item): void;
  /** Stands above the filters. */
  before?: ReactNode;
  /** Missing: the list has no search. */
  searchPlaceholder?: string;
  filters?: readonly ListFilter[];
  /** Filters of another kind, beside the others. */
  moreFilters?: ReactNode;
  /** The address's parameters of `moreFilters`, which narrow the list as well. */
  narrowing?: readonly string[];
  /** What the address says where nothing narrows the list; missing: none of the filters' parameters. */
  showAll?: Readonly<Record<string, string>>;
  /** The order of an address that names none; missing: the list has one order. Without `by` no order is shown at first. */
  sort?: { by?: string; dir: Sort['dir'] };
  selection?: { selected: ReadonlySet<string>; onSelect(selected: ReadonlySet<string>): void } | false;
  /** What can be done with the selected items. */
  bulk?: ReactNode;
  isLoading?: boolean;
  /** Shown where there is nothing although nothing narrows the list. */
  empty: ReactNode;
  /** How many there are, of a list that counts them, or else how many are shown. */
  summary(count: number): ReactNode;
  view?(list: ListView<Item>): ReactNode;
}) {
  const common = useCommon();
  const search = useSearch({ strict: false }) as ListSearch & Record<string, string | undefined>;
  const names = [
    ...(searchPlaceholder === undefined ? [] : ['q']),
    ...filters.map(({ name }) => name),
    ...narrowing,
  ];
  const isNarrowed = names.some((name) => search[name] !== undefined);
  const shownSort = search.sort ?? sort?.by;
  const shared = {
    label,
    items,
    isLoading,
    ...(hrefOf && { hrefOf }),
    ...(selection && selection),
    empty: isNarrowed ? (
      <Empty
        title={common.nothingFound}
        action={
          <Button
            onPress={() =>
              list.change({ ...Object.fromEntries(names.map((name) => [name, undefined])), ...showAll })
            }
          >
            {common.clearFilters}
          </Button>
        }
      >
        {common.nothingFoundHint}
      </Empty>
    ) : (
      empty
    ),
  };
  const count = list.data?.total ?? items.length;
  return (
    <Card {...(title !== undefined && { title })} {...(actions && { actions })} isFlush>
      {before}
      {(names.length > 0 || moreFilters) && (
        <Filters>
          {searchPlaceholder !== undefined && (
            <SearchField
              label={common.search}
              placeholder={searchPlaceholder}
              value={search.q ?? ''}
              onChange={(q) => list.change({ q: q || undefined })}
            />
          )}
          {filters.map(({ name, label, isLabelShown = false, any, choices }) => (
            <div key={name}>
              <Select
                label={label}
                isLabelHidden={!isLabelShown}
                choices={[{ id: 'any', text: any }, ...choices]}
                value={search[name] ?? 'any'}
                onChange={(id) => list.change({ [name]: id === 'any' ? undefined : id })}
              />
            </div>
          ))}
          {moreFilters}
        </Filters>
      )}
      {bulk}
      {list.error && !list.data ? (
        <Failure error={list.error} onRetry={() => void list.refetch()} />
      ) : view ? (
        view(shared as ListView<Item>)
      ) : (
        <Table
          {...shared}
          columns={columns}
          {...(onOpen && { onOpen })}
          {...(sort && {
            sort: shownSort === undefined ? undefined : { by: shownSort, dir: search.dir ?? sort.dir },
            onSort: ({ by, dir }: Sort) => list.change({ sort: by, dir }),
          })}
        />
      )}
      {list.data && count > 0 && (
        <Pager summary={summary(count)} onNext={list.onNext} onPrevious={list.onPrevious} />
      )}
    </Card>
  );
}

/** The choices of a filter by its ids and their texts. */
export const choicesOf = <Id extends string>(
  ids: readonly Id[],
  texts: Readonly<Record<Id, string>>,
): Choice<string>[] => ids.map((id) => ({ id, text: texts[id] }));
