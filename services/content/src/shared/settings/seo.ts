import { cleanText } from '@waybill/page';

/** The head data of a page, as far as it was given. */
export interface Seo {
  title?: unknown;
  description?: unknown;
  imageMediaId?: unknown;
  noindex?: unknown;
}

/**
 * Returns the head data in a page's settings; `seo` takes precedence over the settings beside it (`decisions.md 17.6`).
 */
export function readSeo({ seo, title, description, noindex }: Readonly<Record<string, unknown>>): Seo {
  const own: Seo = typeof seo === 'object' && seo !== null ? seo : {};
  return {
    title: authoredText(own.title) ?? title,
    description: authoredText(own.description) ?? description,
    imageMediaId: own.imageMediaId,
    noindex: typeof own.noindex === 'boolean' ? own.noindex : noindex,
  };
}

/** Returns an author's text as it is shown; undefined for an empty one. */
export function authoredText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? cleanText(value) : undefined;
}
