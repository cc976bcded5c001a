import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { changeSearch } from '../router/history.ts';
import { useLocation } from '../router/router.tsx';
import type { ListSearch } from './list-search.ts';

export type { ListSearch };

interface Page {
  nextCursor: string | null;
}

/** Interval at which a list with changing rows is read again, in milliseconds. */
export const pollMs = 5_000;

/**
 * Reads the page of a list that the address names. The previous page stays visible until the next one arrives, and late
 * answers are dropped. The cursors of earlier pages are kept in the browser's history, so they survive a reload.
 */
export function useList<Answer extends Page, Search extends ListSearch>(
  key: QueryKey,
  search: Search,
  read: (search: Search, signal: AbortSignal) => Promise<Answer>,
  /** Whether the rows change by themselves. If so, the list is polled. */
  isMoving: (answer: Answer) => boolean = () => false,
) {
  const { trail = [] } = useLocation().state as { trail?: (string | null)[] };
  const query = useQuery({
    queryKey: [...key, search],
    queryFn: ({ signal }) => read(search, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data && isMoving(state.data) ? pollMs : false),
  });
  function go(changes: Partial<Record<string, string | undefined>>, nextTrail: (string | null)[] = []) {
    changeSearch(
      { after: undefined, ...changes },
      { state: { trail: nextTrail }, replaces: nextTrail.length === 0 && !('after' in changes) },
    );
  }
  const next = query.data?.nextCursor;
  const { after = null } = search;
  return {
    ...query,
    /** Changes the search parameters and returns to the first page. */
    change: (changes: Partial<Record<string, string | undefined>>) => go(changes),
    onNext: next ? () => go({ after: next }, [...trail, after]) : undefined,
    onPrevious:
      after === null ? undefined : () => go({ after: trail.at(-1) ?? undefined }, trail.slice(0, -1)),
  };
}
