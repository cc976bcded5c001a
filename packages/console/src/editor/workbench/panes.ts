import { ObservableState } from './observable-state.ts';
import { type Pane, panes, type ViewState } from './workbench.ts';

/** Moves the focus to the next or previous visible part of the screen. */
export function movePane(step: 1 | -1, from: Pane | null = focusedPane()): void {
  const at = from !== null ? panes.indexOf(from) : step === 1 ? -1 : panes.length;
  for (let i = 1; i <= panes.length; i++) {
    const pane = panes[(at + step * i + panes.length * 2) % panes.length]!;
    if (focusPane(pane)) return;
  }
}

/** Focuses a part of the screen; returns false if it is not visible. */
export function focusPane(pane: Pane): boolean {
  const element = document.querySelector<HTMLElement>(`[data-pane="${pane}"]`);
  if (!element || element.offsetParent === null) return false;
  element.focus();
  return true;
}

function focusedPane(): Pane | null {
  const element = document.activeElement?.closest<HTMLElement>('[data-pane]');
  return (element?.dataset.pane as Pane | undefined) ?? null;
}

/** A panel beside the page, with a width in pixels, which may be folded. */
export type Side = 'left' | 'right';
type Sizes = Readonly<Record<Side, number> & Record<`${Side}Folded`, boolean>>;

export const widthsPx = {
  left: { min: 200, initial: 272, max: 480 },
  right: { min: 260, initial: 320, max: 560 },
};

const sizesKey = 'waybill.editor.panels';
const tabKey = 'waybill.editor.tab';

function rememberedSizes(): Sizes {
  const first = {
    left: widthsPx.left.initial,
    right: widthsPx.right.initial,
    leftFolded: false,
    rightFolded: false,
  };
  try {
    const { left, right, leftFolded, rightFolded } = JSON.parse(localStorage.getItem(sizesKey) ?? '{}');
    return {
      left: inRange('left', left) ?? first.left,
      right: inRange('right', right) ?? first.right,
      leftFolded: leftFolded === true,
      rightFolded: rightFolded === true,
    };
  } catch {
    return first;
  }
}

function inRange(side: Side, width: unknown): number | undefined {
  const { min: least, max: most } = widthsPx[side];
  return typeof width === 'number' ? Math.round(Math.min(most, Math.max(least, width))) : undefined;
}

/** The panel sizes that this browser remembers, shared by all open documents. */
export const paneSizes = new ObservableState<Sizes>(rememberedSizes());

export function setPaneWidth(side: Side, width: number): void {
  change({ [side]: inRange(side, width)!, [`${side}Folded`]: false });
}

export function foldPane(side: Side, isFolded = !paneSizes.state[`${side}Folded`]): void {
  change({ [`${side}Folded`]: isFolded });
}

function change(sizes: Partial<Sizes>): void {
  paneSizes.set(sizes);
  localStorage.setItem(sizesKey, JSON.stringify(paneSizes.state));
}

/** Returns the tab that was open last: sections or layers. */
export const rememberedTab = (): ViewState['left'] =>
  localStorage.getItem(tabKey) === 'layers' ? 'layers' : 'sections';

export function rememberTab(tab: ViewState['left']): void {
  if (tab !== 'insert') localStorage.setItem(tabKey, tab);
}
