/** A list's place in the address: what is searched, in which order, and which page; a feature adds its filters. */
export interface ListSearch {
  q?: string;
  sort?: string;
  dir?: 'asc' | 'desc';
  after?: string;
}

/** Reads a list's search parameters of an address: what makes no sense is left out. */
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
