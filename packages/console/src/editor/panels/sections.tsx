import { useQuery } from '@tanstack/react-query';
import type { PageNode } from '@waybill/page';
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react';
import { Button, IconButton, LinkButton } from '../../ui/button.tsx';
import { PlusIcon } from '../../ui/icons.tsx';
import { handleClipboardEvent } from '../clipboard/lazy-clipboard.ts';
import { ancestors, getChildIds, subtree, type Tree } from '../core/tree.ts';
import { describeKind, findBlockIcon, textPreview } from '../elements/names.ts';
import {
  canHide,
  findGlobalActionByKey,
  findNodeActionByKey,
  isHidden,
  toggleHidden,
} from '../workbench/actions.ts';
import { useCanvasTexts } from '../workbench/canvas-texts.ts';
import type { PagePart } from '../workbench/page-parts.ts';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { pathToPart } from '../workbench/paths.ts';
import { hasPageParts, type Names, pagePartsQuery, useNames } from '../workbench/queries.ts';
import { useEditorState, useView } from '../workbench/workbench.ts';
import { ElementIcon, HiddenIcon, ShownIcon, WarnIcon } from './icons.tsx';
import { RowMenu } from './row-menu.tsx';
import style from './sections.module.css';
import { startAfterMove } from './start-after-move.ts';

