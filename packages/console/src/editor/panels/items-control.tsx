import type { Json, ValueType } from '@waybill/page';
import { Button, IconButton } from '../../ui/button.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import style from '../elements/pickers.module.css';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { type ControlProps, TypedControl } from './controls.tsx';
import { DownIcon, UpIcon } from './icons.tsx';
import { LinkControl } from './link-control.tsx';
import { findItem } from './list-items.ts';
import { MediaControl } from './media-control.tsx';

type Shape = 'texts' | 'options' | 'pictures';
type Item = { readonly [key: string]: Json };

/** A control for the items of a list, a choice or a gallery, in their order. */
export function ItemsControl({ shape, ...props }: ControlProps & { shape: Shape }) {
  const { words } = usePanelWorkbench();
  const { value, type, isDisabled, readLatest, onChange } = props;
  const items = toItems(value);
  const parts = getParts(type);
  const replace = (at: number, ...next: Json[]) => onChange([...items].toSpliced(at, 1, ...next));
  const move = (from: number, to: number) =>
    onChange([...items].toSpliced(from, 1).toSpliced(to, 0, items[from]!));
  const part = (at: number, key: string): ControlProps => ({
    ...props,
    label: words.itemPart({ part: words.itemParts[key] ?? key, at: at + 1 }),
    placeholder: words.itemParts[key] ?? key,
    type: parts[key] ?? { type: 'string' },
    value: toItem(items[at]!, shape)[key],
    // The list may have changed since, as it may while a picture uploads.
    onChange(next) {
      const latest = toItems(readLatest());
      const now = findItem(items, at, latest);
      if (now < 0) return;
      const item = written({ ...toItem(latest[now]!, shape), [key]: next as Json }, shape);
      onChange(latest.toSpliced(now, 1, item));
    },
  });
  const first = shape === 'options' ? 'label' : 'text';
  return (
    <div className={style.stack}>
      <ol className={style.items}>
        {items.map((item, at) => (
          // Items have no ids, so the index is the key.
          <li key={at} className={style.item}>
            <div className={style.stack}>
              {shape === 'pictures' ? (
                <>
                  <MediaControl {...part(at, 'src')} isVideo={false} />
                  <TypedControl {...part(at, 'alt')} />
                  <TypedControl {...part(at, 'caption')} />
                </>
              ) : (
                <TypedControl {...part(at, first)} />
              )}
              {shape === 'options' && <TypedControl {...part(at, 'value')} />}
              {shape === 'texts' && typeof item === 'object' && parts.href && (
                <LinkControl {...part(at, 'href')} />
              )}
            </div>
            <div className={style.tools}>
              <IconButton
                label={words.itemUp({ at: at + 1 })}
                isDisabled={isDisabled || at === 0}
                onPress={() => move(at, at - 1)}
              >
                <UpIcon />
              </IconButton>
              <IconButton
                label={words.itemDown({ at: at + 1 })}
                isDisabled={isDisabled || at === items.length - 1}
                onPress={() => move(at, at + 1)}
              >
                <DownIcon />
              </IconButton>
              <IconButton
                label={words.itemRemove({ at: at + 1 })}
                isDisabled={isDisabled}
                onPress={() => replace(at)}
              >
                <CrossIcon />
              </IconButton>
            </div>
          </li>
        ))}
      </ol>
      <div className={style.row}>
        <Button
          size="small"
          isDisabled={isDisabled || items.length >= (type.maxItems ?? 200)}
          onPress={() =>
            onChange([...items, shape === 'pictures' ? {} : shape === 'options' ? { label: '' } : ''])
          }
        >
          {words.itemAdd}
        </Button>
        {shape === 'texts' && parts.href && items.some((item) => typeof item === 'string') && (
          <Button
            size="small"
            look="quiet"
            isDisabled={isDisabled}
            onPress={() => onChange(items.map((item) => (typeof item === 'string' ? { text: item } : item)))}
          >
            {words.itemLinks}
          </Button>
        )}
      </div>
    </div>
  );
}

const toItems = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];

const getParts = ({ items }: ValueType): Readonly<Record<string, ValueType>> =>
  items?.anyOf?.find(({ type }) => type === 'object')?.properties ?? {};

const toItem = (item: Json, shape: Shape): Item =>
  typeof item === 'string' ? { [shape === 'options' ? 'label' : 'text']: item } : ((item ?? {}) as Item);

/** Writes an item; one with only a text becomes that text. */
function written(item: Item, shape: Shape): Json {
  const kept = Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
  const [first, ...others] = Object.keys(kept);
  return shape === 'texts' && first === 'text' && others.length === 0 ? kept.text! : (kept as Json);
}
