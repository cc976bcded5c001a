import {
  type ComponentType,
  createContext,
  type ReactNode,
  Suspense,
  startTransition,
  use,
  useEffect,
  useLayoutEffect,
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

/** Shows the screen of the current address. The previous one stays until the next one's chunk has loaded. */
export function Router({ routes, begin, pending, failed, failedOutside: FailedOutside }: Options) {
  const [find] = useState(() => createRouteFinder(routes));
  const [shown, setShown] = useState<Shown | { error: Error } | null>(null);
  const [isPending, setPending] = useState(false);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let turn = 0;
    let shownRoute: Route | null = null;
    async function show(): Promise<void> {
      const ours = ++turn;
      const { location } = history;
      const found = find(location);
      // The same screen stays, since what is typed in it may be kept.
      const isOther = found.route !== shownRoute;
      const timer = setTimeout(() => isOther && ours === turn && setPending(true), pendingMs);
      const next = await begin()
        .then(() => load(found, location))
        .catch((error: Error) => ({ error }));
      clearTimeout(timer);
      if (ours !== turn || next === null) return;
      shownRoute = found.route;
      startTransition(() => {
        setShown(next);
        setPending(false);
      });
    }
    void show();
    const unsubscribe = history.subscribe(() => void show());
    return () => {
      turn = -1;
      unsubscribe();
    };
  }, [find, begin, attempt]);
  useEffect(watchScroll, []);
  const location = shown && 'location' in shown ? shown.location : null;
  useLayoutEffect(() => {
    if (location) restoreScroll(location);
  }, [location]);
  if (shown === null) return isPending && pending;
  const retry = () => setAttempt(attempt + 1);
  if ('error' in shown) return <FailedOutside error={shown.error} retry={retry} />;
  const { route, Screen, Around } = shown;
  const screen = (
    <ErrorBoundary key={route.path} failed={Around ? failed : FailedOutside} retry={retry} resetsWith={shown}>
      <Suspense fallback={pending}>{isPending ? pending : <Screen />}</Suspense>
    </ErrorBoundary>
  );
  return (
    <ShownContext value={shown}>
      <ErrorBoundary failed={FailedOutside} retry={retry} resetsWith={shown}>
        {Around ? <Around>{screen}</Around> : screen}
      </ErrorBoundary>
    </ShownContext>
  );
}

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