/** The parts of the page in their order, between the store's header and footer. */
export function Sections() {
  const workbench = usePanelWorkbench();
  const { words, editor, view, canWrite } = workbench;
  const { tree, selection } = useEditorState();
  const { problems } = useView();
  const names = useNames(workbench.storeId);
  const { clipboard } = useCanvasTexts();
  const list = useRef<HTMLOListElement>(null);
  const partIds = getChildIds(tree, tree.rootId);
  const findPart = (id: string) => [id, ...ancestors(tree, id)].find((each) => partIds.includes(each));
  const current = new Set(selection.flatMap((id) => findPart(id) ?? []));
  const partsWithProblems = new Set(problems.flatMap(({ id }) => (id === null ? [] : (findPart(id) ?? []))));
  const [currentPart] = current;
  const [shownCount, setShownCount] = useState(initialCount);
  const neededCount = currentPart === undefined ? 0 : partIds.indexOf(currentPart) + 1;
  const listed = partIds.slice(0, Math.max(shownCount, neededCount));
  const beginnings = useMemo(
    () => new Map(listed.map((id) => [id, findText(tree, id)])),
    [tree, listed.length],
  );
  useEffect(() => {
    if (currentPart !== undefined) findRow(list.current, currentPart)?.scrollIntoView({ block: 'nearest' });
  }, [currentPart]);

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const target = event.target as HTMLElement;
    if (target.dataset.part === undefined) return;
    const id = target.dataset.part;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step !== undefined && !event.altKey) {
      event.preventDefault();
      findRow(list.current, partIds[partIds.indexOf(id) + step])?.focus();
      return;
    }
    if (event.key === 'Enter' || event.key === ' ') return;
    const chosen = selection.includes(id) ? selection : [id];
    const nodeAction = findNodeActionByKey(workbench, event, chosen);
    const action = nodeAction ?? findGlobalActionByKey(workbench, event);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    // Only a key that acts on the part selects it: Tab walks through the list, and Shift alone does nothing.
    if (nodeAction) editor.select(chosen);
    action.run();
    // A moved part keeps the focus; after a removal it goes to the new selection.
    requestAnimationFrame(() => {
      if (nodeAction || !target.isConnected) findRow(list.current, editor.state.selection[0])?.focus();
    });
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the buttons in it
    <div
      className={style.sections}
      data-layers
      data-parts
      onKeyDown={onKeyDown}
      onCopy={({ nativeEvent }) => handleClipboardEvent('onCopy', workbench, nativeEvent, clipboard)}
      onCut={({ nativeEvent }) => handleClipboardEvent('onCut', workbench, nativeEvent, clipboard)}
      onPaste={({ nativeEvent }) => handleClipboardEvent('onPaste', workbench, nativeEvent, clipboard)}
    >
      <LayoutRow part="header" />
      <h2 className={style.head}>{words.sections}</h2>
      {partIds.length === 0 && <p className={style.hint}>{words.noSections}</p>}
      <ol ref={list} aria-label={words.sections} className={style.list}>
        {listed.map((id) => (
          <Row
            key={id}
            node={tree.nodes.get(id)!}
            beginning={beginnings.get(id) ?? ''}
            isHidden={isHidden(workbench, [id])}
            names={names}
            isCurrent={current.has(id)}
            hasProblem={partsWithProblems.has(id)}
          />
        ))}
      </ol>
      {listed.length < partIds.length && (
        <Button look="quiet" onPress={() => setShownCount(partIds.length)}>
          {words.showAllSections({ count: partIds.length })}
        </Button>
      )}
      {canWrite && (
        <Button
          look="quiet"
          onPress={() => {
            const at = currentPart === undefined ? partIds.length : partIds.indexOf(currentPart) + 1;
            const position = { parentId: tree.rootId, index: at };
            view.set({ sheet: { kind: 'insert', at: position, isSection: true } });
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

const findRow = (list: HTMLElement | null, id: string | undefined): HTMLElement | null =>
  id === undefined ? null : (list?.querySelector(`[data-part="${CSS.escape(id)}"]`) ?? null);

/** Parts shown at first; on a page with more of them a longer list would be of little use. */
const initialCount = 100;

/** Rendered again only when the part itself changes. */
const Row = memo(function Row({
  node,
  beginning,
  isHidden: isNodeHidden,
  names,
  isCurrent,
  hasProblem,
}: {
  node: PageNode;
  /** The first text of the part; replaced by its label if it has one. */
  beginning: string;
  isHidden: boolean;
  names: Names;
  isCurrent: boolean;
  hasProblem: boolean;
}) {
  const workbench = usePanelWorkbench();
  const { words, editor, canWrite } = workbench;
  const { id } = node;
  const kind = describeKind(node, words, names);
  const title = beginning === '' ? kind : `${kind}: ${beginning}`;
  return (
    <li
      className={style.row}
      data-layer={id}
      data-current={isCurrent}
      onPointerDownCapture={(event) => {
        const pressed = (event.target as Element).closest('button');
        if (event.button !== 0 || !canWrite || (pressed && !pressed.dataset.part)) return;
        startAfterMove(event, (from) => workbench.canvas.surface?.beginDrag(from, { ids: [id] }));
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
          workbench.canvas.surface?.scrollToNode(id);
        }}
        onDoubleClick={() => canWrite && workbench.view.set({ sheet: { kind: 'rename', id } })}
      >
        <ElementIcon type={node.type} blockIcon={findBlockIcon(node, names)} />
        <span className={style.name} data-hidden={isNodeHidden}>
          <span>{kind}</span> {beginning !== '' && <small>{beginning}</small>}
        </span>
        {hasProblem && (
          <span className={style.warn} role="img" aria-label={words.hasProblem}>
            <WarnIcon />
          </span>
        )}
      </button>
      {canWrite && (
        <>
          {canHide(workbench, [id]) && (
            <span className={style.act} data-on={isNodeHidden}>
              <IconButton
                label={isNodeHidden ? words.showThing({ name: title }) : words.hideThing({ name: title })}
                onPress={() => toggleHidden(workbench, [id])}
              >
                {isNodeHidden ? <HiddenIcon /> : <ShownIcon />}
              </IconButton>
            </span>
          )}
          <span className={style.act}>
            <RowMenu id={id} label={words.actionsFor({ thing: title })} />
          </span>
        </>
      )}
    </li>
  );
});

/** Returns the first text of a part: its heading, else any text. */
function findText(tree: Tree, id: string): string {
  if (tree.nodes.get(id)?.label) return '';
  const nodes = [...subtree(tree, id)];
  const heading = nodes.find(({ type }) => type === 'heading');
  return [...(heading ? [heading] : []), ...nodes].map(textPreview).find((text) => text !== '') ?? '';
}

/** A row for the store's header or footer, which have an editor of their own. */
function LayoutRow({ part }: { part: PagePart }) {
  const { words, subject, storeId } = usePanelWorkbench();
  const { locale } = useView();
  const { data } = useQuery({ ...pagePartsQuery(subject, locale), enabled: false });
  if (!hasPageParts(subject) || !data?.html[part]) return null;
  return (
    <LinkButton look="quiet" href={pathToPart(storeId, part)} aria-label={words.editPart[part]}>
      <ElementIcon type="sectionRef" />
      {words.pageParts[part]}
    </LinkButton>
  );
}
