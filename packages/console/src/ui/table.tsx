import { type ReactNode, useMemo } from 'react';
import {
  Table as AriaTable,
  Cell,
  Column,
  Row,
  type Selection,
  type SortDescriptor,
  TableBody,
  TableHeader,
  useTableOptions,
} from 'react-aria-components/Table';
import { Button } from './button.tsx';
import { Checkbox } from './checkbox.tsx';
import { useLatest } from './latest.ts';
import { Skeleton } from './layout.tsx';
import style from './table.module.css';
import { useUiTexts } from './texts.ts';

export interface ColumnOf<Item> {
  id: string;
  title: string;
  cell(item: Item): ReactNode;
  /** The API's name of this order. Missing: the list cannot be sorted by this column. */
  sort?: string;
  /** Aligns the column at the end, for numbers and money. */
  isEnd?: boolean;
  /** Whether screen readers announce this column as the row's name. Defaults to the first column. */
  isHeader?: boolean;
  /** Hidden on narrow screens. */
  isWide?: boolean;
  /** Only screen readers get the title. */
  isTitleHidden?: boolean;
}

export interface Sort {
  by: string;
  dir: 'asc' | 'desc';
}

interface TableProps<Item> {
  label: string;
  columns: readonly ColumnOf<Item>[];
  items: readonly Item[];
  /** Link target of a row. */
  getHref?: ((item: Item) => string) | undefined;
  onOpen?: ((item: Item) => void) | undefined;
  sort?: Sort | undefined;
  onSort?: ((sort: Sort) => void) | undefined;
  /** The ids of the selected rows. Rows are selectable only with `onSelect`. */
  selected?: ReadonlySet<string>;
  onSelect?(selected: ReadonlySet<string>): void;
  isLoading?: boolean;
  empty: ReactNode;
}

/**
 * A list as a grid: arrow keys move, Enter opens, Space selects. Rows are rendered again only when `items`, `columns`
 * or the selection change, because a screen renders several times between two pages.
 */
export function Table<Item extends { id: string }>({
  label,
  columns,
  items,
  getHref,
  onOpen,
  sort,
  onSort,
  selected,
  onSelect,
  isLoading = false,
  empty,
}: TableProps<Item>) {
  const texts = useUiTexts();
  const acts = useLatest({ onOpen, onSort, onSelect });
  const [canOpen, canSort, canSelect] = [!!onOpen, !!onSort, !!onSelect];
  const { by, dir } = sort ?? {};
  // `getHref` is a new function on each render. The first row's link stands for all: if it is unchanged, so are the
  // others.
  const firstHref = items[0] && getHref?.(items[0]);
  const grid = useMemo(() => {
    const direction = dir === 'asc' ? 'ascending' : 'descending';
    const sorted: SortDescriptor | undefined = by === undefined ? undefined : { column: by, direction };
    const header = columns.find(({ isHeader }) => isHeader) ?? columns[0];
    return (
      <AriaTable
        aria-label={label}
        className={style.table!}
        {...(sorted && { sortDescriptor: sorted })}
        onSortChange={({ column, direction }) =>
          acts.current.onSort?.({ by: String(column), dir: direction === 'ascending' ? 'asc' : 'desc' })
        }
        {...(canSelect && {
          selectionMode: 'multiple' as const,
          selectedKeys: selected ?? new Set<string>(),
          onSelectionChange: (keys: Selection) =>
            acts.current.onSelect?.(
              keys === 'all' ? new Set(items.map(({ id }) => id)) : (keys as Set<string>),
            ),
        })}
        {...(canOpen && {
          onRowAction: (id: string | number) => {
            const item = items.find((candidate) => candidate.id === id);
            if (item) acts.current.onOpen?.(item);
          },
        })}
      >
        <TableHeader>
          {canSelect && (
            <Column className={style.selectCell!} width={44}>
              <Checkbox
                label={<span className={style.hidden}>{texts.selectAll}</span>}
                {...createSlotProps('selection')}
              />
            </Column>
          )}
          {columns.map((column) => (
            <Column
              key={column.id}
              id={column.sort ?? column.id}
              allowsSorting={column.sort !== undefined && canSort}
              isRowHeader={column === header}
              className={getClassNames(column)}
            >
              {({ sortDirection }) => (
                <span className={column.isTitleHidden ? style.hidden : style.title}>
                  {column.title}
                  {sortDirection && (
                    <span aria-hidden="true">{sortDirection === 'ascending' ? '↑' : '↓'}</span>
                  )}
                </span>
              )}
            </Column>
          ))}
        </TableHeader>
        <TableBody items={items} dependencies={[columns, firstHref]}>
          {(item) => (
            <Row id={item.id} className={style.bodyRow!} {...(getHref && { href: getHref(item) })}>
              <SelectionCell />
              {columns.map((column) => (
                <Cell key={column.id} className={getClassNames(column)}>
                  {column.cell(item)}
                </Cell>
              ))}
            </Row>
          )}
        </TableBody>
      </AriaTable>
    );
  }, [label, columns, items, firstHref, selected, by, dir, canOpen, canSort, canSelect, texts, acts]);
  if (isLoading && items.length === 0) return <Skeleton lines={10} />;
  if (items.length === 0) return <>{empty}</>;
  return (
    <div className={style.frame} aria-busy={isLoading}>
      {grid}
    </div>
  );
}

/** React Aria passes props to a row's checkbox by the name of its slot. */
const createSlotProps = (slot: string) => ({ slot }) as object;

function SelectionCell() {
  const { selectionBehavior } = useTableOptions();
  const texts = useUiTexts();
  if (selectionBehavior !== 'toggle') return null;
  return (
    <Cell className={style.selectCell!}>
      <Checkbox
        label={<span className={style.hidden}>{texts.select}</span>}
        {...createSlotProps('selection')}
      />
    </Cell>
  );
}

const getClassNames = <Item,>({ isEnd, isWide }: ColumnOf<Item>) =>
  `${style.cell} ${isEnd ? style.end : ''} ${isWide ? style.wide : ''}`;

interface PagerProps {
  summary: ReactNode;
  /** Missing: there is no next page. */
  onNext?: (() => void) | undefined;
  onPrevious?: (() => void) | undefined;
}

/** The footer of a list: number of items, and buttons for the previous and next page. */
export function Pager({ summary, onNext, onPrevious }: PagerProps) {
  const texts = useUiTexts();
  return (
    <div className={style.pager}>
      <span role="status">{summary}</span>
      {(onNext || onPrevious) && (
        <span className={style.pages}>
          <Button size="small" isDisabled={!onPrevious} {...(onPrevious && { onPress: onPrevious })}>
            {texts.previousPage}
          </Button>
          <Button size="small" isDisabled={!onNext} {...(onNext && { onPress: onNext })}>
            {texts.nextPage}
          </Button>
        </span>
      )}
    </div>
  );
}

/** A `Pager` for a list that reports its total. Renders nothing while the list loads or is empty. */
export function ListPager({
  list: { data, onNext, onPrevious },
  summary,
}: {
  list: Pick<PagerProps, 'onNext' | 'onPrevious'> & { data: { total: number } | undefined };
  summary(args: { count: number }): ReactNode;
}) {
  if (!data || data.total === 0) return null;
  return <Pager summary={summary({ count: data.total })} onNext={onNext} onPrevious={onPrevious} />;
}
