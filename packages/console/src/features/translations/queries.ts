import { queryOptions } from '@tanstack/react-query';
import { customFieldTextPrefix, translatedFieldTypes } from '@waybill/contracts/custom-field-texts';
import { type Model, pages } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';
import {
  type CustomField,
  customFieldsQuery,
  type FieldEntity,
  type FieldValues,
  getFieldName,
} from '../../shell/custom-fields/queries.ts';
import { readPageSeo } from '../../shell/page-seo.ts';

export type Translation = Model<'Translation'>;
export type TranslationSearch = ListSearch & { locale?: string; kind?: string };

/**
 * Kinds of items to translate. A page's name, title and description are stored as texts of a node; the contents of
 * pages and sections are stored per node.
 */
export const kinds = [
  'product',
  'category',
  'article',
  'blogCategory',
  'page',
  'onPage',
  'inSection',
] as const;
export type Kind = (typeof kinds)[number];

export const isKind = (text: string | undefined): text is Kind => kinds.includes(text as Kind);

/** Whether the texts of a kind are in a document, which is read only when it is opened. */
export const isDocument = (kind: Kind): kind is 'onPage' | 'inSection' =>
  kind === 'onPage' || kind === 'inSection';

export const getEntityType = (kind: Kind): 'product' | 'category' | 'article' | 'blogCategory' | 'node' =>
  kind === 'page' || isDocument(kind) ? 'node' : kind;

/** The entity and field that a translation belongs to. */
interface TranslationTarget {
  entityId: string;
  field: string;
  /** Label of the element type, from the vocabulary. */
  element?: string;
  /** The merchant's name of the option or custom field. */
  label?: string;
  isHtml?: boolean;
  /** Whether the translation is optional and does not count as progress. */
  isOptional?: boolean;
}

/** An item with its non-empty original texts. */
export interface TranslatableItem {
  id: string;
  name: string;
  /** By field. Those of a document are keyed by node and field, since each of its nodes has texts. */
  texts: Readonly<Record<string, string>>;
  places?: Readonly<Record<string, TranslationTarget>>;
}

/** Returns the entity and field of a text's translation. */
export const getTarget = ({ id, places }: TranslatableItem, key: string): TranslationTarget =>
  places?.[key] ?? { entityId: id, field: key };

/** An item with its translations in a locale, keyed like its texts. */
export interface Translated extends TranslatableItem {
  values: Readonly<Record<string, string>>;
}

export const translationsKey = (storeId: string) => ['stores', storeId, 'translations'];

/** Whether HTML contains any text. It is not parsed, because Trusted Types forbid turning strings into HTML here. */
const hasText = (html: string): boolean =>
  html
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:nbsp|#160|#xa0);/gi, ' ')
    .trim() !== '';

/** Returns the non-empty texts; HTML without any text counts as empty. */
function filled(texts: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && hasText(entry[1]),
    ),
  );
}

const createProductItem = ({ id, name, description, options, seo }: Model<'Product'>): TranslatableItem =>
  withOptional({ id, name, texts: filled({ name, description }) }, [
    { field: 'seo.title', text: seo.title },
    { field: 'seo.description', text: seo.description },
    ...optionTexts(options),
  ]);
const createCategoryItem = ({ id, name, description, seo }: Model<'Category'>): TranslatableItem => {
  const texts = { name, description, 'seo.title': seo.title, 'seo.description': seo.description };
  return { id, name, texts: filled(texts) };
};
const createArticleItem = ({ id, title, excerpt, content }: Model<'Article'>): TranslatableItem => {
  return { id, name: title, texts: filled({ title, excerpt, content }) };
};
const createBlogCategoryItem = ({ id, name }: Model<'BlogCategory'>): TranslatableItem => ({
  id,
  name,
  texts: filled({ name }),
});
const createPageItem = ({ id, name, settings }: Model<'Page'>): TranslatableItem => {
  const { title, description } = readPageSeo(settings);
  return { id, name, texts: filled({ name, title, description }) };
};

interface OptionalText {
  field: string;
  label?: string;
  text: string;
  isHtml?: boolean;
}

/** Adds optional texts to an item. They can be translated but do not count as progress. */
function withOptional(item: TranslatableItem, optional: readonly OptionalText[]): TranslatableItem {
  if (optional.length === 0) return item;
  const places = optional.map(
    ({ text: _text, ...place }) => [place.field, { entityId: item.id, isOptional: true, ...place }] as const,
  );
  return {
    ...item,
    texts: {
      ...item.texts,
      ...filled(Object.fromEntries(optional.map(({ field, text }) => [field, text]))),
    },
    places: { ...item.places, ...Object.fromEntries(places) },
  };
}

/** Prefix of the fields of option texts. */
export const optionPrefix = 'options.';

/** Returns the texts of options and their values, by position. */
const optionTexts = (options: Model<'Product'>['options']): OptionalText[] =>
  options.flatMap(({ name, values }, i) => [
    { field: `${optionPrefix}${i}.name`, label: name, text: name },
    ...values.map((text, j) => ({
      field: `${optionPrefix}${i}.values.${j}`,
      label: `${name}: ${text}`,
      text,
    })),
  ]);

