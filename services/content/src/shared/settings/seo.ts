import { cleanText } from '@waybill/page';

/** What is said of a page in its head, as far as anybody has said it. */
export interface Seo {
  title?: unknown;
  description?: unknown;
  imageMediaId?: unknown;
  noindex?: unknown;
}

/** What a page's settings say for its head: `seo` before what stands beside it. `decisions.md 17.6` */
export function seoOf({ seo, title, description, noindex }: Readonly<Record<string, unknown>>): Seo {
  const own: Seo = typeof seo === 'object' && seo !== null ? seo : {};
  return {
    title: authoredText(own.title) ?? title,
    description: authoredText(own.description) ?? description,
    imageMediaId: own.imageMediaId,
    noindex: typeof own.noindex === 'boolean' ? own.noindex : noindex,
  };
}

/** A text that somebody has written, as it is shown. */
export function authoredText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? cleanText(value) : undefined;
}
