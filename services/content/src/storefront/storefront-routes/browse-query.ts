import type { BrowseQuery } from '../../publication/rendering/gather.ts';

const sorts = ['relevance', 'number', 'name', 'price', 'created'] as const;
/** Limits of a query: names and values are never longer, and nobody chooses more of them. */
const maxLength = 300;
const maxFilters = 100;

/** Reads the choice of products in an address, normalized; malformed parts are ignored. */
export function readBrowse(url: string): BrowseQuery {
  const query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
  const filters = new Map<string, [string, string]>();
  for (const [name, value] of query) {
    const isFilter = /^filter\[.+\]$/s.test(name) && value !== '';
    if (!isFilter || name.length > maxLength || value.length > maxLength || filters.size === maxFilters)
      continue;
    filters.set(`${name}\0${value}`, [name, value]);
  }
  const [, named, down] = /^([a-z]+)(-desc)?$/.exec(query.get('sort') ?? '') ?? [];
  const sort = sorts.find((each) => each === named);
  const dir = sort && (down || query.get('dir') === 'desc') ? ('desc' as const) : undefined;
  const pairs = [...filters.keys()].sort().map((key) => filters.get(key)!);
  return {
    pairs: [...pairs, ...(sort ? [['sort', sort] as const] : []), ...(dir ? [['dir', dir] as const] : [])],
    ...(sort && { sort }),
    ...(dir && { dir }),
  };
}
