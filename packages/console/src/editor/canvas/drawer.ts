import type { ViewState, Workbench } from '../workbench/workbench.ts';

/** Whether panels are drawers over the page, as the style sheet of the screen has them. */
const hasDrawers = window.matchMedia('(max-width: 1024px)');
/** Whether a drawer hides the whole page, as the same style sheet has it. */
const hidesPage = window.matchMedia('(max-width: 760px)');

/**
 * The drawer that lies over the page of a narrow window. It gives way once a drag has left it. If it hides the whole
 * page, it gives way to a new element as soon as the drag begins.
 */
export class Drawer {
  readonly #view: Workbench['view'];
  readonly #isInserting: boolean;
  readonly #focused = document.activeElement;
  #isEntered = false;
  #left: ViewState['narrow'] | undefined;

  constructor({ view }: Workbench, isInserting: boolean) {
    this.#view = view;
    this.#isInserting = isInserting;
  }

  /** Follows the pointer to a point of the window. */
  moveTo({ x, y }: { x: number; y: number }): void {
    const { narrow } = this.#view.state;
    if (narrow === 'canvas' || !hasDrawers.matches) return;
    const box = document.querySelector(`[data-pane="${narrow}"]`)?.getBoundingClientRect();
    const isInside = box && x >= box.left && x < box.right && y >= box.top && y < box.bottom;
    if (isInside) this.#isEntered = true;
    // A drag that began on the page may still reach the layers.
    if (!this.#isEntered || (isInside && !(this.#isInserting && hidesPage.matches))) return;
    this.#left = narrow;
    this.#view.set({ narrow: 'canvas' });
  }

  /** Brings the drawer back, with the focus where it was. */
  restore(): void {
    if (this.#left === undefined) return;
    this.#view.set({ narrow: this.#left });
    requestAnimationFrame(() => this.#focused instanceof HTMLElement && this.#focused.focus());
  }
}
