import { useQuery } from '@tanstack/react-query';
import type { PageNode } from '@waybill/page';
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react';
import { Button, IconButton, LinkButton } from '../../ui/button.tsx';
import { PlusIcon } from '../../ui/icons.tsx';
import { withClipboard } from '../canvas/clipboard-late.ts';
import { beginDrag } from '../canvas/drag.ts';
import type { PagePart } from '../canvas/frame.ts';
import { useCanvasTexts } from '../canvas/texts.ts';
import { ancestors, childrenOf, subtree, type Tree } from '../core/tree.ts';
import { actionByKey, canHide, isHidden, toggleHidden } from '../screen/actions.ts';
import { aroundQuery, hasAround, type Names, useNames } from '../screen/queries.ts';
import { partAddress } from '../screen/ways.ts';
import { useEditorState, useView, useWorkbench } from '../screen/workbench.ts';
import { afterMove } from './after-move.ts';
import { ElementIcon, HiddenIcon, ShownIcon, WarnIcon } from './icons.tsx';
import { beginningOf, blockIconOf, kindOf } from './names.ts';
import { RowMenu } from './row-menu.tsx';
import style from './sections.module.css';

/** The parts of the page in their order, between the store's header and footer. */
export function Sections() {
  const workbench = useWorkbench();
  const { words, editor, view, canWrite } = workbench;
  const { tree, selection } = useEditorState();
  const { problems } = useView();
  const names = useNames(workbench.storeId);
  const { clipboard } = useCanvasTexts();
  const list = useRef<HTMLOListElement>(null);
  const parts = childrenOf(tree, tree.rootId);
  const partOf = (id: string) => [id, ...ancestors(tree, id)].find((each) => parts.includes(each));
  const current = new Set(selection.flatMap((id) => partOf(id) ?? []));
  const wrong = new Set(problems.flatMap(({ id }) => (id === null ? [] : (partOf(id) ?? []))));
  const [shown] = current;
  const [most, setMost] = useState(mostAtFirst);
  const wanted = shown === undefined ? 0 : parts.indexOf(shown) + 1;
  const listed = parts.slice(0, Math.max(most, wanted));
  const beginnings = useMemo(
    () => new Map(listed.map((id) => [id, firstText(tree, id)])),
    [tree, listed.length],
  );
  useEffect(() => {
    if (shown !== undefined) rowOf(list.current, shown)?.scrollIntoView({ block: 'nearest' });
  }, [shown]);

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const target = event.target as HTMLElement;
    if (target.dataset.part === undefined) return;
    const id = target.dataset.part;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step !== undefined && !event.altKey) {
      event.preventDefault();
      rowOf(list.current, parts[parts.indexOf(id) + step])?.focus();
      return;
    }
    if (event.key === 'Enter' || event.key === ' ') return;
    if (!selection.includes(id)) editor.select([id]);
    const action = actionByKey(workbench, event);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action.run();
    // A moved part keeps the focus; after a removal it goes to the new selection.
    requestAnimationFrame(() => rowOf(list.current, editor.state.selection[0])?.focus());
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the buttons in it
    <div
      className={style.sections}
      data-layers
      data-parts
      onKeyDown={onKeyDown}
      onCopy={({ nativeEvent }) => withClipboard('onCopy', workbench, nativeEvent, clipboard)}
      onCut={({ nativeEvent }) => withClipboard('onCut', workbench, nativeEvent, clipboard)}
      onPaste={({ nativeEvent }) => withClipboard('onPaste', workbench, nativeEvent, clipboard)}
    >
      <LayoutRow part="header" />
      <h2 className={style.head}>{words.sections}</h2>
      {parts.length === 0 && <p className={style.hint}>{words.noSections}</p>}
      <ol ref={list} aria-label={words.sections} className={style.list}>
        {listed.map((id) => (
          <Row
            key={id}
            node={tree.nodes.get(id)!}
            beginning={beginnings.get(id) ?? ''}
            isHidden={isHidden(workbench, [id])}
            names={names}
            isCurrent={current.has(id)}
            isWrong={wrong.has(id)}
          />
        ))}
      </ol>
      {listed.length < parts.length && (
        <Button look="quiet" onPress={() => setMost(parts.length)}>
          {words.showAllSections(parts.length)}
        </Button>
      )}
      {canWrite && (
        <Button
          look="quiet"
          onPress={() => {
            const at = shown === undefined ? parts.length : parts.indexOf(shown) + 1;
            const place = { parentId: tree.rootId, index: at };
            view.set({ sheet: { is: 'insert', at: place, isSection: true } });
          }}
        >
          <PlusIcon />
          {words.addSection}
        </Button>
      )}
      <LayoutRow part="footer" />
    </div>
  );
}

