import type { PageDocument } from '@waybill/page';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { storeFacts } from '../../shared/stores/stores.ts';
import { assumedLocale, listValues } from '../../translations/values/queries.ts';
import type { TemplateKind } from '../owners/template-kinds.ts';
import type { UsedApp } from '../rendering/sources.ts';
import { type DefaultFacts, defaultTemplate } from './defaults.ts';
import { findDefaultFacts, findLiveTemplate } from './queries.ts';

/** The template of a kind that visitors see. */
export interface ShownTemplate {
  document: PageDocument;
  /** For the store's own template, the builds of apps' blocks that it was published with. */
  apps?: Record<string, UsedApp>;
}

/** Facts that override the store's own in a default: another language, a title, a page about to go live. */
type DefaultWords = Partial<Pick<DefaultFacts, 'language' | 'title'>> & { goesLive?: string | undefined };

/** Returns the store's own template, or else the default. */
export async function findShownTemplate(
  context: Context,
  storeId: string,
  kind: TemplateKind,
  words: DefaultWords,
): Promise<ShownTemplate> {
  const own = await findLiveTemplate(context.db, storeId, kind);
  return own ?? { document: await buildDefaultTemplate(context, storeId, kind, words) };
}

/**
 * Builds the default template of a kind.
 * @throws not_found for an unknown store
 */
export async function buildDefaultTemplate(
  context: Context,
  storeId: string,
  kind: TemplateKind,
  { goesLive, ...words }: DefaultWords = {},
): Promise<PageDocument> {
  const store = await storeFacts(context, storeId);
  if (!store) throw errors.not_found();
  const { pages, ...facts } = await findDefaultFacts(context.db, storeId, goesLive);
  const ownLanguage = store.locales?.[0] ?? assumedLocale;
  const { language = ownLanguage } = words;
  return defaultTemplate(kind, {
    ...facts,
    pages: language === ownLanguage ? pages : await translateNames(context, storeId, language, pages),
    storeName: store.name,
    language,
    ...words,
  });
}

/** Returns pages with their names in a locale, where they have one: `store-api.md 4.7`. */
async function translateNames(
  { db }: Context,
  storeId: string,
  locale: string,
  pages: DefaultFacts['pages'],
): Promise<DefaultFacts['pages']> {
  const refs = pages.map(({ id }) => ({ entityType: 'node' as const, entityId: id }));
  const values = await listValues(db, storeId, locale, refs);
  const names = new Map(
    values.flatMap(({ entityId, field, value }) => (field === 'name' ? [[entityId, value]] : [])),
  );
  return pages.map((page) => ({ ...page, name: names.get(page.id) ?? page.name }));
}
