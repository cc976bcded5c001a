import { type RefObject, useEffect } from 'react';

const focusable =
  ':is(a[href], button, input, select, textarea, summary, [tabindex]):not(:disabled, [tabindex="-1"])';

/** How long whatever takes an element away has to say itself where the focus goes. */
const graceMs = 100;

/**
 * Within a place the focus is not lost with the element that had it, be that deleted or done with: what stood before
 * it takes it, else the title of the screen.
 */
export function useKeptFocus(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const within = place.current!;
    /** What had the focus last, and what stands before it, nearest first. */
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
      (next ?? within.querySelector<HTMLElement>('[data-screen-title]'))?.focus();
    };
    const observer = new MutationObserver(() => {
      if (!way[0] || way[0].isConnected) return;
      clearTimeout(timer);
      timer = setTimeout(mend, graceMs);
    });
    within.addEventListener('focusin', remember);
    observer.observe(within, { childList: true, subtree: true });
    // A dialog that closes beside the place may find that what opened it is gone.
    observer.observe(document.body, { childList: true });
    return () => {
      clearTimeout(timer);
      within.removeEventListener('focusin', remember);
      observer.disconnect();
    };
  }, [place]);
}
