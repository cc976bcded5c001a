import type { BrowseQuery } from '../../publication/rendering/gather.ts';

const sorts = ['relevance', 'number', 'name', 'price', 'created'] as const;
/** Limits of a query: names and values are never longer, and nobody chooses more of them. */
const maxLength = 300;
const maxFilters = 100;
const maxCategories = 10;
/** Maximum length of a search text that is meant seriously. */
export const maxQuery = 200;

/**
 * Reads the choice of products in an address, normalized; malformed parts are ignored. The search page also takes
 * categories, and a category's page words: `decisions.md 20.5`.
 */
export function readBrowse(url: string, page: 'search' | 'category'): BrowseQuery {
  const query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
  const isChosen = (category: string) => category !== '' && category.length <= maxLength;
  const chosen = page === 'search' ? [...new Set(query.getAll('category'))].filter(isChosen) : [];
  const categories = chosen.slice(0, maxCategories).sort();
  const q = page === 'category' ? (query.get('q') ?? '').trim().slice(0, maxQuery) : '';
  const filters = new Map<string, [string, string]>();
  for (const [name, value] of query) {
    const isFilter = /^filter\[.+\]$/s.test(name) && value !== '';
    if (!isFilter || name.length > maxLength || value.length > maxLength || filters.size === maxFilters)
      continue;
    filters.set(`${name}\0${value}`, [name, value]);
  }
  const [, named, down] = /^([a-z]+)(-desc)?$/.exec(query.get('sort') ?? '') ?? [];
  const sort = sorts.find((each) => each === named);
  const direction = down ? 'desc' : (['asc', 'desc'] as const).find((each) => each === query.get('dir'));
  // Ascending is the default of a sort, but may differ from the list's own order.
  const dir = sort && direction === 'asc' ? undefined : direction;
  const pairs = [
    ...(q === '' ? [] : [['q', q] as const]),
    ...categories.map((category) => ['category', category] as const),
    ...[...filters.keys()].sort().map((key) => filters.get(key)!),
    ...(sort ? [['sort', sort] as const] : []),
    ...(dir ? [['dir', dir] as const] : []),
  ];
  return {
    pairs,
    ...(q !== '' && { q }),
    ...(categories.length > 0 && { categories }),
    ...(sort && { sort }),
    ...(dir && { dir }),
  };
}
