import { escapeAttribute } from '@waybill/page';
import type { ShopTexts } from './texts.ts';

/** HTML that needs no escaping any more. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
export type Part = Html | string | number | false | undefined | readonly Part[];

/**
 * Markup whose values are text, escaped for elements and for attributes in quotes alike. Its line breaks, with what
 * indents them, are there for who reads it here, and go.
 */
export function html(markup: TemplateStringsArray, ...parts: Part[]): Html {
  const raw = markup.map((piece) => piece.replaceAll(/\n\s*/g, ''));
  return new Html(String.raw({ raw }, ...parts.map(textOf)));
}
function textOf(part: Part): string {
  if (part === false || part === undefined) return '';
  if (part instanceof Html) return part.text;
  return Array.isArray(part) ? part.map(textOf).join('') : escapeAttribute(String(part));
}

/** What a page of a shop is made with. */
export interface ShopPage {
  texts: ShopTexts;
  /** BCP 47. */
  language: string;
  /** ISO 4217. */
  currency: string;
  /** Leads to where the store's pages are. */
  toPages: string;
}
