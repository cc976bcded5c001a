import type { PageDocument } from '@waybill/page';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { storeFacts } from '../../shared/stores/stores.ts';
import { assumedLocale } from '../../translations/values/queries.ts';
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
  return defaultTemplate(kind, {
    ...(await findDefaultFacts(context.db, storeId, goesLive)),
    storeName: store.name,
    language: store.locales?.[0] ?? assumedLocale,
    ...words,
  });
}
