import { type Order, type Page, parsePage } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { filtersKey, hasFilters, type ProductFilters, readFilters } from './filters.ts';
import { findShownCategories } from './index-queries.ts';
import type { ProductIndexes } from './indexes.ts';
import type { Facet, FoundProduct } from './product-index.ts';
import { readShownProducts } from './queries.ts';
import type { ShopQuery } from './routes.ts';
import { searchWords } from './words.ts';

type Db = Kysely<Tables>;
type Direction = 'asc' | 'desc';
type Sort = NonNullable<ShopQuery['sort']> | 'manual';
type SortValue = number | string | null;

const noFilters = readFilters([]);

/** The values that each order sorts by; the last one makes the order unique. */
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

/**
 * Whether the query needs the index. The database alone can list all active products in an order. Facets do not count,
 * because a cursor must fit the list with and without them.
 */
export const isSearch = ({ q, categories, sort }: SearchCriteria, filters: ProductFilters): boolean =>
  Boolean(q?.trim() || categories.length > 0 || hasFilters(filters) || sort === 'relevance');

/** A page of found products, as JSON with commas in between. */
export interface SearchPage {
  items: string;
  total: number;
  nextCursor: string | null;
  facets: Facet[];
}

/**
 * The criteria of a search: words, filters, an order, and categories. A product needs to be in only one of the
 * categories.
 */
type SearchCriteria = Pick<ShopQuery, 'q' | 'sort' | 'dir'> & {
  /** Ids or slugs; empty means all products. */
  categories: readonly string[];
  facets?: boolean | undefined;
};

/** Determines the words, the categories and the order of a search. */
async function planSearch(db: Db, storeId: string, criteria: SearchCriteria) {
  const words = searchWords(criteria.q ?? '');
  const categories =
    criteria.categories.length === 0 ? null : await findShownCategories(db, storeId, criteria.categories);
  // Several categories together have no order of their own.
  const categorySort = words.length === 0 && categories?.length === 1 ? categories[0]!.sort : null;
  const isByRelevance = words.length > 0 && (criteria.sort === undefined || criteria.sort === 'relevance');
  const requestedSort = criteria.sort === 'relevance' ? undefined : criteria.sort;
  const sort: Sort = isByRelevance ? 'relevance' : (requestedSort ?? categorySort?.by ?? 'number');
  const dir: Direction =
    criteria.dir ?? (requestedSort === undefined ? categorySort?.dir : undefined) ?? 'asc';
  return { words, categories, sort, dir };
}

/** Finds products with the store's index. */
async function findAll(
  indexes: ProductIndexes,
  storeId: string,
  { words, categories }: Pick<Awaited<ReturnType<typeof planSearch>>, 'words' | 'categories'>,
  filters: ProductFilters,
  withFacets: boolean,
) {
  const index = await indexes.getIndex(storeId);
  if (!categories) return index.find({ words, filters, withFacets });
  const each = await Promise.all(categories.map((category) => indexes.getMembers(storeId, category)));
  const members = each.length === 1 ? each[0]! : new Map(each.flatMap((map) => [...map]));
  return index.find({ words, filters, withFacets, members });
}

/** Returns the facets of all active products. */
export async function listAllFacets(indexes: ProductIndexes, storeId: string): Promise<Facet[]> {
  const index = await indexes.getIndex(storeId);
  return index.find({ words: [], filters: noFilters, withFacets: true }).facets;
}

/** Returns a page of a visitor's results: the ids in their order. `decisions.md 20.5` */
export async function browseProducts(
  db: Db,
  indexes: ProductIndexes,
  storeId: string,
  criteria: SearchCriteria & { offset: number; limit: number },
  filters: ProductFilters,
): Promise<{ ids: string[]; total: number; facets: Facet[] }> {
  const plan = await planSearch(db, storeId, criteria);
  if (plan.categories?.length === 0) return { ids: [], total: 0, facets: [] };
  const { found, facets } = await findAll(indexes, storeId, plan, filters, criteria.facets ?? false);
  const { offset, limit } = criteria;
  return { ids: pickRange(found, plan, offset, offset + limit), total: found.length, facets };
}

/** Results beyond this position are sorted completely at once; up to it, only the first ones are sorted. */
const deep = 500;

function pickRange(
  found: readonly FoundProduct[],
  { sort, dir }: { sort: Sort; dir: Direction },
  from: number,
  to: number,
): string[] {
  const order = createOrder(sort, dir);
  if (to <= deep) return pick(found, { limit: to, after: null, order }, sort).ids.slice(from);
  const { of } = sorts[sort];
  const compare = comparing(order);
  return found
    .map((product) => ({ id: product.id, values: of(product) }))
    .sort((one, other) => compare(one.values, other.values))
    .slice(from, to)
    .map(({ id }) => id);
}

/**
 * Finds active products by words, filters and category: `decisions.md 20.5`. An unknown category contains nothing.
 * @throws invalid_cursor
 */
export async function searchShown(
  db: Db,
  indexes: ProductIndexes,
  storeId: string,
  query: Omit<ShopQuery, 'category'> & Pick<SearchCriteria, 'categories'>,
  filters: ProductFilters,
): Promise<SearchPage> {
  const plan = await planSearch(db, storeId, query);
  const { words, categories, sort, dir } = plan;
  const category = categories?.map(({ id }) => id).join(' ');
  const scope = { sort, dir, words: words.join(' '), category, filters: filtersKey(filters) };
  const page = parsePage(
    'storefront-search',
    [storeId],
    { limit: query.limit, after: query.after, ...scope },
    createOrder(sort, dir),
  );
  if (categories?.length === 0) return { items: '', total: 0, nextCursor: null, facets: [] };
  const { found, facets } = await findAll(indexes, storeId, plan, filters, query.facets ?? false);
  const { ids, next } = pick(found, page, sort);
  const { items } = await readShownProducts(db, { storeId, ids });
  return { items, total: found.length, nextCursor: page.cursorAt(next), facets };
}

const createOrder = (sort: Sort, dir: Direction): Order =>
  sorts[sort].types.map((type, i) => ({
    column: `value${i}`,
    type,
    dir,
    ...(sort === 'price' && i === 0 && { nulls: 'last' as const }),
  }));

/** Returns the products of a page, and the position of the last one if more follow. */
function pick(
  found: readonly FoundProduct[],
  { limit, after, order }: Pick<Page, 'limit' | 'after' | 'order'>,
  sort: Sort,
) {
  const { types, of } = sorts[sort];
  const compare = comparing(order);
  const start = after?.map((value, i) =>
    value === null ? null : types[i] === 'bigint' ? Number(value) : value,
  );
  // Keeps only the best results so far, one more than the page shows, so that the others need no sorting.
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

/** Returns a comparison by all values of an order. */
function comparing(order: Order) {
  const sign = order[0]!.dir === 'asc' ? 1 : -1;
  return (one: readonly SortValue[], other: readonly SortValue[]): number => {
    for (let i = 0; i < order.length; i++) {
      const [a, b] = [one[i]!, other[i]!];
      if (a === b) continue;
      // Products without a value come last, in both directions.
      if (a === null) return 1;
      if (b === null) return -1;
      return a < b ? -sign : sign;
    }
    return 0;
  };
}
