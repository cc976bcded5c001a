import { history, type Location } from './history.ts';

/** The window's scroll position at each entry of the history, by the entry's key. */
const storageKey = 'waybill.scroll';
const maxEntries = 100;

const positions = new Map<string, number>(readStored());
let shownKey: string | null = null;
let shownPage: string | null = null;
/** Ends the scrolling to an earlier position, while the page is being built. */
let giveUp: (() => void) | null = null;
/** How long a page may take to be built, in milliseconds. */
const patienceMs = 1_500;
const userActions = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

function readStored(): [string, number][] {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? '[]');
  } catch {
    return [];
  }
}

const getKey = ({ state }: Location): string => state.__TSR_key ?? '';

/** Keeps the scroll position of the entry that is shown, also over a reload. Returns a function that ends it. */
export function watchScroll(): () => void {
  window.history.scrollRestoration = 'manual';
  const note = () => {
    if (giveUp || shownKey === null || shownKey !== getKey(history.location)) return;
    positions.delete(shownKey);
    positions.set(shownKey, window.scrollY);
  };
  const store = () => sessionStorage.setItem(storageKey, JSON.stringify([...positions].slice(-maxEntries)));
  addEventListener('scroll', note, { passive: true });
  addEventListener('pagehide', store);
  return () => {
    removeEventListener('scroll', note);
    removeEventListener('pagehide', store);
  };
}

/** Scrolls to where the entry was left; to the top if it is new, unless it keeps the position or names an element. */
export function restoreScroll(location: Location): void {
  const key = getKey(location);
  const page = location.pathname + location.search;
  const isNew = !positions.has(key);
  const keeps =
    (location.state as { keepsScroll?: boolean }).keepsScroll || location.hash || page === shownPage;
  shownKey = key;
  shownPage = page;
  giveUp?.();
  if (!isNew || !keeps) reach(positions.get(key) ?? 0);
}

/**
 * Scrolls to a position, again whenever the size of the page changes: its parts come one after another. This ends when
 * the user does something.
 */
function reach(position: number): void {
  window.scrollTo(0, position);
  if (position === 0) return;
  const observer = new ResizeObserver(() => window.scrollTo(0, position));
  const end = () => {
    giveUp = null;
    clearTimeout(timer);
    observer.disconnect();
    for (const action of userActions) removeEventListener(action, end);
  };
  const timer = setTimeout(end, patienceMs);
  giveUp = end;
  for (const action of userActions) addEventListener(action, end, { passive: true });
  observer.observe(document.body);
}
