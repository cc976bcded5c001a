import { type RefObject, useEffect } from 'react';

/** Matches elements that Tab reaches. */
export const focusable =
  ':is(a[href], button, input, select, textarea, summary, [tabindex]):not(:disabled, [tabindex="-1"])';

/** Time that the code which removes an element has to move the focus itself. */
const graceMs = 100;

/**
 * Keeps the focus within a place when the focused element is removed. The nearest focusable element before it takes the
 * focus, or else the title of the screen.
 */
export function useKeptFocus(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const within = place.current!;
    /** The element that had the focus last and all focusable elements before it, nearest first. */
    let way: readonly HTMLElement[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const remember = ({ target }: FocusEvent) => {
      const all = [...within.querySelectorAll<HTMLElement>(focusable)];
      const at = all.indexOf(target as HTMLElement);
      way = at < 0 ? [target as HTMLElement] : all.slice(0, at + 1).reverse();
    };
    const mend = () => {
      const isLost = document.activeElement === document.body || !document.activeElement;
      if (!isLost || !way[0] || way[0].isConnected) return;
      const next = way.find((element) => element.isConnected && element.matches(focusable));
      if (next) next.focus();
      // Another screen has come, whose scroll position was restored.
      else within.querySelector<HTMLElement>('[data-screen-title]')?.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(() => {
      if (!way[0] || way[0].isConnected) return;
      clearTimeout(timer);
      timer = setTimeout(mend, graceMs);
    });
    within.addEventListener('focusin', remember);
    observer.observe(within, { childList: true, subtree: true });
    // A dialog outside the place may close after the button that opened it was removed.
    observer.observe(document.body, { childList: true });
    return () => {
      clearTimeout(timer);
      within.removeEventListener('focusin', remember);
      observer.disconnect();
    };
  }, [place]);
}
