import { canonicalJson } from './canonical-json.ts';
import { isOfType } from './check/values.ts';
import type { TreeNode } from './materialise.ts';
import type { Json } from './model.ts';
import { elementTypes } from './vocabulary/elements.ts';

/** The products that a list shows (`decisions.md 17.1`). `search` selects those that a visitor searches for. */
export type ProductSource =
  | { readonly kind: 'all' | 'search' }
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  /** Without an id, the category is the page's subject. */
  | { readonly kind: 'category'; readonly id?: string };

interface Paging {
  readonly dir: 'asc' | 'desc';
  readonly limit: number;
  /** Whether further pages are at `?page=2` and so on. */
  readonly paged: boolean;
}

export interface ProductListQuery extends Paging {
  readonly type: 'productList';
  readonly source: ProductSource;
  /** `category` means the order of the listed category. */
  readonly sort: 'number' | 'name' | 'price' | 'created' | 'category';
}

export interface ArticleListQuery extends Paging {
  readonly type: 'articleList';
  /** Null selects all articles, or on a category's page those of that category. */
  readonly categoryId: string | null;
  readonly sort: 'published' | 'title' | 'created';
}

/** The query of a list on a page. */
export type ListQuery = ProductListQuery | ArticleListQuery;

/** Maximum number of different queries that a page gets answers to; further lists are empty. */
export const maxLists = 20;

const queryKeys = ['source', 'categoryId', 'sort', 'dir', 'limit', 'paged'] as const;

/** Returns the query of a list, or undefined for any other element. A value of the wrong type counts as not set. */
export function findListQuery({
  type,
  specials,
}: Pick<TreeNode, 'type' | 'specials'>): ListQuery | undefined {
  if (type !== 'productList' && type !== 'articleList') return undefined;
  const own = elementTypes[type]!.specials;
  const values = queryKeys.flatMap((name): [string, Json][] => {
    const special = own[name];
    if (!special) return [];
    const set = Object.hasOwn(specials, name) ? (specials[name] ?? null) : null;
    return [[name, set !== null && isOfType(special.type, set) ? set : special.default]];
  });
  // `isOfType` and the types of the defaults make sure that the values are those of a query.
  return { type, ...Object.fromEntries(values) } as unknown as ListQuery;
}

/** Returns the key of a query in `PageFacts.lists`; lists with the same query share it. */
export function listKey(query: ListQuery): string {
  return canonicalJson(query as unknown as Json);
}
