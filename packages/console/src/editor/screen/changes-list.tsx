import { useFormats } from '../../texts/format.ts';
import { titleOf } from '../panels/names.ts';
import { type Comparison, isSame } from './comparison.ts';
import { useNames } from './queries.ts';
import style from './sheets.module.css';
import { useWorkbench } from './workbench.ts';

const mostTexts = 12;

/** Describes the differences in words. */
export function ChangesList({ comparison }: { comparison: Comparison }) {
  const { words, storeId } = useWorkbench();
  const formats = useFormats();
  const names = useNames(storeId);
  if (isSame(comparison)) return <p>{words.noChanges}</p>;
  const { texts, added, removed, changed, moved } = comparison;
  const counted = [
    [words.countAdded, added.length],
    [words.countRemoved, removed.length],
    [words.countChanged, changed.length],
    [words.countMoved, moved],
  ] as const;
  return (
    <ul className={style.changes}>
      {texts.slice(0, mostTexts).map(({ node, before, after }) => (
        <li key={`${node.id} ${after}`}>
          {titleOf({ ...node, props: {} }, words, names)}: <del>{short(before)}</del>{' '}
          <ins>{short(after)}</ins>
        </li>
      ))}
      {texts.length > mostTexts && <li>{words.moreTexts(formats.number(texts.length - mostTexts))}</li>}
      {counted
        .filter(([, count]) => count > 0)
        .map(([say, count]) => (
          <li key={say('')}>{say(formats.number(count))}</li>
        ))}
    </ul>
  );
}

const short = (text: string) => (text === '' ? '∅' : text.length > 80 ? `${text.slice(0, 79)}…` : text);
