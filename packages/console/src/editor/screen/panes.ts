import { type Pane, panes } from './workbench.ts';

/** Gives the focus to the next part of the screen that is shown, or to the one before it. */
export function movePane(step: 1 | -1, from: Pane | null = focusedPane()): void {
  const at = from === null ? -1 : panes.indexOf(from);
  for (let i = 1; i <= panes.length; i++) {
    const pane = panes[(at + step * i + panes.length * 2) % panes.length]!;
    if (focusPane(pane)) return;
  }
}

/** False where that part is not shown. */
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
