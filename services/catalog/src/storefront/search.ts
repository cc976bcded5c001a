import { type Order, type Page, pageOf } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { filtersKey, hasFilters, type ProductFilters } from './filters.ts';
import { findShownCategory } from './index-queries.ts';
import type { Indexes } from './indexes.ts';
import type { Facet, FoundProduct } from './product-index.ts';
import { readShownProducts } from './queries.ts';
import type { ShopQuery } from './routes.ts';
import { maxWords, splitWords } from './words.ts';

type Db = Kysely<Tables>;
type Direction = 'asc' | 'desc';
type Sort = NonNullable<ShopQuery['sort']> | 'manual';
type SortValue = number | string | null;

/** What a list of found products is sorted by; the last value tells those apart that are equal in the others. */
const sorts: Readonly<
  Record<Sort, { types: readonly ('bigint' | 'text')[]; of: (found: FoundProduct) => SortValue[] }>
> = {
  relevance: { types: ['bigint', 'bigint'], of: ({ rank, number }) => [rank, number] },
  number: { types: ['bigint'], of: ({ number }) => [number] },
  name: { types: ['text', 'text'], of: ({ nameKey, id }) => [nameKey, id] },
  price: { types: ['bigint', 'text'], of: ({ priceCents, id }) => [priceCents, id] },
  created: { types: ['bigint', 'text'], of: ({ createdAt, id }) => [createdAt, id] },
  manual: { types: ['bigint', 'text'], of: ({ position, id }) => [position, id] },
};

/** Whether a list is more than all active products in an order, which the database reads by itself. */
export const isSearch = ({ q, category, facets, sort }: ShopQuery, filters: ProductFilters): boolean =>
  Boolean(q?.trim() || category !== undefined || facets || hasFilters(filters) || sort === 'relevance');

/** A page of what was found, its products as JSON with commas between. */
export interface SearchPage {
  items: string;
  total: number;
  nextCursor: string | null;
  facets: Facet[];
}

/**
 * Finds active products by words, filters and category: `decisions.md 20.5`. An unknown category contains nothing.
 * @throws invalid_cursor
 */
export async function searchShown(
  db: Db,
  indexes: Indexes,
  storeId: string,
  query: ShopQuery,
  filters: ProductFilters,
): Promise<SearchPage> {
  const words = splitWords(query.q ?? '').slice(0, maxWords);
  const category =
    query.category === undefined ? undefined : await findShownCategory(db, storeId, query.category);
  const own = words.length > 0 ? null : category?.sort;
  const isByRelevance = words.length > 0 && (query.sort === undefined || query.sort === 'relevance');
  const asked = query.sort === 'relevance' ? undefined : query.sort;
  const sort: Sort = isByRelevance ? 'relevance' : (asked ?? own?.by ?? 'number');
  const dir: Direction = query.dir ?? (asked === undefined ? own?.dir : undefined) ?? 'asc';
  const scope = { sort, dir, words: words.join(' '), category: category?.id, filters: filtersKey(filters) };
  const page = pageOf(
    'storefront-search',
    [storeId],
    { limit: query.limit, after: query.after, ...scope },
    orderOf(sort, dir),
  );
  if (category === null) return { items: '', total: 0, nextCursor: null, facets: [] };
  const index = await indexes.indexOf(storeId);
  const members = category && (await indexes.membersOf(storeId, category));
  const { found, facets } = index.find({
    words,
    filters,
    withFacets: query.facets ?? false,
    ...(members && { members }),
  });
  const { ids, next } = pick(found, page, sort);
  const { items } = await readShownProducts(db, { storeId, ids });
  return { items, total: found.length, nextCursor: page.cursorAt(next), facets };
}

const orderOf = (sort: Sort, dir: Direction): Order =>
  sorts[sort].types.map((type, i) => ({
    column: `value${i}`,
    type,
    dir,
    ...(sort === 'price' && i === 0 && { nulls: 'last' as const }),
  }));

/** The products of a page, and the position of the last where more follow. */
function pick(found: readonly FoundProduct[], { limit, after, order }: Page, sort: Sort) {
  const { types, of } = sorts[sort];
  const sign = order[0]!.dir === 'asc' ? 1 : -1;
  const compare = (one: readonly SortValue[], other: readonly SortValue[]): number => {
    for (let i = 0; i < types.length; i++) {
      const [a, b] = [one[i]!, other[i]!];
      if (a === b) continue;
      // Without a value last, in both directions.
      if (a === null) return 1;
      if (b === null) return -1;
      return a < b ? -sign : sign;
    }
    return 0;
  };
  const start = after?.map((value, i) =>
    value === null ? null : types[i] === 'bigint' ? Number(value) : value,
  );
  // The best so far in order, one more than are shown: all of them need not be sorted.
  const best: { id: string; values: SortValue[] }[] = [];
  for (const product of found) {
    const values = of(product);
    if (start && compare(values, start) <= 0) continue;
    if (best.length > limit && compare(values, best[limit]!.values) >= 0) continue;
    let [low, high] = [0, best.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(best[middle]!.values, values) <= 0) low = middle + 1;
      else high = middle;
    }
    best.splice(low, 0, { id: product.id, values });
    if (best.length > limit + 1) best.pop();
  }
  const last = best.length > limit ? best[limit - 1]!.values : null;
  return {
    ids: best.slice(0, limit).map(({ id }) => id),
    next: last?.map((value) => (value === null ? null : String(value))) ?? null,
  };
}
