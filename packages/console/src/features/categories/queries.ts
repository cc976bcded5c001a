import { queryOptions } from '@tanstack/react-query';
import { pages as allPages, type Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import { readTagged } from '../../api/tagged.ts';

export type Category = Model<'Category'>;
export type Rule = NonNullable<Category['rule']>;
export type Condition = Rule['conditions'][number];
export type Product = Model<'Product'>;

export const categoriesKey = (storeId: string) => ['stores', storeId, 'categories'];

/** Reads all categories of the store, because the tree is shown as a whole. */
export const categoriesQuery = (storeId: string) =>
  queryOptions({
    queryKey: [...categoriesKey(storeId), 'all'],
    async queryFn({ signal }) {
      const found: Category[] = [];
      const read = (after: string | undefined) =>
        api.get('/api/stores/{storeId}/categories', {
          params: { path: { storeId }, query: { limit: 200, ...(after && { after }) } },
          signal,
        });
      for await (const { categories } of allPages(read)) found.push(...categories);
      return found;
    },
  });

/** Reads a category with its ETag. */
export const categoryQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...categoriesKey(storeId), id],
    queryFn: ({ signal }) =>
      readTagged<{ category: Category }>(`/api/stores/${storeId}/categories/${id}`, signal),
  });

/** Reads the vendors and tags of active products, as suggestions. */
export const suggestionsQuery = (storeId: string) =>
  queryOptions({
    queryKey: [...categoriesKey(storeId), 'suggestions'],
    staleTime: 60_000,
    // Suggestions are optional, since any text can be typed.
    retry: false,
    async queryFn({ signal }) {
      const { facets = [] } = await api.get('/storefront/{storeId}/products', {
        params: { path: { storeId }, query: { limit: 1, facets: true } },
        signal,
      });
      const listFacetValues = (key: string) => {
        const facet = facets.find((each) => each.key === key);
        return facet && 'values' in facet ? facet.values.map(({ value }) => value) : [];
      };
      return { vendors: listFacetValues('vendor'), tags: listFacetValues('tag') };
    },
  });

/** Reads the products that a category with this rule would contain now. */
export const previewQuery = (storeId: string, rule: Rule | null) =>
  queryOptions({
    queryKey: [...categoriesKey(storeId), 'preview', rule],
    queryFn: ({ signal }) =>
      api.post('/api/stores/{storeId}/categories/preview', {
        params: { path: { storeId } },
        body: { rule: rule!, limit: 8 },
        signal,
      }),
    enabled: rule !== null,
    staleTime: 5_000,
    retry: false,
  });
