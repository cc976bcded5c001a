import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';

export type Translation = Model<'Translation'>;
export type TranslationSearch = ListSearch & { locale?: string; kind?: string };

/** What is translated here, thing by thing. A page's name, title and description are kept as those of a node. */
export const kinds = ['product', 'article', 'blogCategory', 'page'] as const;
export type Kind = (typeof kinds)[number];

export const isKind = (text: string | undefined): text is Kind => kinds.includes(text as Kind);

export const entityTypeOf = (kind: Kind): 'product' | 'article' | 'blogCategory' | 'node' =>
  kind === 'page' ? 'node' : kind;

/** A thing with its texts as they were written, by field; only those that hold anything. */
export interface Thing {
  id: string;
  name: string;
  texts: Readonly<Record<string, string>>;
}

/** A thing, and what there is of it in the locale, by field. */
export interface Translated extends Thing {
  values: Readonly<Record<string, string>>;
}

export const translationsKey = (storeId: string) => ['stores', storeId, 'translations'];

/** The fields that hold a text; HTML that holds nothing but elements is none. */
function filled(texts: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' && entry[1].replaceAll(/<[^<>]*>/g, '').trim() !== '',
    ),
  );
}

const productOf = ({ id, name, description }: Model<'Product'>): Thing => {
  return { id, name, texts: filled({ name, description }) };
};
const articleOf = ({ id, title, excerpt, content }: Model<'Article'>): Thing => {
  return { id, name: title, texts: filled({ title, excerpt, content }) };
};
const categoryOf = ({ id, name }: Model<'BlogCategory'>): Thing => ({ id, name, texts: filled({ name }) });
const pageOf = ({ id, name, settings: { title, description } }: Model<'Page'>): Thing => {
  return { id, name, texts: filled({ name, title, description }) };
};

interface Things {
  things: Thing[];
  total: number;
  nextCursor: string | null;
}

async function readThings(
  storeId: string,
  kind: Kind,
  after: string | undefined,
  signal?: AbortSignal,
): Promise<Things> {
  const query = { limit: 50, ...(after && { after }) };
  const init = { params: { path: { storeId }, query }, ...(signal && { signal }) };
  switch (kind) {
    case 'product': {
      const { products, ...rest } = await api.get('/api/stores/{storeId}/products', init);
      return { ...rest, things: products.map(productOf) };
    }
    case 'article': {
      const { articles, ...rest } = await api.get('/api/stores/{storeId}/articles', init);
      return { ...rest, things: articles.map(articleOf) };
    }
    case 'blogCategory': {
      const { blogCategories, ...rest } = await api.get('/api/stores/{storeId}/blog-categories', init);
      return { ...rest, things: blogCategories.map(categoryOf) };
    }
    case 'page': {
      const { pages, ...rest } = await api.get('/api/stores/{storeId}/pages', init);
      return { ...rest, things: pages.map(pageOf) };
    }
  }
}

async function readThing(storeId: string, kind: Kind, id: string, signal: AbortSignal): Promise<Thing> {
  const init = { params: { path: { storeId, id } }, signal };
  switch (kind) {
    case 'product':
      return productOf((await api.get('/api/stores/{storeId}/products/{id}', init)).product);
    case 'article':
      return articleOf((await api.get('/api/stores/{storeId}/articles/{id}', init)).article);
    case 'blogCategory':
      return categoryOf((await api.get('/api/stores/{storeId}/blog-categories/{id}', init)).blogCategory);
    case 'page':
      return pageOf((await api.get('/api/stores/{storeId}/pages/{id}', init)).page);
  }
}

async function readValues(
  storeId: string,
  kind: Kind,
  locale: string,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<Readonly<Record<string, readonly Translation[]>>> {
  if (ids.length === 0) return {};
  const answer = await api.get('/api/stores/{storeId}/translations', {
    params: {
      path: { storeId },
      query: { locale, entityType: entityTypeOf(kind), entityIds: ids.join(',') },
    },
    ...(signal && { signal }),
  });
  return 'byEntity' in answer ? answer.byEntity : {};
}

function withValues(thing: Thing, translations: readonly Translation[] = []): Translated {
  const values = translations.map(({ field, value }) => [field, value] as const);
  return { ...thing, values: Object.fromEntries(values.filter(([, value]) => value !== '')) };
}

export const missingOf = ({ texts, values }: Translated): string[] =>
  Object.keys(texts).filter((field) => values[field] === undefined);

/** A page of the things of a kind, with what there is of each in the locale. */
export async function readTranslated(
  storeId: string,
  kind: Kind,
  locale: string,
  after: string | undefined,
  signal?: AbortSignal,
) {
  const { things, ...rest } = await readThings(storeId, kind, after, signal);
  const ids = things.map(({ id }) => id);
  const byEntity = await readValues(storeId, kind, locale, ids, signal);
  return { ...rest, things: things.map((thing) => withValues(thing, byEntity[thing.id])) };
}

/** A thing to translate. Its own text and its translations are asked for at once. */
export const translatedQuery = (storeId: string, kind: Kind, locale: string, id: string) =>
  queryOptions({
    queryKey: [...translationsKey(storeId), locale, kind, id],
    async queryFn({ signal }) {
      const [thing, byEntity] = await Promise.all([
        readThing(storeId, kind, id, signal),
        readValues(storeId, kind, locale, [id], signal),
      ]);
      return withValues(thing, byEntity[id]);
    },
  });

export const progressQuery = (storeId: string, locale: string) =>
  queryOptions({
    queryKey: [...translationsKey(storeId), locale, 'progress'],
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/stores/{storeId}/translations/progress', {
          params: { path: { storeId }, query: { locale } },
          signal,
        })
      ).progress,
  });

/** How many pages of things one search for the next missing one reads at most. */
const maxPages = 40;

/** The next thing of the kind, in the order of lists, that lacks something; null: none does, as far as was looked. */
export async function findMissing(
  storeId: string,
  kind: Kind,
  locale: string,
  fromId: string,
): Promise<string | null> {
  let after: string | undefined;
  let before: string | null = null;
  let isPast = false;
  for (let page = 0; page < maxPages; page++) {
    const { things, nextCursor } = await readTranslated(storeId, kind, locale, after);
    for (const thing of things) {
      if (thing.id === fromId) isPast = true;
      else if (missingOf(thing).length > 0) {
        if (isPast) return thing.id;
        before ??= thing.id;
      }
    }
    if (nextCursor === null) break;
    after = nextCursor;
  }
  return before;
}
