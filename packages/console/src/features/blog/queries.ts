import { queryOptions } from '@tanstack/react-query';
import { type Model, pages } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';
import { readTagged } from '../../api/tagged.ts';

export type Article = Model<'Article'>;
export type Category = Model<'BlogCategory'>;
export type ArticleSearch = ListSearch & { status?: string; categoryId?: string };

export const articlesKey = (storeId: string) => ['stores', storeId, 'articles'];
export const categoriesKey = (storeId: string) => ['stores', storeId, 'blog-categories'];

/** A page of the store's articles, without their bodies. */
export function readArticles(storeId: string, search: ArticleSearch, signal: AbortSignal) {
  const query = {
    limit: 50,
    fields: 'title,slug,status,hasDraft,bodyType,categoryIds,publishedAt,createdAt,updatedAt',
    ...search,
  } as { limit: number; status?: Article['status']; sort?: 'created' };
  return api.get('/api/stores/{storeId}/articles', { params: { path: { storeId }, query }, signal });
}

/** What was read of an article, and the tag of that state. */
export interface Read {
  article: Article;
  etag: string | null;
}

export const articleQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...articlesKey(storeId), id],
    queryFn: ({ signal }): Promise<Read> => readTagged(`/api/stores/${storeId}/articles/${id}`, signal),
  });

/** A category, with the tag of the state that was read. */
export const readCategory = (storeId: string, id: string, signal?: AbortSignal) =>
  readTagged<{ blogCategory: Category }>(`/api/stores/${storeId}/blog-categories/${id}`, signal);

/** A category in the tree: with how deep it lies, 0 at the top, and how many stand beside it. */
export interface CategoryAtDepth extends Category {
  depth: number;
  siblings: number;
}

/** Every category, each before those below it. */
export const categoriesQuery = (storeId: string) =>
  queryOptions({
    queryKey: categoriesKey(storeId),
    async queryFn({ signal }) {
      const found: Category[] = [];
      const read = (after: string | undefined) =>
        api.get('/api/stores/{storeId}/blog-categories', {
          params: { path: { storeId }, query: { limit: 200, ...(after && { after }) } },
          signal,
        });
      for await (const { blogCategories } of pages(read)) found.push(...blogCategories);
      return placesBelow(
        null,
        0,
        Map.groupBy(found, ({ parentId }) => parentId),
      );
    },
    staleTime: 30_000,
  });

function placesBelow(
  parentId: string | null,
  depth: number,
  byParent: ReadonlyMap<string | null, readonly Category[]>,
): CategoryAtDepth[] {
  const children = (byParent.get(parentId) ?? []).toSorted((one, other) => one.position - other.position);
  return children.flatMap((category) => [
    { ...category, depth, siblings: children.length },
    ...placesBelow(category.id, depth + 1, byParent),
  ]);
}

/** A category's name, behind as many dashes as it lies deep. */
export const indented = ({ name, depth }: CategoryAtDepth) => `${'– '.repeat(depth)}${name}`;
