import { type KeyboardEvent, type PointerEvent, useSyncExternalStore } from 'react';
import { ChevronIcon } from '../../ui/icons.tsx';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { foldPane, paneSizes, type Side, setPaneWidth, widthsPx } from '../workbench/panes.ts';
import style from './screen.module.css';

const stepPx = 16;

/** The edge between a panel and the page. It can be dragged or moved by arrow keys; Enter folds the panel. */
export function PaneEdge({ side }: { side: Side }) {
  const { words } = usePanelWorkbench();
  const sizes = useSyncExternalStore(paneSizes.subscribe, () => paneSizes.state);
  const isFolded = sizes[`${side}Folded`];
  const sign = side === 'left' ? 1 : -1;

  function onKeyDown(event: KeyboardEvent) {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (direction === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (direction === undefined) foldPane(side);
    else setPaneWidth(side, sizes[side] + direction * sign * stepPx);
  }
  function onPointerDown({ button, clientX, currentTarget, pointerId }: PointerEvent<HTMLElement>) {
    if (button !== 0) return;
    const before = sizes[side];
    const controller = new AbortController();
    const { signal } = controller;
    currentTarget.setPointerCapture(pointerId);
    currentTarget.toggleAttribute('data-active', true);
    const move = (moved: globalThis.PointerEvent) =>
      setPaneWidth(side, before + (moved.clientX - clientX) * sign);
    currentTarget.addEventListener('pointermove', move, { signal });
    for (const end of ['pointerup', 'pointercancel'] as const)
      currentTarget.addEventListener(
        end,
        () => {
          controller.abort();
          currentTarget.toggleAttribute('data-active', false);
        },
        { signal },
      );
  }
  const { min, max } = widthsPx[side];
  return (
    <div className={style.edge} data-side={side} data-folded={isFolded}>
      {/* biome-ignore lint/a11y/useSemanticElements: a separator that is moved is no rule between texts */}
      <div
        role="separator"
        aria-orientation="vertical"
        aria-label={words.panelWidth[side]}
        aria-valuenow={sizes[side]}
        aria-valuemin={min}
        aria-valuemax={max}
        tabIndex={0}
        hidden={isFolded}
        className={style.grip}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onDoubleClick={() => setPaneWidth(side, widthsPx[side].initial)}
      />
      <button
        type="button"
        aria-label={isFolded ? words.unfoldPanel[side] : words.foldPanel[side]}
        aria-expanded={!isFolded}
        className={style.fold}
        onClick={() => foldPane(side)}
      >
        <ChevronIcon />
      </button>
    </div>
  );
}
