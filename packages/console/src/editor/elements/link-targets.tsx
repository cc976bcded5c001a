import { queryOptions, useQuery } from '@tanstack/react-query';
import { foldText } from '@waybill/contracts/fold';
import { pages as allPages } from '@waybill/sdk';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { SearchChoice } from '../../ui/combo-box.tsx';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import style from './pickers.module.css';

/** Shows the name of a product, a category, a page or an article. */
export function LinkTargetName({
  kind,
  id,
}: {
  kind: 'products' | 'categories' | 'pages' | 'articles';
  id: string;
}) {
  const { storeId, words } = usePanelWorkbench();
  const { data, error } = useQuery({
    queryKey: ['stores', storeId, 'name-of', id],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const params = { path: { storeId, id } };
      if (kind === 'products') {
        return (await api.get('/api/stores/{storeId}/products/{id}', { params, signal })).product.name;
      }
      if (kind === 'categories')
        return (await api.get('/api/stores/{storeId}/categories/{id}', { params, signal })).category.name;
      if (kind === 'pages')
        return (await api.get('/api/stores/{storeId}/pages/{id}', { params, signal })).page.name;
      return (await api.get('/api/stores/{storeId}/articles/{id}', { params, signal })).article.title;
    },
  });
  return <strong className={style.name}>{error ? words.notThere({ id }) : (data ?? '…')}</strong>;
}

/** A search for products, categories, pages or articles by name. */
export function LinkTargetSearch({
  kind,
  isLive = false,
  label,
  isDisabled,
  onChoose,
}: {
  kind: LinkTargetKind;
  /** Whether only products and articles that visitors see are found. */
  isLive?: boolean;
  label: string;
  isDisabled: boolean;
  onChoose(id: string): void;
}) {
  const { storeId, words } = usePanelWorkbench();
  const [q, setQ] = useState('');
  const { data = [], isFetching } = useQuery({
    queryKey: ['stores', storeId, 'search-for', kind, isLive, q],
    staleTime: 10_000,
    queryFn: ({ signal }) => searchLinkTargets(storeId, kind, q, isLive, signal),
  });
  return (
    <SearchChoice
      label={label}
      choices={data}
      onSearch={setQ}
      onChoose={onChoose}
      empty={words.nothingFound}
      isLoading={isFetching}
      isDisabled={isDisabled}
    />
  );
}

export type LinkTargetKind = 'product' | 'category' | 'page' | 'article';

export async function searchLinkTargets(
  storeId: string,
  kind: LinkTargetKind,
  q: string,
  isLive: boolean,
  signal: AbortSignal,
) {
  const path = { storeId };
  const query = { limit: 20, ...(q && { q }) };
  if (kind === 'product') {
    const { products } = await api.get('/api/stores/{storeId}/products', {
      params: { path, query: { ...query, ...(isLive && { status: 'active' as const }) } },
      signal,
    });
    return products.map(({ id, name, slug }) => ({ id, text: name, detail: slug }));
  }
  if (kind === 'article') {
    const { articles } = await api.get('/api/stores/{storeId}/articles', {
      params: { path, query: { ...query, ...(isLive && { status: 'published' as const }) } },
      signal,
    });
    return articles.map(({ id, title, slug }) => ({ id, text: title, detail: slug }));
  }
  const namesQuery = kind === 'category' ? categoryNamesQuery(storeId) : pageNamesQuery(storeId);
  const found = await queries.fetchQuery(namesQuery);
  const searchText = foldText(q);
  return found
    .filter(({ name, slug }) => foldText(`${name} ${slug}`).includes(searchText))
    .slice(0, query.limit)
    .map(({ id, name, slug }) => ({ id, text: name, detail: slug }));
}

/** Fetches the names of all pages of the store. */
const pageNamesQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'pages', 'names'],
    staleTime: 10_000,
    async queryFn({ signal }) {
      const found: { id: string; name: string; slug: string }[] = [];
      const read = (after: string | undefined) =>
        api.get('/api/stores/{storeId}/pages', {
          params: { path: { storeId }, query: { limit: 200, fields: 'name,slug', ...(after && { after }) } },
          signal,
        });
      for await (const { pages } of allPages(read)) found.push(...pages);
      return found;
    },
  });

/** Fetches the names of all product categories. */
const categoryNamesQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'categories', 'names'],
    staleTime: 10_000,
    async queryFn({ signal }) {
      const found: { id: string; name: string; slug: string }[] = [];
      const read = (after: string | undefined) =>
        api.get('/api/stores/{storeId}/categories', {
          params: { path: { storeId }, query: { limit: 200, fields: 'name,slug', ...(after && { after }) } },
          signal,
        });
      for await (const { categories } of allPages(read)) found.push(...categories);
      return found;
    },
  });
