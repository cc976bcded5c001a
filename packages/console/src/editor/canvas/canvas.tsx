import { useQuery } from '@tanstack/react-query';
import type { Breakpoint } from '@waybill/page';
import { lazy, type RefObject, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { base, paths } from '../../paths.ts';
import { navigate } from '../../router/history.ts';
import { liveSheetQuery } from '../../shell/theme.ts';
import { Button } from '../../ui/button.tsx';
import { handleClipboardEvent, loadClipboard } from '../clipboard/lazy-clipboard.ts';
import { getChildIds } from '../core/tree.ts';
import { nodeName } from '../elements/names.ts';
import { listNodeActions } from '../workbench/actions.ts';
import { useCanvasTexts } from '../workbench/canvas-texts.ts';
import { pathToPart } from '../workbench/paths.ts';
import { hasPageParts, pagePartsQuery, useNames } from '../workbench/queries.ts';
import { useEditorState, useSources, useView, useWorkbench } from '../workbench/workbench.ts';
import style from './canvas.module.css';
import type { SurfaceHost, TypingSession } from './canvas-surface.ts';
import type { OpenMenu } from './context-menu.tsx';
import { Frame } from './frame.ts';
import { onCanvasKey } from './keys.ts';
import { frameRules, Surface } from './surface.ts';
import { zoomByWheel } from './wheel-zoom.ts';

const Empty = lazy(async () => ({ default: (await import('./empty-canvas.tsx')).EmptyCanvas }));
const ContextMenu = lazy(async () => ({ default: (await import('./context-menu.tsx')).ContextMenu }));
const TextBar = lazy(async () => ({ default: (await import('./text-bar.tsx')).TextBar }));

/** The widths at which the page is shown; the style sheet's own limits lie between them. */
const widths: Readonly<Record<Breakpoint, number>> = { base: 1280, tablet: 834, mobile: 390 };

/**
 * The frame's own document: `services/gateway/src/console.ts`. Its policy blocks every script. A `sandbox` without
 * `allow-scripts` would take the frame's events away in WebKit, and in Chromium it would block tools that drag with a
 * driven mouse, such as Playwright's.
 */
const frameUrl = `${base}/frame`;

/** Shows the page as it will be published, ready for editing. */
export function Canvas() {
  const workbench = useWorkbench();
  const { width, zoom } = useView();
  const words = useCanvasTexts();
  const pane = useRef<HTMLDivElement>(null);
  const iframe = useRef<HTMLIFrameElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  /** Created with the frame and kept when another part of the page is edited. */
  const [frame, setFrame] = useState<Frame | null>(null);
  const [typing, setTyping] = useState<TypingSession | null>(null);
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const area = useElementSize(stage);
  const host = useSurfaceHost(pane, setTyping, setMenu);
  const surface = useSurface(frame, iframe, layer, host);
  usePreload();
  usePaneEvents(pane, host, surface);
  usePageParts(frame);
  useWheelZoom(stage, surface);

  const pageWidth = widths[width];
  const scale = zoom === 'fit' ? Math.min(1, area.width / pageWidth) || 1 : zoom;
  const height = area.height / scale;
  useEffect(() => workbench.view.set({ scale }), [workbench, scale]);
  return (
    // The layers are the page's accessible form. Here the arrow keys go from element to element and announce each one,
    // so screen readers must pass these keys on.
    <div
      ref={pane}
      role="application"
      aria-label={words.title}
      aria-describedby="canvas-hint"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys work on what is selected
      tabIndex={0}
      className={style.pane}
    >
      <p hidden id="canvas-hint">
        {words.hint}
      </p>
      {/* Above the page rather than over it, where it would cover the text being read. */}
      <div className={style.textBar}>
        <Suspense>{typing?.tools && <TextBar tools={typing.tools} />}</Suspense>
      </div>
      <div ref={stage} className={style.room} data-room>
        <div
          className={style.stage}
          style={
            {
              inlineSize: pageWidth * scale,
              blockSize: area.height,
              '--scale': scale,
            } as React.CSSProperties
          }
        >
          <div
            className={style.page}
            style={{ inlineSize: pageWidth, blockSize: height, transform: `scale(${scale})` }}
          >
            <iframe
              ref={iframe}
              title={words.title}
              src={frameUrl}
              tabIndex={-1}
              className={style.frame}
              onLoad={({ currentTarget }) => setFrame(new Frame(currentTarget.contentDocument!, frameRules))}
            />
            <div ref={layer} className={style.layer} aria-hidden="true" />
          </div>
        </div>
      </div>
      <LoadingNotice />
      <Suspense>
        <EmptyNotice />
      </Suspense>
      <Suspense>
        <ContextMenu menu={menu} onClose={() => setMenu(null)} />
      </Suspense>
    </div>
  );
}

/**
 * Returns what the surface needs from the screen, as of the latest render, because the surface calls it from outside
 * React.
 */
function useSurfaceHost(
  pane: RefObject<HTMLElement | null>,
  onTyping: (typing: TypingSession | null) => void,
  onMenu: (menu: OpenMenu) => void,
): RefObject<SurfaceHost> {
  const workbench = useWorkbench();
  const words = useCanvasTexts();
  const host = useRef<SurfaceHost>(null!);
  host.current = {
    words,
    getName: (id) => nodeName(workbench, id),
    openMenu: (point) => onMenu({ ...point, actions: listNodeActions(workbench) }),
    focus: () => pane.current?.focus(),
    onKey: (event, surface) => onCanvasKey(surface, host.current, event),
    onTyping,
    openPart: (part) => navigate(pathToPart(workbench.storeId, part)),
    openSection(id) {
      const sectionId = workbench.editor.state.tree.nodes.get(id)?.props?.specials?.sectionId;
      if (typeof sectionId !== 'string') return;
      // A section inside another one, or one that may not be written, opens in its own editor.
      if (!workbench.surrounding && workbench.canWrite) workbench.enter(id);
      else navigate(paths.inStore(workbench.storeId, 'sections', sectionId, 'edit'));
    },
  };
  return host;
}

/** Mounts the surface on the frame, and redraws it when the store's style or the names of its blocks arrive. */
function useSurface(
  frame: Frame | null,
  iframe: RefObject<HTMLIFrameElement | null>,
  layer: RefObject<HTMLDivElement | null>,
  host: RefObject<SurfaceHost>,
): Surface | null {
  const workbench = useWorkbench();
  const names = useNames(workbench.storeId);
  const [surface, setSurface] = useState<Surface | null>(null);
  const { data: sheet = '' } = useQuery(liveSheetQuery(workbench.storeId));
  useEffect(() => {
    if (!frame || !iframe.current || !layer.current) return;
    const surface = new Surface(workbench, iframe.current, layer.current, createLatestHost(host), frame);
    workbench.canvas.surface = surface;
    setSurface(surface);
    return () => {
      workbench.canvas.surface = null;
      surface.close();
    };
  }, [workbench, frame, iframe, layer, host]);

  useEffect(() => {
    surface?.frame.applyTheme(sheet);
    surface?.schedule();
  }, [surface, sheet]);

  // Names arrive after the first boxes are drawn.
  useEffect(() => surface?.schedule(), [surface, names]);

  return surface;
}

/** Returns surroundings that always forward to the latest ones. */
const createLatestHost = (latest: RefObject<SurfaceHost>): SurfaceHost => ({
  get words() {
    return latest.current.words;
  },
  getName: (id) => latest.current.getName(id),
  openMenu: (point) => latest.current.openMenu(point),
  focus: () => latest.current.focus(),
  onKey: (event, surface) => latest.current.onKey(event, surface),
  onTyping: (next) => latest.current.onTyping(next),
  openSection: (id) => latest.current.openSection(id),
  openPart: (part) => latest.current.openPart(part),
});

/** Loads typing, copying and pasting in advance, so that they are ready when used. */
function usePreload(): void {
  useEffect(() => {
    import('./typing.ts').catch(() => {});
    loadClipboard().catch(() => {});
  }, []);
}

/** Handles keys and the clipboard anywhere in the pane, except in its own fields and buttons. */
function usePaneEvents(
  pane: RefObject<HTMLElement | null>,
  host: RefObject<SurfaceHost>,
  surface: Surface | null,
): void {
  const workbench = useWorkbench();
  const words = useCanvasTexts();
  useEffect(() => {
    const target = pane.current?.closest<HTMLElement>('[data-pane]') ?? pane.current;
    if (!target) return;
    const isOutsidePane = (event: Event) =>
      (event.target as Element).closest('input, textarea, button, [role=dialog], [data-rich-text-bar]') !==
      null;
    const onPaneKey = (event: KeyboardEvent) => {
      if (surface && !isOutsidePane(event)) host.current.onKey(event, surface);
    };
    const createHandler = (handlerName: 'onCopy' | 'onCut' | 'onPaste') => (event: ClipboardEvent) => {
      if (!isOutsidePane(event)) handleClipboardEvent(handlerName, workbench, event, words.clipboard);
    };
    const [copy, cut, paste] = [createHandler('onCopy'), createHandler('onCut'), createHandler('onPaste')];
    target.addEventListener('keydown', onPaneKey);
    target.addEventListener('copy', copy);
    target.addEventListener('cut', cut);
    target.addEventListener('paste', paste);
    return () => {
      target.removeEventListener('keydown', onPaneKey);
      target.removeEventListener('copy', copy);
      target.removeEventListener('cut', cut);
      target.removeEventListener('paste', paste);
    };
  }, [workbench, words, pane, host, surface]);
}

/** Shown until there is data to draw with; explains why there is none. */
function LoadingNotice() {
  const { sources } = useWorkbench();
  const words = useCanvasTexts();
  const isLoaded = useSyncExternalStore(
    (listener) => sources.subscribe(listener),
    () => sources.state !== undefined,
  );
  const error = useSyncExternalStore(
    (listener) => sources.subscribe(listener),
    () => sources.error,
  );
  const isLoading = useSyncExternalStore(
    (listener) => sources.subscribe(listener),
    () => sources.isLoading,
  );
  if (isLoaded)
    return (
      <div className={style.loading} role="status">
        {isLoading && <span>{words.loadingData}</span>}
      </div>
    );
  return (
    <div className={style.state} role="status">
      {error ? (
        <div>
          <p>{words.failed}</p>
          <Button onPress={() => void sources.reload()}>{words.retry}</Button>
        </div>
      ) : (
        words.loading
      )}
    </div>
  );
}

function EmptyNotice() {
  const { tree } = useEditorState();
  return getChildIds(tree, tree.rootId).length === 0 && <Empty />;
}

/** Shows the store's header and footer around the page, once the page is shown. */
function usePageParts(frame: Frame | null): void {
  const workbench = useWorkbench();
  const { subject } = workbench.surrounding?.workbench ?? workbench;
  const { locale } = useView();
  const isDrawn = useSources() !== undefined;
  const { data } = useQuery({
    ...pagePartsQuery(subject, locale),
    enabled: isDrawn && hasPageParts(subject),
  });
  useEffect(() => {
    if (!frame || !data) return;
    import('./page-parts.ts').then(
      ({ showPageParts: surround }) => surround(frame, data),
      () => {},
    );
  }, [frame, data]);
}

/** Zooms around the pointer by Ctrl and the wheel, or by two fingers. */
function useWheelZoom(area: RefObject<HTMLElement | null>, surface: Surface | null): void {
  useEffect(() => {
    const element = area.current;
    const { defaultView } = surface?.frame.document ?? {};
    if (!element || !surface || !defaultView) return;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { clientX: x, clientY: y } = event;
      zoomByWheel(
        surface,
        event.deltaY,
        event.view === window ? surface.toFramePoint({ clientX: x, clientY: y }) : { x, y },
      );
    };
    const targets = [element, defaultView];
    for (const target of targets)
      target.addEventListener('wheel', onWheel as EventListener, { passive: false });
    return () => {
      for (const target of targets) target.removeEventListener('wheel', onWheel as EventListener);
    };
  }, [area, surface]);
}

/** Returns the size of the pane. */
function useElementSize(pane: RefObject<HTMLElement | null>): { width: number; height: number } {
  const [area, setRoom] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = pane.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      setRoom({ width: Math.floor(width), height: Math.floor(height) });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [pane]);
  return area;
}
