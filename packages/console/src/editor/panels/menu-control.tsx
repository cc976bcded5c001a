import type { Json, ValueType } from '@waybill/page';
import { Button, IconButton } from '../../ui/button.tsx';
import { CrossIcon } from '../../ui/icons.tsx';
import style from '../elements/pickers.module.css';
import { useSampleTexts } from '../elements/sample-texts.ts';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { type ControlProps, TypedControl } from './controls.tsx';
import { DownIcon, UpIcon } from './icons.tsx';
import { LinkControl } from './link-control.tsx';

type Entry = { readonly [key: string]: Json };

/** A control for the entries of a menu in their order, each with its target and, one level deep, its own entries. */
export function MenuControl(props: ControlProps) {
  return <Entries {...props} numberPrefix="" />;
}

function Entries({ numberPrefix, ...props }: ControlProps & { numberPrefix: string }) {
  const { words } = usePanelWorkbench();
  const samples = useSampleTexts();
  const { value, type, isDisabled, onChange } = props;
  const entries = Array.isArray(value) ? (value as readonly Entry[]) : [];
  const parts: Readonly<Record<string, ValueType>> = type.items?.properties ?? {};
  const replace = (at: number, ...next: Entry[]) => onChange(entries.toSpliced(at, 1, ...next));
  const move = (from: number, to: number) =>
    onChange(entries.toSpliced(from, 1).toSpliced(to, 0, entries[from]!));
  const set = (at: number, key: string, next: Json | undefined) => {
    const { [key]: _, ...others } = entries[at]!;
    const isEmptyValue = next === undefined || (key === 'items' && (next as readonly Json[]).length === 0);
    replace(at, isEmptyValue && key !== 'text' ? others : { ...others, [key]: next ?? '' });
  };
  /** `2.1` is the first entry below the second. */
  const entryNumber = (at: number) => `${numberPrefix}${at + 1}`;
  const partProps = (at: number, key: string): ControlProps => ({
    ...props,
    label: words.menuPart({ part: words.itemParts[key] ?? key, at: entryNumber(at) }),
    labelId: '',
    placeholder: words.itemParts[key] ?? key,
    type: parts[key] ?? { type: 'string' },
    value: entries[at]![key],
    onChange: (next) => set(at, key, next),
  });
  return (
    <div className={style.stack}>
      <ol className={style.items}>
        {entries.map((_, at) => (
          // Entries have no ids, so the index is the key.
          <li key={at} className={style.item}>
            <div className={style.stack}>
              <TypedControl {...partProps(at, 'text')} />
              <LinkControl {...partProps(at, 'href')} />
              {parts.items && <Entries {...partProps(at, 'items')} numberPrefix={`${entryNumber(at)}.`} />}
            </div>
            <div className={style.tools}>
              <IconButton
                label={words.menuUp({ at: entryNumber(at) })}
                isDisabled={isDisabled || at === 0}
                onPress={() => move(at, at - 1)}
              >
                <UpIcon />
              </IconButton>
              <IconButton
                label={words.menuDown({ at: entryNumber(at) })}
                isDisabled={isDisabled || at === entries.length - 1}
                onPress={() => move(at, at + 1)}
              >
                <DownIcon />
              </IconButton>
              <IconButton
                label={words.menuRemove({ at: entryNumber(at) })}
                isDisabled={isDisabled}
                onPress={() => replace(at)}
              >
                <CrossIcon />
              </IconButton>
            </div>
          </li>
        ))}
      </ol>
      <Button
        size="small"
        look={numberPrefix === '' ? 'secondary' : 'quiet'}
        isDisabled={isDisabled || entries.length >= (type.maxItems ?? 50)}
        onPress={() => onChange([...entries, { text: samples.item }])}
      >
        {numberPrefix === '' ? words.menuAdd : words.menuAddBelow({ at: numberPrefix.slice(0, -1) })}
      </Button>
    </div>
  );
}