/** Returns the texts of custom fields that pages can show. */
const customTexts = (fields: readonly CustomField[], values: FieldValues): OptionalText[] =>
  fields.flatMap((field) => {
    const key = getFieldName(field);
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    if (field.visibility !== 'public' || !translatedFieldTypes.has(field.type)) return [];
    const name = `${customFieldTextPrefix}${key}`;
    if (Array.isArray(value))
      return value.map((text, i) => ({ field: `${name}.${i}`, label: `${field.name} ${i + 1}`, text }));
    if (typeof value !== 'string') return [];
    return [{ field: name, label: field.name, text: value, isHtml: field.type === 'richText' }];
  });

/** Kinds with custom fields that pages can show. */
const entitiesWithFields: Readonly<Partial<Record<Kind, FieldEntity>>> = {
  product: 'product',
  category: 'category',
  article: 'article',
};

/** Returns the texts of a document, by node. */
async function createDocumentItem(id: string, name: string, document: unknown): Promise<TranslatableItem> {
  const { documentTexts, tolerateDocument, vocabulary } = await import('./document-texts.ts');
  const shown = tolerateDocument(document);
  const types = new Map(shown.nodes.map((node) => [node.id, node.type]));
  const found = documentTexts(shown).map(({ nodeId, field, text }) => {
    const type = types.get(nodeId) ?? '';
    const element = vocabulary.elementTypes[type]?.label ?? type;
    return { key: `${nodeId} ${field}`, text, place: { entityId: `${id}:${nodeId}`, field, element } };
  });
  return {
    id,
    name,
    texts: Object.fromEntries(found.map(({ key, text }) => [key, text])),
    places: Object.fromEntries(found.map(({ key, place }) => [key, place])),
  };
}

interface TranslatableItems {
  items: TranslatableItem[];
  total: number;
  nextCursor: string | null;
}

async function readItems(
  storeId: string,
  kind: Kind,
  after: string | undefined,
  signal?: AbortSignal,
): Promise<TranslatableItems> {
  const query = { limit: 50, ...(after && { after }) };
  const init = { params: { path: { storeId }, query }, ...(signal && { signal }) };
  switch (kind) {
    case 'product': {
      const { products, ...rest } = await api.get('/api/stores/{storeId}/products', init);
      return { ...rest, items: products.map(createProductItem) };
    }
    case 'category': {
      const { categories, ...rest } = await api.get('/api/stores/{storeId}/categories', init);
      return { ...rest, items: categories.map(createCategoryItem) };
    }
    case 'article': {
      const { articles, ...rest } = await api.get('/api/stores/{storeId}/articles', init);
      return { ...rest, items: articles.map(createArticleItem) };
    }
    case 'blogCategory': {
      const { blogCategories, ...rest } = await api.get('/api/stores/{storeId}/blog-categories', init);
      return { ...rest, items: blogCategories.map(createBlogCategoryItem) };
    }
    case 'page': {
      const { pages: found, ...rest } = await api.get('/api/stores/{storeId}/pages', init);
      return { ...rest, items: found.map(createPageItem) };
    }
    case 'onPage': {
      const { pages: found, ...rest } = await api.get('/api/stores/{storeId}/pages', init);
      return { ...rest, items: found.map(({ id, name }) => ({ id, name, texts: {} })) };
    }
    case 'inSection': {
      const { sections, ...rest } = await api.get('/api/stores/{storeId}/sections', {
        ...init,
        params: { path: { storeId }, query: { ...query, fields: 'name' } },
      });
      return { ...rest, items: sections.map(({ id, name }) => ({ id, name, texts: {} })) };
    }
  }
}

async function readItem(
  storeId: string,
  kind: Kind,
  id: string,
  signal: AbortSignal,
  fields: readonly CustomField[] = [],
): Promise<TranslatableItem> {
  const init = { params: { path: { storeId, id } }, signal };
  const withFields = (item: TranslatableItem, values: object) =>
    withOptional(item, customTexts(fields, values as FieldValues));
  switch (kind) {
    case 'product': {
      const { product } = await api.get('/api/stores/{storeId}/products/{id}', init);
      return withFields(createProductItem(product), product.customFields);
    }
    case 'category': {
      const { category } = await api.get('/api/stores/{storeId}/categories/{id}', init);
      return withFields(createCategoryItem(category), category.customFields);
    }
    case 'article': {
      const { article } = await api.get('/api/stores/{storeId}/articles/{id}', init);
      return withFields(createArticleItem(article), article.customFields);
    }
    case 'blogCategory':
      return createBlogCategoryItem(
        (await api.get('/api/stores/{storeId}/blog-categories/{id}', init)).blogCategory,
      );
    case 'page':
      return createPageItem((await api.get('/api/stores/{storeId}/pages/{id}', init)).page);
    case 'onPage': {
      const [{ page }, { document }] = await Promise.all([
        api.get('/api/stores/{storeId}/pages/{id}', init),
        api.get('/api/stores/{storeId}/pages/{pageId}/draft', {
          params: { path: { storeId, pageId: id } },
          signal,
        }),
      ]);
      return createDocumentItem(id, page.name, document);
    }
    case 'inSection': {
      const { section } = await api.get('/api/stores/{storeId}/sections/{sectionId}', {
        params: { path: { storeId, sectionId: id } },
        signal,
      });
      return createDocumentItem(id, section.name, section.document);
    }
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
      query: { locale, entityType: getEntityType(kind), entityIds: ids.join(',') },
    },
    ...(signal && { signal }),
  });
  return 'byEntity' in answer ? answer.byEntity : {};
}

