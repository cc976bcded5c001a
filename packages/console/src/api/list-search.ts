/** Search, order and page of a list, as search parameters of the address. A feature adds its filters. */
export interface ListSearch {
  q?: string;
  sort?: string;
  dir?: 'asc' | 'desc';
  after?: string;
}

/** Reads the search parameters of a list; invalid ones are dropped. */
export function listSearch<Filter extends string = never>(
  ...filters: readonly Filter[]
): (search: Record<string, unknown>) => ListSearch & Partial<Record<Filter, string>> {
  return (search) => {
    const given = ['q', 'sort', 'after', ...filters].flatMap((name) =>
      search[name] ? [[name, search[name]]] : [],
    );
    const dir = search.dir === 'asc' || search.dir === 'desc' ? { dir: search.dir } : {};
    return { ...Object.fromEntries(given), ...dir } as ListSearch & Partial<Record<Filter, string>>;
  };
}
