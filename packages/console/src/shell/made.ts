import {
  type QueryKey,
  queryOptions,
  type UseSuspenseQueryOptions,
  useQueryClient,
  useSuspenseQuery,
} from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

/** Stands in an address for the id of what is yet to be made. */
export const newId = 'new';

/**
 * The identity of a form, by the id in the address. A form that has created its resource continues as the form of that
 * resource, so whoever types on loses neither text nor focus: `continueAs` replaces the address, and `key` stays.
 */
export function useFormOf(id: string): { key: number; continueAs(id: string, path: string): void } {
  const router = useRouter();
  const [form, setForm] = useState<{ id: string; made?: string; key: number }>({ id, key: 0 });
  if (id !== form.id) setForm({ id, key: form.made === id ? form.key : form.key + 1 });
  return {
    key: form.key,
    continueAs(made, path) {
      setForm({ ...form, made });
      // What has been typed since is not left but taken along.
      void router.navigate({ href: path, replace: true, resetScroll: false, ignoreBlocker: true });
    },
  };
}

const nothing = queryOptions({
  queryKey: ['nothing'] as QueryKey,
  queryFn: () => null,
  initialData: null,
  staleTime: Number.POSITIVE_INFINITY,
});

/** What is stored of a thing, by its id in the address; null where it is yet to be made. */
export function useStored<Stored, Key extends QueryKey>(
  id: string,
  query: UseSuspenseQueryOptions<Stored, Error, Stored, Key>,
): Stored | null {
  const options = (id === newId ? nothing : query) as UseSuspenseQueryOptions<Stored | null>;
  return useSuspenseQuery(options).data;
}

/** To be called for a thing that is deleted: what was read of it is forgotten once nothing shows it, or it would be read again. */
export function useForgetDeleted(queryKey: QueryKey): () => void {
  const queries = useQueryClient();
  const gone = useRef<QueryKey | null>(null);
  useEffect(
    () => () => {
      if (gone.current) queries.removeQueries({ queryKey: gone.current });
    },
    [queries],
  );
  return () => {
    gone.current = queryKey;
  };
}
