import { setValue } from '../core/commands.ts';
import type { Box } from './box.ts';
import style from './canvas.module.css';
import type { CanvasSurface } from './canvas-surface.ts';

const kinds = ['padding', 'margin'] as const;
type Kind = (typeof kinds)[number];
const sides = ['Top', 'Right', 'Bottom', 'Left'] as const;
type Side = (typeof sides)[number];

interface Handle {
  readonly kind: Kind;
  readonly side: Side;
  readonly element: HTMLElement;
  /** Shows the whole space and its size. */
  readonly area: HTMLElement;
}

const thicknessPx = 6;
const lengthPx = 48;
const maxPx = 400;
/** Minimum size of a node in pixels for its handles to fit. */
const minPx: Readonly<Record<Kind, number>> = { padding: 40, margin: 20 };

/**
 * Handles that change the space inside and around the selected node by pointer; the inspector does the same by keys.
 */
export class SpacingHandles {
  readonly #surface: CanvasSurface;
  readonly #handles: readonly Handle[];
  #id: string | undefined;

  constructor(surface: CanvasSurface, layer: HTMLElement) {
    this.#surface = surface;
    this.#handles = kinds.flatMap((kind) =>
      sides.map((side) => {
        const element = document.createElement('div');
        element.className = `${style.handle} ${style[kind]}`;
        element.dataset.spacing = `${kind}${side}`;
        element.style.cursor = isVerticalEdge(side) ? 'ew-resize' : 'ns-resize';
        element.hidden = true;
        const area = document.createElement('div');
        area.className = `${style.space} ${style[kind]}`;
        area.hidden = true;
        layer.append(area);
        const handle = { kind, side, element, area };
        element.addEventListener('pointerdown', (event) => this.#drag(event, handle));
        layer.append(element);
        return handle;
      }),
    );
  }

  /** Places the handles at a node and hides those for styles that it does not take. */
  showFor(id: string | undefined): void {
    const { editor, canWrite } = this.#surface.workbench;
    const { tree } = editor.state;
    const type = id === undefined ? undefined : tree.nodes.get(id)?.type;
    const element = type === undefined ? undefined : editor.vocabulary.elementTypes[type];
    const box = id === undefined || !element || !canWrite ? undefined : this.#surface.findBox(id);
    this.#id = box && id;
    const readSpacing = box && this.#readSpacing(id!);
    for (const { kind, side, element: handle, area } of this.#handles) {
      const size = readSpacing?.(kind, side) ?? 0;
      area.hidden = size <= 0;
      if (size > 0) positionArea(area, kind, side, box!, size, readSpacing!);
      const hasSpacing = kind === 'padding' ? element?.children === 'any' : id !== tree.rootId;
      const isShown = box !== undefined && hasSpacing && Math.min(box.width, box.height) > minPx[kind];
      handle.hidden = !isShown;
      if (!isShown) continue;
      const { left, top, width, height } = boxOfHandle(kind, side, box);
      handle.style.transform = `translate(${left}px, ${top}px)`;
      handle.style.inlineSize = `${width}px`;
      handle.style.blockSize = `${height}px`;
    }
  }

  /** Returns the current spaces of a node, whatever set them. */
  #readSpacing(id: string): ((kind: Kind, side: Side) => number) | undefined {
    const element = this.#surface.findElement(id);
    if (!element) return undefined;
    const computed = this.#surface.frame.document.defaultView!.getComputedStyle(element);
    return (kind, side) => Number.parseFloat(computed[`${kind}${side}`]) || 0;
  }

  #drag(event: PointerEvent, { kind, side, element: handle }: Handle): void {
    const id = this.#id;
    const element = id === undefined ? undefined : this.#surface.findElement(id);
    if (id === undefined || !element || event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    const { workbench, words, scale } = this.#surface;
    const before = Number.parseFloat(
      this.#surface.frame.document
        .defaultView!.getComputedStyle(element)
        .getPropertyValue(`${kind}-${side.toLowerCase()}`),
    );
    const from = { x: event.clientX, y: event.clientY };
    const mergeKey = `spacing ${id} ${kind} ${side} ${event.timeStamp}`;
    const controller = new AbortController();
    handle.setPointerCapture(event.pointerId);
    handle.toggleAttribute('data-active', true);
    const move = (moved: PointerEvent) => {
      const distance = isVerticalEdge(side) ? moved.clientX - from.x : moved.clientY - from.y;
      // Padding at the far ends grows in the opposite direction.
      const isBack = kind === 'padding' && (side === 'Bottom' || side === 'Right');
      const size = Math.round(Math.min(maxPx, Math.max(0, before + ((isBack ? -1 : 1) * distance) / scale)));
      const { tree } = workbench.editor.state;
      const path = {
        target: 'style',
        breakpoint: workbench.view.state.width,
        key: `${kind}${side}`,
      } as const;
      const problem = workbench.editor.apply(words.spaced, setValue(tree, [id], path, `${size}px`), {
        mergeKey,
      });
      if (problem) workbench.refuse(problem);
    };
    const end = () => {
      controller.abort();
      handle.toggleAttribute('data-active', false);
    };
    handle.addEventListener('pointermove', move, { signal: controller.signal });
    handle.addEventListener('pointerup', end, { signal: controller.signal });
    handle.addEventListener('pointercancel', end, { signal: controller.signal });
  }
}

/** Shows the box model: padding inside a node's ends and margin outside them, each with its size in pixels. */
function positionArea(
  area: HTMLElement,
  kind: Kind,
  side: Side,
  { left, top, width, height }: Box,
  size: number,
  getSize: (kind: Kind, side: Side) => number,
): void {
  const isInside = kind === 'padding';
  // The upper and lower spaces are as wide as the node; the side spaces lie between them.
  const above = isInside ? getSize(kind, 'Top') : 0;
  const below = isInside ? getSize(kind, 'Bottom') : 0;
  const start = isInside ? 0 : -size;
  const end = isInside ? -size : 0;
  const box: Box = isVerticalEdge(side)
    ? {
        left: side === 'Left' ? left + start : left + width + end,
        top: top + above,
        width: size,
        height: Math.max(0, height - above - below),
      }
    : { left, top: side === 'Top' ? top + start : top + height + end, width, height: size };
  area.style.transform = `translate(${box.left}px, ${box.top}px)`;
  area.style.inlineSize = `${box.width}px`;
  area.style.blockSize = `${box.height}px`;
  area.dataset.size = String(Math.round(size));
}

const isVerticalEdge = (side: Side) => side === 'Left' || side === 'Right';

/**
 * Returns the box of a handle, inside or outside the node's edge. Outside it is off-centre, because the button for
 * inserting is in the middle.
 */
function boxOfHandle(kind: Kind, side: Side, { left, top, width, height }: Box): Box {
  const isInside = kind === 'padding';
  const distance = isInside ? 1 / 2 : 3 / 4;
  const offset = isInside ? 0 : thicknessPx;
  if (isVerticalEdge(side)) {
    const handleLength = Math.min(lengthPx, height / 3);
    const x = side === 'Left' ? left - offset : left + width - thicknessPx + offset;
    return {
      left: x,
      top: top + height * distance - handleLength / 2,
      width: thicknessPx,
      height: handleLength,
    };
  }
  const handleLength = Math.min(lengthPx, width / 3);
  const y = side === 'Top' ? top - offset : top + height - thicknessPx + offset;
  return {
    left: left + width * distance - handleLength / 2,
    top: y,
    width: handleLength,
    height: thicknessPx,
  };
}
