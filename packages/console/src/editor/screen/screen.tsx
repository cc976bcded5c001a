import {
  type CSSProperties,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useRef,
  useSyncExternalStore,
} from 'react';
import { useKeptFocus } from '../../ui/kept-focus.ts';
import { Skeleton } from '../../ui/layout.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Canvas } from '../canvas/canvas.tsx';
import { findActionByKey } from '../workbench/actions.ts';
import { movePane, paneSizes, rememberTab } from '../workbench/panes.ts';
import { type Pane, useView, useWorkbench, type ViewState } from '../workbench/workbench.ts';
import style from './screen.module.css';
import { Toolbar } from './toolbar.tsx';

// The panels that are shown first load while the page is read. A failure is reported by whoever shows them.
const sections = import('../panels/sections.tsx');
const inspector = import('../panels/inspector.tsx');
for (const panel of [sections, inspector]) panel.catch(() => {});
const Sections = lazy(async () => ({ default: (await sections).Sections }));
const Inspector = lazy(async () => ({ default: (await inspector).Inspector }));
const PaneEdge = lazy(async () => ({ default: (await import('./pane-edge.tsx')).PaneEdge }));
const Layers = lazy(async () => ({ default: (await import('../panels/layers.tsx')).Layers }));
const Insert = lazy(async () => ({ default: (await import('../panels/insert.tsx')).Insert }));
const Problems = lazy(async () => ({ default: (await import('../panels/problems.tsx')).Problems }));
const PageSettings = lazy(async () => ({
  default: (await import('../panels/page-settings.tsx')).PageSettings,
}));
const Sheets = lazy(async () => ({ default: (await import('./sheets.tsx')).Sheets }));

/**
 * The editor: sections, layers or insert panel on the left, the page in the middle, the selection's settings on the
 * right.
 */
export function EditorScreen() {
  const { words, view, subject } = useWorkbench();
  const { left, right, narrow, problems, sheet } = useView();
  const sizes = useSyncExternalStore(paneSizes.subscribe, () => paneSizes.state);
  const main = useRef<HTMLElement>(null);
  useGlobalKeys();
  useSelectionInView();
  useKeptFocus(main);
  return (
    <main
      ref={main}
      data-screen
      className={style.screen}
      data-narrow={narrow}
      data-left-folded={sizes.leftFolded}
      data-right-folded={sizes.rightFolded}
      style={{ '--left': `${sizes.left}px`, '--right': `${sizes.right}px` } as CSSProperties}
    >
      <PaneArea pane="toolbar" label={words.toolbar} className={style.toolbar!}>
        <Toolbar />
      </PaneArea>
      <div className={style.switch}>
        <Segments
          label={words.parts}
          choices={(['left', 'canvas', 'right'] as const).map((id) => ({ id, text: words.narrow[id] }))}
          value={narrow}
          onChange={(next) => view.set({ narrow: next as ViewState['narrow'] })}
        />
      </div>
      <PaneArea pane="left" label={words.leftPane} className={style.left!}>
        <Tabs
          label={words.leftPane}
          selected={left}
          onSelect={(next) => {
            view.set({ left: next });
            rememberTab(next);
          }}
          tabs={[
            { id: 'sections', title: words.sections, panel: panel(<Sections key={subject.id} />) },
            { id: 'layers', title: words.layers, panel: panel(<Layers key={subject.id} />) },
            { id: 'insert', title: words.insert, panel: panel(<Insert />) },
          ]}
        />
      </PaneArea>
      <Suspense>
        <PaneEdge side="left" />
      </Suspense>
      <PaneArea pane="canvas" label={words.canvas} className={style.canvas!}>
        <Canvas />
      </PaneArea>
      <Suspense>
        <PaneEdge side="right" />
      </Suspense>
      <PaneArea pane="right" label={words.rightPane} className={style.right!}>
        <Tabs
          label={words.rightPane}
          selected={right}
          onSelect={(next) => view.set({ right: next })}
          tabs={[
            { id: 'inspector', title: words.inspector, panel: panel(<Inspector />) },
            {
              id: 'page',
              title: words.kinds[subject.kind],
              panel: panel(<PageSettings key={subject.id} />),
              isKept: true,
            },
            {
              id: 'problems',
              title: problems.length > 0 ? words.problemsCount({ count: problems.length }) : words.problems,
              panel: panel(<Problems />),
            },
          ]}
        />
      </PaneArea>
      {sheet && (
        <Suspense>
          <Sheets sheet={sheet} />
        </Suspense>
      )}
    </main>
  );
}

const panel = (content: ReactNode) => <Suspense fallback={<Skeleton lines={6} />}>{content}</Suspense>;

function PaneArea({
  pane,
  label,
  className,
  children,
}: {
  pane: Pane;
  label: string;
  className: string;
  children: ReactNode;
}) {
  return (
    <section aria-label={label} data-pane={pane} tabIndex={-1} className={className}>
      {children}
    </section>
  );
}

/** Replaces the page's settings by those of a newly selected node; the list of problems stays open. */
function useSelectionInView(): void {
  const { editor, view } = useWorkbench();
  useEffect(
    () =>
      editor.subscribe(({ selection }, changes) => {
        if (changes.length === 0 && selection.length > 0 && view.state.right === 'page')
          view.set({ right: 'inspector' });
      }),
    [editor, view],
  );
}

/** Handles keys with the same meaning everywhere, except during typing. */
function useGlobalKeys(): void {
  const workbench = useWorkbench();
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      // The canvas has handled the key already.
      if (event.defaultPrevented) return;
      if (event.key === 'F6') {
        event.preventDefault();
        movePane(event.shiftKey ? -1 : 1);
        return;
      }
      const isDialog =
        document.querySelector('[role=dialog]:not([data-beside]), [role=alertdialog]') !== null;
      if (isDialog) return;
      const action = findActionByKey(workbench, event);
      // Ctrl+S also works during typing, because the browser would otherwise save the console's own page.
      if (isTextInput(event.target) && action?.id !== 'save') return;
      if (!action || !globalActionIds.has(action.id)) return;
      event.preventDefault();
      action.run();
    }
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [workbench]);
}

const globalActionIds: ReadonlySet<string> = new Set(
  'undo redo redoToo help selectAll save insert base tablet mobile zoomIn zoomOut zoomFit'.split(' '),
);

function isTextInput(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select')
  );
}
