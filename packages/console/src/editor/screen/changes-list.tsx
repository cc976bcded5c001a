import { nodeTitle } from '../elements/names.ts';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { useNames } from '../workbench/queries.ts';
import { type Comparison, hasNoChanges } from './comparison.ts';
import style from './sheets.module.css';

const maxTexts = 12;

/** Describes the differences in words. */
export function ChangesList({ comparison }: { comparison: Comparison }) {
  const { words, storeId } = usePanelWorkbench();
  const names = useNames(storeId);
  if (hasNoChanges(comparison)) return <p>{words.noChanges}</p>;
  const { texts, added, removed, changed, moved } = comparison;
  const counted = [
    [words.countAdded, added.length],
    [words.countRemoved, removed.length],
    [words.countChanged, changed.length],
    [words.countMoved, moved],
  ] as const;
  return (
    <ul className={style.changes}>
      {texts.slice(0, maxTexts).map(({ node, before, after }) => (
        <li key={`${node.id} ${after}`}>
          {nodeTitle({ ...node, props: {} }, words, names)}: <del>{truncate(before)}</del>{' '}
          <ins>{truncate(after)}</ins>
        </li>
      ))}
      {texts.length > maxTexts && <li>{words.moreTexts({ count: texts.length - maxTexts })}</li>}
      {counted
        .filter(([, count]) => count > 0)
        .map(([label, count]) => (
          <li key={label({ count: 0 })}>{label({ count })}</li>
        ))}
    </ul>
  );
}

const truncate = (text: string) => (text === '' ? '∅' : text.length > 80 ? `${text.slice(0, 79)}…` : text);