const rowOf = (list: HTMLElement | null, id: string | undefined): HTMLElement | null =>
  id === undefined ? null : (list?.querySelector(`[data-part="${CSS.escape(id)}"]`) ?? null);

/** Parts shown at first; on a page with more of them a longer list would be of little use. */
const mostAtFirst = 100;

/** Rendered again only when the part itself changes. */
const Row = memo(function Row({
  node,
  beginning,
  isHidden: hidden,
  names,
  isCurrent,
  isWrong,
}: {
  node: PageNode;
  /** The first text of the part; replaced by its label if it has one. */
  beginning: string;
  isHidden: boolean;
  names: Names;
  isCurrent: boolean;
  isWrong: boolean;
}) {
  const workbench = useWorkbench();
  const { words, editor, canWrite } = workbench;
  const { id } = node;
  const kind = kindOf(node, words, names);
  const title = beginning === '' ? kind : `${kind}: ${beginning}`;
  return (
    <li
      className={style.row}
      data-layer={id}
      data-current={isCurrent}
      onPointerDownCapture={(event) => {
        const pressed = (event.target as Element).closest('button');
        if (event.button !== 0 || !canWrite || (pressed && !pressed.dataset.part)) return;
        afterMove(event, () => beginDrag(workbench, event.nativeEvent, { ids: [id] }));
      }}
    >
      <button
        type="button"
        data-part={id}
        aria-label={title}
        aria-current={isCurrent}
        className={style.part}
        onClick={() => {
          editor.select([id]);
          workbench.canvas.surface?.reveal(id);
        }}
        onDoubleClick={() => canWrite && workbench.view.set({ sheet: { is: 'rename', id } })}
      >
        <ElementIcon type={node.type} blockIcon={blockIconOf(node, names)} />
        <span className={style.name} data-hidden={hidden}>
          <span>{kind}</span> {beginning !== '' && <small>{beginning}</small>}
        </span>
        {isWrong && (
          <span className={style.warn} role="img" aria-label={words.hasProblem}>
            <WarnIcon />
          </span>
        )}
      </button>
      {canWrite && (
        <>
          {canHide(workbench, [id]) && (
            <span className={style.act} data-on={hidden}>
              <IconButton
                label={hidden ? words.showThing(title) : words.hideThing(title)}
                onPress={() => toggleHidden(workbench, [id])}
              >
                {hidden ? <HiddenIcon /> : <ShownIcon />}
              </IconButton>
            </span>
          )}
          <span className={style.act}>
            <RowMenu id={id} label={words.actionsFor(title)} />
          </span>
        </>
      )}
    </li>
  );
});

/** Returns the first text of a part: its heading, else any text. */
function firstText(tree: Tree, id: string): string {
  if (tree.nodes.get(id)?.label) return '';
  const nodes = [...subtree(tree, id)];
  const heading = nodes.find(({ type }) => type === 'heading');
  return [...(heading ? [heading] : []), ...nodes].map(beginningOf).find((text) => text !== '') ?? '';
}

/** A row for the store's header or footer, which have an editor of their own. */
function LayoutRow({ part }: { part: PagePart }) {
  const { words, subject, storeId } = useWorkbench();
  const { locale } = useView();
  const { data } = useQuery({ ...aroundQuery(subject, locale), enabled: false });
  if (!hasAround(subject) || !data?.html[part]) return null;
  return (
    <LinkButton look="quiet" href={partAddress(storeId, part)} aria-label={words.editPart[part]}>
      <ElementIcon type="sectionRef" />
      {words.pageParts[part]}
    </LinkButton>
  );
}
