import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { useLocation, useRouter } from '@tanstack/react-router';
import type { ListSearch } from './list-search.ts';

export type { ListSearch };

interface Page {
  nextCursor: string | null;
}

/** How often what moves is read again. */
export const pollMs = 5_000;

/**
 * A page of a list as the address asks for it. What was shown stays until the next page is there, and an answer that
 * comes too late is dropped. The cursors of the pages before stand in the browser's history, so a reload keeps them.
 */
export function useList<Answer extends Page, Search extends ListSearch>(
  key: QueryKey,
  search: Search,
  read: (search: Search, signal: AbortSignal) => Promise<Answer>,
  /** Whether what is shown changes by itself: then it is read again and again. */
  isMoving: (answer: Answer) => boolean = () => false,
) {
  const router = useRouter();
  const trail = useLocation({ select: ({ state }) => (state as { trail?: (string | null)[] }).trail ?? [] });
  const query = useQuery({
    queryKey: [...key, search],
    queryFn: ({ signal }) => read(search, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data && isMoving(state.data) ? pollMs : false),
  });
  function go(changes: Partial<Record<string, string | undefined>>, nextTrail: (string | null)[] = []) {
    void router.navigate({
      to: '.',
      search: ((before: object) => ({ ...before, after: undefined, ...changes })) as never,
      state: { trail: nextTrail } as never,
      replace: nextTrail.length === 0 && !('after' in changes),
      resetScroll: false,
    });
  }
  const next = query.data?.nextCursor;
  const { after = null } = search;
  return {
    ...query,
    /** Changes what the list shows; it begins anew. */
    change: (changes: Partial<Record<string, string | undefined>>) => go(changes),
    onNext: next ? () => go({ after: next }, [...trail, after]) : undefined,
    onPrevious:
      after === null ? undefined : () => go({ after: trail.at(-1) ?? undefined }, trail.slice(0, -1)),
  };
}
