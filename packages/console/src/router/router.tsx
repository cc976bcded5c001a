import {
  type ComponentType,
  createContext,
  type ReactNode,
  Suspense,
  startTransition,
  use,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { ErrorBoundary, type ErrorScreenProps } from './error-boundary.tsx';
import { createRouteFinder, type Found } from './find-route.ts';
import { history, type Location, navigate } from './history.ts';
import type { Route, Search } from './screens.ts';
import { restoreScroll, watchScroll } from './scroll.ts';

/** The screen of an address. */
interface Shown extends Found<Route> {
  location: Location;
  search: Search;
  Screen: ComponentType;
  Around: ComponentType<{ children: ReactNode }> | null;
}

const ShownContext = createContext<Shown | null>(null);

function useShown(): Shown {
  const shown = use(ShownContext);
  if (!shown) throw new Error('only screens have an address');
  return shown;
}

/** Returns the address of the screen that is shown. A screen that is still loading is not shown yet. */
export const useLocation = (): Location => useShown().location;

/** Returns the values of the path's parameters, decoded. */
export const useParams = <Name extends string>() => useShown().params as Readonly<Record<Name, string>>;

/** Returns the search parameters, as the screen's route reads them. */
export const useSearch = <Read extends object>() => useShown().search as Read;

/** Time after which a screen that is still loading is announced, in milliseconds. */
const pendingMs = 150;

interface Options {
  routes: readonly Route[];
  /** Runs before every screen, at the start and when it failed. */
  begin(): Promise<void>;
  /** Shown while a screen loads. */
  pending: ReactNode;
  /** Shown when a screen failed, within what is around it; and when nothing can be around it. */
  failed: ComponentType<ErrorScreenProps>;
  failedOutside: ComponentType<ErrorScreenProps>;
}

/** A screen that is left, and its successor, which takes longer. */
interface Waiting {
  /** The screen that is left; null at the start. Nothing waits once another one is shown. */
  left: Shown | Failure | null;
  /** The next screen, whose surroundings can be shown already; null while its chunk loads. */
  next: Shown | null;
}

interface Failure {
  error: Error;
}

/**
 * Shows the screen of the current address. The previous one stays until the next one has loaded its chunk and its data,
 * or for a moment at most. React shows what replaces a fallback of Suspense after 300 ms at the earliest, so a fallback
 * would delay every screen.
 */
export function Router({ routes, begin, pending, failed, failedOutside: FailedOutside }: Options) {
  const [find] = useState(() => createRouteFinder(routes));
  const [shown, setShown] = useState<Shown | Failure | null>(null);
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const [attempt, setAttempt] = useState(0);
  const current = useRef(shown);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useLayoutEffect(() => {
    current.current = shown;
    clearTimeout(timer.current);
  }, [shown]);
  useEffect(() => {
    let turn = 0;
    let shownRoute: Route | null = null;
    async function show(): Promise<void> {
      const ours = ++turn;
      const { location } = history;
      const found = find(location);
      let next: Shown | null = null;
      const wait = () => setWaiting({ left: current.current, next });
      clearTimeout(timer.current);
      // The same screen stays, since what is typed in it may be kept.
      if (found.route !== shownRoute) timer.current = setTimeout(wait, pendingMs);
      const loaded = await begin()
        .then(() => load(found, location))
        .catch((error: Error) => ({ error }));
      if (ours !== turn) return;
      if (loaded === null || 'error' in loaded) clearTimeout(timer.current);
      if (loaded === null) return;
      if (!('error' in loaded)) {
        next = loaded;
        // Other surroundings are shown at once.
        if (next.Around && next.Around !== getAround(current.current)) wait();
      }
      shownRoute = found.route;
      startTransition(() => setShown(loaded));
    }
    void show();
    const unsubscribe = history.subscribe(() => void show());
    return () => {
      turn = -1;
      clearTimeout(timer.current);
      unsubscribe();
    };
  }, [find, begin, attempt]);
  useEffect(watchScroll, []);
  const location = shown && 'location' in shown ? shown.location : null;
  useLayoutEffect(() => {
    if (location) restoreScroll(location);
  }, [location]);
  const isWaiting = waiting !== null && waiting.left === shown;
  const displayed = isWaiting ? (waiting.next ?? shown) : shown;
  const retry = () => setAttempt(attempt + 1);
  if (displayed && 'error' in displayed) return <FailedOutside error={displayed.error} retry={retry} />;
  const { route, Screen, Around } = displayed ?? {};
  const screen = (
    <Suspense fallback={pending}>
      <ErrorBoundary
        key={route?.path}
        failed={Around ? failed : FailedOutside}
        retry={retry}
        resetsWith={displayed}
      >
        {isWaiting ? pending : Screen && <Screen />}
      </ErrorBoundary>
    </Suspense>
  );
  return (
    <ShownContext value={displayed}>
      <ErrorBoundary failed={FailedOutside} retry={retry} resetsWith={displayed}>
        {Around ? <Around>{screen}</Around> : screen}
      </ErrorBoundary>
    </ShownContext>
  );
}

const getAround = (shown: Shown | Failure | null) => (shown && 'Around' in shown ? shown.Around : undefined);

/** Returns a screen that fails, for a chunk that did not load: the error is shown within what is around the screen. */
const throwing =
  (error: Error): ComponentType =>
  () => {
    throw error;
  };

/** Loads what an address shows; null if it redirected. */
async function load({ route, params }: Found<Route>, location: Location): Promise<Shown | null> {
  const target = await route.guard?.(location);
  if (target) {
    navigate(target, { replaces: true });
    return null;
  }
  const [Screen, Around = null] = await Promise.all([
    route.screen.load().catch(throwing),
    route.around?.load(),
  ]);
  const given = Object.fromEntries(new URLSearchParams(location.search));
  return { location, route, params, search: { ...given, ...route.search?.(given) }, Screen, Around };
}
