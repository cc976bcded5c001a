import { canonicalJson } from './canonical-json.ts';
import { isOfType } from './check/values.ts';
import type { TreeNode } from './materialise.ts';
import type { Json } from './model.ts';
import { elementTypes } from './vocabulary/elements.ts';

/** Which products a list shows: `decisions.md 17.1`. `search`: those that a visitor searches for. */
export type ProductSource =
  | { readonly kind: 'all' | 'search' }
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  /** Without an id: of the category that the page is of. */
  | { readonly kind: 'category'; readonly id?: string };

interface Paging {
  readonly dir: 'asc' | 'desc';
  readonly limit: number;
  /** Whether further ones are at `?page=2`. */
  readonly paged: boolean;
}

export interface ProductListQuery extends Paging {
  readonly type: 'productList';
  readonly source: ProductSource;
  /** `category`: in the order of the category that is listed. */
  readonly sort: 'number' | 'name' | 'price' | 'created' | 'category';
}

export interface ArticleListQuery extends Paging {
  readonly type: 'articleList';
  /** Null: of all; on the page of a category of that one. */
  readonly categoryId: string | null;
  readonly sort: 'published' | 'title' | 'created';
}

/** What a list of a page asks for. */
export type ListQuery = ProductListQuery | ArticleListQuery;

/** As many different ones as a page has answers to; further lists are empty. */
export const maxLists = 20;

const queryKeys = ['source', 'categoryId', 'sort', 'dir', 'limit', 'paged'] as const;

/** The query of a list, undefined of any other element; a value that is not of its type counts as not set. */
export function listQueryOf({ type, specials }: Pick<TreeNode, 'type' | 'specials'>): ListQuery | undefined {
  if (type !== 'productList' && type !== 'articleList') return undefined;
  const own = elementTypes[type]!.specials;
  const values = queryKeys.flatMap((name): [string, Json][] => {
    const special = own[name];
    if (!special) return [];
    const set = Object.hasOwn(specials, name) ? (specials[name] ?? null) : null;
    return [[name, set !== null && isOfType(special.type, set) ? set : special.default]];
  });
  return { type, ...Object.fromEntries(values) } as unknown as ListQuery;
}

/** What `PageFacts.lists` knows the answer to a query by: lists that ask for the same share it. */
export function listKey(query: ListQuery): string {
  return canonicalJson(query as unknown as Json);
}
