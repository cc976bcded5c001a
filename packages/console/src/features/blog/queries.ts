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

/** Reads a page of the store's articles, without their bodies. */
export function readArticles(storeId: string, search: ArticleSearch, signal: AbortSignal) {
  const query = {
    limit: 50,
    fields: 'title,slug,status,hasChanges,bodyType,categoryIds,publishedAt,createdAt,updatedAt',
    ...search,
  } as { limit: number; status?: Article['status']; sort?: 'created' };
  return api.get('/api/stores/{storeId}/articles', { params: { path: { storeId }, query }, signal });
}

/** An article with the ETag of the version that was read. */
export interface Read {
  article: Article;
  etag: string | null;
}

export const articleQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...articlesKey(storeId), id],
    queryFn: ({ signal }): Promise<Read> => readTagged(`/api/stores/${storeId}/articles/${id}`, signal),
  });

/** Reads a category with its ETag. */
export const readCategory = (storeId: string, id: string, signal?: AbortSignal) =>
  readTagged<{ blogCategory: Category }>(`/api/stores/${storeId}/blog-categories/${id}`, signal);

/** A category of the tree with its depth, 0 at the top, and its number of siblings. */
export interface CategoryAtDepth extends Category {
  depth: number;
  siblings: number;
}

/** Reads all categories, parents before their children. */
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

/** Returns the name with one dash per level of depth. */
export const indented = ({ name, depth }: CategoryAtDepth) => `${'– '.repeat(depth)}${name}`;
