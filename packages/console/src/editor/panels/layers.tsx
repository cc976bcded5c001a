import type { PageNode } from '@waybill/page';
import { type KeyboardEvent, type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { Collection } from 'react-aria-components/Collection';
import type { Selection } from 'react-aria-components/Table';
import { Tree, TreeItem, TreeItemContent } from 'react-aria-components/Tree';
import { ListLayout, Virtualizer } from 'react-aria-components/Virtualizer';
import { ChevronIcon } from '../../ui/icons.tsx';
import { handleClipboardEvent } from '../clipboard/lazy-clipboard.ts';
import { ancestors, type Tree as Nodes } from '../core/tree.ts';
import { describeKind, findBlockIcon, nodeTitle, textPreview } from '../elements/names.ts';
import { findActionByKey } from '../workbench/actions.ts';
import { useCanvasTexts } from '../workbench/canvas-texts.ts';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { type Names, useNames } from '../workbench/queries.ts';
import { useEditorState, useView } from '../workbench/workbench.ts';
import { ElementIcon, HiddenIcon, WarnIcon } from './icons.tsx';
import style from './layers.module.css';
import { RowMenu } from './row-menu.tsx';
import { startAfterMove } from './start-after-move.ts';

/**
 * A node with everything below it. The object stays the same while nothing in it changes, so that only changed rows
 * render again.
 */
interface Layer {
  readonly id: string;
  readonly node: PageNode;
  readonly children: readonly Layer[];
}

/** The document as a tree: an accessible view of the canvas, and a way to find elements. */
export function Layers() {
  const workbench = usePanelWorkbench();
  const { words, editor, view } = workbench;
  const { tree, selection } = useEditorState();
  const { problems } = useView();
  const names = useNames(workbench.storeId);
  const { clipboard } = useCanvasTexts();
  const root = useLayers(tree);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(() => initiallyExpanded(tree));
  const problemIds = useMemo(() => new Set(problems.map(({ id }) => id)), [problems]);

  // Expands the ancestors of nodes that are selected elsewhere.
  useEffect(() => {
    setExpanded((before) => {
      const ancestorIds = selection.flatMap((id) => [...ancestors(editor.state.tree, id)]);
      return ancestorIds.every((id) => before.has(id)) ? before : new Set([...before, ...ancestorIds]);
    });
  }, [selection, editor]);

  const pane = useRef<HTMLDivElement>(null);
  const last = selection.at(-1);
  useEffect(() => {
    const scroller = pane.current?.querySelector('[role=treegrid]');
    const at = last === undefined ? -1 : listRows(root, expanded).indexOf(last);
    if (scroller && at >= 0) scrollToRow(scroller, at);
  }, [last, root, expanded]);

  const select = (keys: Selection) =>
    editor.select(keys === 'all' ? [...tree.nodes.keys()] : [...keys].map(String));
  const render = (layer: Layer): ReactElement => (
    <TreeItem
      id={layer.id}
      textValue={nodeTitle(layer.node, words, names)}
      hasChildItems={layer.children.length > 0}
      className={style.item!}
    >
      <TreeItemContent>
        <Row node={layer.node} names={names} hasProblem={problemIds.has(layer.id)} />
      </TreeItemContent>
      {/* A closed layer needs a child to be expandable; one out of thousands is enough. */}
      {layer.children.length > 0 && (
        <Collection items={expanded.has(layer.id) ? layer.children : layer.children.slice(0, 1)}>
          {render}
        </Collection>
      )}
    </TreeItem>
  );

  // Runs before the tree's own handler, which uses Escape and letters for other purposes.
  function onKeyDown(event: KeyboardEvent) {
    if (event.target instanceof HTMLInputElement || event.key === 'Escape') return;
    const action = event.key === 'Enter' ? undefined : findActionByKey(workbench, event);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action.run();
  }
  return (
    <div
      ref={pane}
      className={style.layers}
      role="presentation"
      data-layers
      onKeyDownCapture={onKeyDown}
      onCopy={({ nativeEvent }) => handleClipboardEvent('onCopy', workbench, nativeEvent, clipboard)}
      onCut={({ nativeEvent }) => handleClipboardEvent('onCut', workbench, nativeEvent, clipboard)}
      onPaste={({ nativeEvent }) => handleClipboardEvent('onPaste', workbench, nativeEvent, clipboard)}
    >
      <Virtualizer layout={ListLayout} layoutOptions={{ rowHeight, gap: 0 }}>
        <Tree
          aria-label={words.layers}
          className={style.tree!}
          selectionMode="multiple"
          selectionBehavior="replace"
          selectedKeys={selection}
          onSelectionChange={select}
          expandedKeys={expanded}
          onExpandedChange={(keys) => setExpanded(new Set([...keys].map(String)))}
          items={[root]}
          dependencies={[expanded, names, problemIds, words]}
          onAction={(id) => view.set({ editingId: String(id), narrow: 'canvas' })}
          disallowEmptySelection={false}
        >
          {render}
        </Tree>
      </Virtualizer>
    </div>
  );
}

function Row({ node, names, hasProblem }: { node: PageNode; names: Names; hasProblem: boolean }) {
  const workbench = usePanelWorkbench();
  const { words, canWrite } = workbench;
  const kind = describeKind(node, words, names);
  const beginning = textPreview(node);
  const isHidden = node.props?.config?.base?.hidden === true;
  return (
    // The whole row can be dragged; keys and "Move to…" in the menu do the same.
    <div
      className={style.row}
      data-layer={node.id}
      // In the capture phase, because the row itself consumes the press to select.
      onPointerDownCapture={(event) => {
        if (event.button !== 0 || !canWrite || (event.target as Element).closest('button')) return;
        const { selection } = workbench.editor.state;
        const ids = selection.includes(node.id) ? selection : [node.id];
        startAfterMove(event, (from) => workbench.canvas.surface?.beginDrag(from, { ids }));
      }}
    >
      <Button slot="chevron" className={style.chevron!}>
        <ChevronIcon />
      </Button>
      <span className={style.icon}>
        <ElementIcon type={node.type} blockIcon={findBlockIcon(node, names)} />
      </span>
      <span className={style.name}>
        <span className={style.kind}>{kind}</span>
        {beginning !== '' && <small>{beginning}</small>}
      </span>
      {hasProblem && <Mark text={words.hasProblem} icon={<WarnIcon />} />}
      {isHidden && <Mark text={words.isHidden} icon={<HiddenIcon />} />}
      {canWrite && (
        <span className={style.menu}>
          <RowMenu id={node.id} label={words.actionsFor({ thing: kind })} />
        </span>
      )}
    </div>
  );
}

const Mark = ({ text, icon }: { text: string; icon: ReactElement }) => (
  <span className={style.mark} title={text}>
    {icon}
    <span className={style.unseen}>{text}</span>
  </span>
);

const rowHeight = 32;

/** Returns the ids of the visible rows in their order. */
function listRows({ id, children }: Layer, expanded: ReadonlySet<string>): string[] {
  return [id, ...(expanded.has(id) ? children.flatMap((child) => listRows(child, expanded)) : [])];
}

function scrollToRow(scroller: Element, index: number): void {
  const top = index * rowHeight;
  const { scrollTop, clientHeight } = scroller;
  if (top < scrollTop) scroller.scrollTop = top;
  else if (top + 2 * rowHeight > scrollTop + clientHeight)
    scroller.scrollTop = top + 2 * rowHeight - clientHeight;
}

/** At first two levels are open, on a long page only one, because closed layers cost nothing. */
function initiallyExpanded({ rootId, nodes }: Nodes): ReadonlySet<string> {
  const root = nodes.get(rootId);
  const children = root?.children ?? [];
  return new Set(children.length > 40 ? [rootId] : [rootId, ...children]);
}

/** Keeps the layer objects of unchanged nodes, so that typing a letter renders one row and not 5,000. */
function useLayers(tree: Nodes): Layer {
  const cached = useRef(new Map<string, Layer>());
  return useMemo(() => {
    const next = new Map<string, Layer>();
    const root = createLayer(tree, tree.rootId, cached.current, next);
    cached.current = next;
    return root;
  }, [tree]);
}

function createLayer(
  tree: Nodes,
  id: string,
  before: ReadonlyMap<string, Layer>,
  next: Map<string, Layer>,
): Layer {
  const node = tree.nodes.get(id)!;
  const children = (node.children ?? []).map((child) => createLayer(tree, child, before, next));
  const last = before.get(id);
  const isSame =
    last?.node === node &&
    last.children.length === children.length &&
    children.every((child, i) => child === last.children[i]);
  const layer = isSame ? last : { id, node, children };
  next.set(id, layer);
  return layer;
}
