import { canonicalLocale } from '@waybill/contracts';
import type { DocumentSources, PageDocument } from '@waybill/page';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { findProblems } from '../../publication/documents/documents.ts';
import { findWarnings, type Warning } from '../../publication/documents/warnings.ts';
import type { GatheredSources } from '../../publication/rendering/gather.ts';
import { listTranslatables, localisation, localTexts } from '../../publication/rendering/localise.ts';
import type { Lookups } from '../../publication/rendering/lookups.ts';
import { localiseSources, type PageContext, toDocumentSources } from '../../publication/rendering/sources.ts';
import type { Languages } from '../../translations/languages/queries.ts';
import { listValues } from '../../translations/values/queries.ts';

/** The options for showing a document without publishing it. */
export interface PreviewInput {
  /** The sent document; without one the draft is used, or else the live document. */
  document?: unknown;
  locale?: string;
}

/** The data with which an editor draws a document, and the document's problems: `decisions.md 13.6`. */
export interface PreparedCanvas {
  sources: DocumentSources;
  problems: Warning[];
}

/**
 * Returns everything that is invalid in a document, sent as the `document` of a body, or will not be shown. The
 * document may be any value.
 */
export async function canvasProblems(
  context: Context,
  storeId: string,
  sent: unknown,
  tolerated: PageDocument,
  lookups: Lookups,
): Promise<Warning[]> {
  return [
    ...(await findProblems(context.db, storeId, sent, tolerated)),
    ...(await findWarnings(context, storeId, tolerated, lookups)),
  ];
}

/** Returns the sources of an owner's document as rendered at a place, with the texts of the given locale. */
export async function canvasSources(
  { db }: Pick<Context, 'db'>,
  storeId: string,
  ownerId: string,
  { sources, tree }: Pick<GatheredSources, 'sources' | 'tree'>,
  { locale, toPages, place = {} }: { locale: string | undefined; toPages: string; place?: PageContext },
): Promise<DocumentSources> {
  if (!locale) return toDocumentSources(sources, ownerId, toPages, place);
  const values = await listValues(db, storeId, locale, listTranslatables(ownerId, tree, sources));
  const local = localiseSources(sources, localisation(ownerId, locale, values));
  return {
    ...toDocumentSources(local, ownerId, toPages, { ...place, locale }),
    texts: localTexts(ownerId, tree, values),
  };
}

/**
 * Returns the canonical locale of a tag; undefined when it is the store's default locale, or there is no tag.
 * @throws invalid_body for an invalid tag
 */
export function parseNonDefaultLocale(
  tag: string | undefined,
  { defaultLocale }: Pick<Languages, 'defaultLocale'>,
): string | undefined {
  if (tag === undefined) return undefined;
  const locale = canonicalLocale(tag);
  if (!locale) {
    throw errors.invalid_body({ details: [{ pointer: '/locale', message: 'is not a BCP 47 tag' }] });
  }
  return locale === defaultLocale ? undefined : locale;
}
