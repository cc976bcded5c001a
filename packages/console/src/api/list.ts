import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { useLocation, useRouter } from '@tanstack/react-router';

/** A list's place in the address: what is searched, in which order, and which page; a room adds its filters. */
export interface ListSearch {
  q?: string;
  sort?: string;
  dir?: 'asc' | 'desc';
  after?: string;
}

/** Reads a list's search parameters of an address: what makes no sense is left out. */
export function listSearch<Filter extends string = never>(
  ...filters: readonly Filter[]
): (search: Record<string, unknown>) => ListSearch & Partial<Record<Filter, string>> {
  return (search) => {
    const given = ['q', 'sort', 'after', ...filters].flatMap((name) =>
      search[name] ? [[name, search[name]]] : [],
    );
    const dir = search.dir === 'asc' || search.dir === 'desc' ? { dir: search.dir } : {};
    return { ...Object.fromEntries(given), ...dir } as ListSearch & Partial<Record<Filter, string>>;
  };
}

interface Page {
  total: number;
  nextCursor: string | null;
}

/**
 * A page of a list as the address asks for it. What was shown stays until the next page is there, and an answer that
 * comes too late is dropped. The cursors of the pages before stand in the browser's history, so a reload keeps them.
 */
export function useList<Answer extends Page, Search extends ListSearch>(
  key: QueryKey,
  search: Search,
  read: (search: Search, signal: AbortSignal) => Promise<Answer>,
) {
  const router = useRouter();
  const trail = useLocation({ select: ({ state }) => (state as { trail?: (string | null)[] }).trail ?? [] });
  const query = useQuery({
    queryKey: [...key, search],
    queryFn: ({ signal }) => read(search, signal),
    placeholderData: keepPreviousData,
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