type ByEntity = Readonly<Record<string, readonly Translation[]>>;

function withValues(item: TranslatableItem, byEntity: ByEntity): Translated {
  const values = Object.keys(item.texts).flatMap((key) => {
    const { entityId, field } = getTarget(item, key);
    const value = byEntity[entityId]?.find((translation) => translation.field === field)?.value;
    return value ? [[key, value] as const] : [];
  });
  return { ...item, values: Object.fromEntries(values) };
}

/** Maximum number of ids in one request. */
const mostIds = 200;

/** Reads a document with its translations in a locale. */
async function readDocument(
  storeId: string,
  kind: Kind,
  locale: string,
  id: string,
  signal: AbortSignal,
): Promise<Translated> {
  const item = await readItem(storeId, kind, id, signal);
  const ids = [...new Set(Object.keys(item.texts).map((key) => getTarget(item, key).entityId))];
  const parts = Array.from({ length: Math.ceil(ids.length / mostIds) }, (_, part) =>
    readValues(storeId, kind, locale, ids.slice(part * mostIds, (part + 1) * mostIds), signal),
  );
  return withValues(item, Object.assign({}, ...(await Promise.all(parts))));
}

/** Returns the untranslated texts that count as progress. */
export const listMissing = (item: Translated): string[] =>
  Object.keys(item.texts).filter((key) => item.values[key] === undefined && !getTarget(item, key).isOptional);

/** Reads a page of items of a kind with their translations in a locale. */
export async function readTranslated(
  storeId: string,
  kind: Kind,
  locale: string,
  after: string | undefined,
  signal?: AbortSignal,
) {
  const { items, ...rest } = await readItems(storeId, kind, after, signal);
  const ids = isDocument(kind) ? [] : items.map(({ id }) => id);
  const byEntity = await readValues(storeId, kind, locale, ids, signal);
  return { ...rest, items: items.map((item) => withValues(item, byEntity)) };
}

/**
 * Reads an item with its translations, in parallel. `hasFields`: the user may read the definitions of custom fields.
 */
export const translatedQuery = (
  storeId: string,
  kind: Kind,
  locale: string,
  id: string,
  hasFields: boolean,
) =>
  queryOptions({
    queryKey: [...translationsKey(storeId), locale, kind, id],
    async queryFn({ signal, client }) {
      if (isDocument(kind)) return readDocument(storeId, kind, locale, id, signal);
      const entity = hasFields ? entitiesWithFields[kind] : undefined;
      const fields = entity ? client.fetchQuery(customFieldsQuery(storeId, entity)) : Promise.resolve([]);
      const [item, byEntity] = await Promise.all([
        fields.then((known) => readItem(storeId, kind, id, signal, known)),
        readValues(storeId, kind, locale, [id], signal),
      ]);
      return withValues(item, byEntity);
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

/** Maximum numbers of list pages and of documents that one search for a missing translation reads. */
const maxPages = 40;
const maxDocuments = 100;

/**
 * Returns the next item of the kind, in list order, that lacks a translation. After the end, the search continues from
 * the start. Null: none found within `maxPages`.
 */
export async function findMissing(
  storeId: string,
  kind: Kind,
  locale: string,
  fromId: string,
): Promise<string | null> {
  if (isDocument(kind)) return findMissingDocument(storeId, kind, locale, fromId);
  let after: string | undefined;
  let before: string | null = null;
  let isPast = false;
  for (let page = 0; page < maxPages; page++) {
    const { items, nextCursor } = await readTranslated(storeId, kind, locale, after);
    for (const item of items) {
      if (item.id === fromId) isPast = true;
      else if (listMissing(item).length > 0) {
        if (isPast) return item.id;
        before ??= item.id;
      }
    }
    if (nextCursor === null) break;
    after = nextCursor;
  }
  return before;
}

/**
 * Does the same for documents, each of which must be read: first those after the current one, then those from the
 * start.
 */
async function findMissingDocument(
  storeId: string,
  kind: 'onPage' | 'inSection',
  locale: string,
  fromId: string,
): Promise<string | null> {
  const ids: string[] = [];
  const read = async (after: string | undefined) => readItems(storeId, kind, after);
  for await (const { items } of pages(read)) {
    ids.push(...items.map(({ id }) => id));
    if (ids.length >= maxPages * 50) break;
  }
  const at = ids.indexOf(fromId);
  const { signal } = new AbortController();
  for (const id of [...ids.slice(at + 1), ...ids.slice(0, Math.max(0, at))].slice(0, maxDocuments))
    if (listMissing(await readDocument(storeId, kind, locale, id, signal)).length > 0) return id;
  return null;
}
