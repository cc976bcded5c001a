import { setValue } from '../model/commands.ts';
import style from './canvas.module.css';
import type { Surface } from './surface.ts';

const sides = ['Top', 'Right', 'Bottom', 'Left'] as const;
type Side = (typeof sides)[number];

const thicknessPx = 6;
const mostPx = 400;

/** The space inside the ends of the selected node, made more or less by the pointer; the inspector does it by keys. */
export class SpacingHandles {
  readonly #surface: Surface;
  readonly #handles: Readonly<Record<Side, HTMLElement>>;
  #id: string | undefined;

  constructor(surface: Surface, layer: HTMLElement) {
    this.#surface = surface;
    const made = (side: Side): HTMLElement => {
      const handle = document.createElement('div');
      handle.className = style.handle!;
      handle.style.cursor = side === 'Top' || side === 'Bottom' ? 'ns-resize' : 'ew-resize';
      handle.hidden = true;
      handle.addEventListener('pointerdown', (event) => this.#drag(event, handle, side));
      layer.append(handle);
      return handle;
    };
    this.#handles = { Top: made('Top'), Right: made('Right'), Bottom: made('Bottom'), Left: made('Left') };
  }

  /** Shows them at a node; hides them where there is none that takes a space. */
  place(id: string | undefined): void {
    const { workbench } = this.#surface;
    const type = id === undefined ? undefined : workbench.editor.state.tree.nodes.get(id)?.type;
    const element = type === undefined ? undefined : workbench.editor.vocabulary.elementTypes[type];
    const box = id === undefined || element?.children !== 'any' ? undefined : this.#surface.boxOf(id);
    const isShown = box !== undefined && workbench.canWrite && box.height > 40 && box.width > 40;
    this.#id = isShown ? id : undefined;
    for (const side of sides) {
      const handle = this.#handles[side];
      handle.hidden = !isShown;
      if (!isShown) continue;
      const isUpright = side === 'Left' || side === 'Right';
      const width = isUpright ? thicknessPx : Math.min(48, box.width / 3);
      const height = isUpright ? Math.min(48, box.height / 3) : thicknessPx;
      const left =
        side === 'Left'
          ? box.left
          : side === 'Right'
            ? box.left + box.width - width
            : box.left + (box.width - width) / 2;
      const top =
        side === 'Top'
          ? box.top
          : side === 'Bottom'
            ? box.top + box.height - height
            : box.top + (box.height - height) / 2;
      handle.style.transform = `translate(${left}px, ${top}px)`;
      handle.style.inlineSize = `${width}px`;
      handle.style.blockSize = `${height}px`;
    }
  }

  #drag(event: PointerEvent, handle: HTMLElement, side: Side): void {
    const id = this.#id;
    const element = id === undefined ? undefined : this.#surface.elementOf(id);
    if (id === undefined || !element || event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    const { workbench, words, scale } = this.#surface;
    const before = Number.parseFloat(
      this.#surface.frame.document.defaultView!.getComputedStyle(element).getPropertyValue(
        `padding-${side.toLowerCase()}`,
      ),
    );
    const from = { x: event.clientX, y: event.clientY };
    const mergeKey = `spacing ${id} ${side} ${event.timeStamp}`;
    const ends = new AbortController();
    handle.setPointerCapture(event.pointerId);
    handle.toggleAttribute('data-active', true);
    const move = (moved: PointerEvent) => {
      const dx = (moved.clientX - from.x) / scale;
      const dy = (moved.clientY - from.y) / scale;
      const by = { Top: dy, Bottom: -dy, Left: dx, Right: -dx }[side];
      const size = Math.round(Math.min(mostPx, Math.max(0, before + by)));
      const { tree } = workbench.editor.state;
      const place = { target: 'style', breakpoint: workbench.view.state.width, key: `padding${side}` } as const;
      const problem = workbench.editor.do(words.spaced, setValue(tree, [id], place, `${size}px`), { mergeKey });
      if (problem) workbench.refuse(problem);
    };
    const end = () => {
      ends.abort();
      handle.toggleAttribute('data-active', false);
    };
    handle.addEventListener('pointermove', move, { signal: ends.signal });
    handle.addEventListener('pointerup', end, { signal: ends.signal });
    handle.addEventListener('pointercancel', end, { signal: ends.signal });
  }
}
