import type { ReactNode } from 'react';
import type { ListSearch, useList } from '../api/list.ts';
import { useSearch } from '../router/router.tsx';
import { useCommon } from '../texts/common.ts';
import { Button } from '../ui/button.tsx';
import type { Choice } from '../ui/field.tsx';
import { Filters } from '../ui/filters.tsx';
import { Card, Empty } from '../ui/layout.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Select } from '../ui/select.tsx';
import { type ColumnOf, Pager, type Sort, Table } from '../ui/table.tsx';
import { Failure } from './problems.tsx';

/** A filter with a few choices; the address holds its value. */
export interface ListFilter {
  /** Name of its search parameter. */
  name: string;
  label: string;
  isLabelShown?: boolean;
  /** Label of the choice that turns the filter off. */
  any: string;
  choices: readonly Choice<string>[];
}

type List = Pick<
  ReturnType<typeof useList<{ nextCursor: string | null; total?: number }, ListSearch>>,
  'data' | 'error' | 'refetch' | 'isFetching' | 'change' | 'onNext' | 'onPrevious'
>;

/** Properties of a custom rendering of the items; the default is a table. */
export interface ListView<Item> {
  label: string;
  items: readonly Item[];
  getHref(item: Item): string;
  isLoading: boolean;
  empty: ReactNode;
  selected?: ReadonlySet<string>;
  onSelect?(selected: ReadonlySet<string>): void;
}

interface ResourceListProps<Item> {
  /** Accessible name of the table. */
  label: string;
  /** Heading above the list, for screens whose title does not name it. */
  title?: string;
  actions?: ReactNode;
  list: List;
  items: readonly Item[] | undefined;
  columns: readonly ColumnOf<Item>[];
  getHref?(item: Item): string;
  onOpen?(item: Item): void;
  /** Rendered above the filters. */
  before?: ReactNode;
  /** Missing: the list has no search. */
  searchPlaceholder?: string;
  filters?: readonly ListFilter[];
  /** Custom filters, beside `filters`. */
  moreFilters?: ReactNode;
  /** Search parameters of `moreFilters`, which also count as filters. */
  narrowing?: readonly string[];
  /** Search parameters that show the unfiltered list. Missing: all filters are removed. */
  showAll?: Readonly<Record<string, string>>;
  /** Default order. Missing: the list cannot be sorted. Without `by`, no column is marked at first. */
  sort?: { by?: string; dir: Sort['dir'] };
  selection?: { selected: ReadonlySet<string>; onSelect(selected: ReadonlySet<string>): void } | false;
  /** Actions for the selected items. */
  bulk?: ReactNode;
  isLoading?: boolean;
  /** Shown when the unfiltered list is empty. */
  empty: ReactNode;
  /** Returns the summary for the total, or for the number of items shown if the list has no total. */
  summary(args: { count: number }): ReactNode;
  view?(list: ListView<Item>): ReactNode;
}

/** A page of a list, with filters, sorting, bulk actions and a pager. */
export function ResourceList<Item extends { id: string }>({
  label,
  title,
  actions,
  list,
  items = [],
  columns,
  getHref,
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
}: ResourceListProps<Item>) {
  const common = useCommon();
  const search = useSearch<ListSearch & Record<string, string | undefined>>();
  const names = filters.map(({ name }) => name).concat(narrowing, searchPlaceholder === undefined ? [] : 'q');
  const isNarrowed = names.some((name) => search[name] !== undefined);
  const unfiltered = { ...Object.fromEntries(names.map((name) => [name, undefined])), ...showAll };
  const shownSort = search.sort ?? sort?.by;
  const shared = {
    label,
    items,
    isLoading,
    getHref,
    ...selection,
    // Everything on this page is gone, but earlier pages may have items.
    empty: search.after ? (
      <Empty
        title={common.pageEmpty}
        action={<Button onPress={() => list.change({})}>{common.firstPage}</Button>}
      />
    ) : isNarrowed ? (
      <Empty
        title={common.nothingFound}
        action={<Button onPress={() => list.change(unfiltered)}>{common.clearFilters}</Button>}
      >
        {common.nothingFoundHint}
      </Empty>
    ) : (
      empty
    ),
  };
  const count = list.data?.total ?? items.length;
  return (
    <Card title={title} actions={actions} isFlush>
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
          onOpen={onOpen}
          sort={sort && shownSort ? { by: shownSort, dir: search.dir ?? sort.dir } : undefined}
          onSort={sort && (({ by, dir }) => list.change({ sort: by, dir }))}
        />
      )}
      {list.data && count > 0 && (
        <Pager summary={summary({ count })} onNext={list.onNext} onPrevious={list.onPrevious} />
      )}
    </Card>
  );
}

/** Builds the choices of a filter from its ids and texts. */
export const createChoices = <Id extends string>(
  ids: readonly Id[],
  texts: Readonly<Record<Id, string>>,
): Choice<string>[] => ids.map((id) => ({ id, text: texts[id] }));
