import type { ReactNode } from 'react';
import { GridList, GridListItem, type Selection } from 'react-aria-components/GridList';
import { Checkbox } from './checkbox.tsx';
import { Skeleton } from './layout.tsx';
import { useUiTexts } from './texts.ts';
import style from './tiles.module.css';

/** A grid of items recognised by their pictures: arrow keys move, Enter opens, Space selects. */
export function Tiles<Item extends { id: string }>({
  label,
  items,
  getName,
  getHref,
  picture,
  detail,
  selected,
  onSelect,
  isLoading = false,
  empty,
}: {
  label: string;
  items: readonly Item[];
  getName(item: Item): string;
  getHref(item: Item): string;
  picture(item: Item): ReactNode;
  detail?(item: Item): ReactNode;
  /** The ids of the selected tiles. Tiles are selectable only with `onSelect`. */
  selected?: ReadonlySet<string>;
  onSelect?(selected: ReadonlySet<string>): void;
  isLoading?: boolean;
  empty: ReactNode;
}) {
  const texts = useUiTexts();
  if (isLoading && items.length === 0) return <Skeleton lines={10} />;
  if (items.length === 0) return <>{empty}</>;
  return (
    <GridList
      aria-label={label}
      aria-busy={isLoading}
      layout="grid"
      items={items}
      className={style.tiles!}
      {...(onSelect && {
        selectionMode: 'multiple' as const,
        selectedKeys: selected ?? new Set<string>(),
        onSelectionChange: (keys: Selection) =>
          onSelect(keys === 'all' ? new Set(items.map(({ id }) => id)) : (keys as Set<string>)),
      })}
    >
      {(item) => (
        <GridListItem id={item.id} textValue={getName(item)} href={getHref(item)} className={style.tile!}>
          <span className={style.picture}>{picture(item)}</span>
          <span className={style.name}>{getName(item)}</span>
          {detail && <span className={style.detail}>{detail(item)}</span>}
          {onSelect && (
            <span className={style.check}>
              <Checkbox
                label={<span className={style.hidden}>{texts.select}</span>}
                {...({ slot: 'selection' } as object)}
              />
            </span>
          )}
        </GridListItem>
      )}
    </GridList>
  );
}
