import { escapeAttribute } from '@waybill/page';
import type { ShopTexts } from './texts.ts';

/** HTML that is already escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
export type HtmlPart = Html | string | number | false | undefined | readonly HtmlPart[];

/**
 * Builds markup from a template. Values are text, escaped for elements and for quoted attributes alike. Line breaks and
 * indentation, which serve only readability here, are removed.
 */
export function html(markup: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  const raw = markup.map((piece) => piece.replaceAll(/\n\s*/g, ''));
  return new Html(String.raw({ raw }, ...parts.map(renderText)));
}
function renderText(part: HtmlPart): string {
  if (part === false || part === undefined) return '';
  if (part instanceof Html) return part.text;
  return Array.isArray(part) ? part.map(renderText).join('') : escapeAttribute(String(part));
}

/** The context of rendering a shop page. */
export interface ShopPage {
  texts: ShopTexts;
  /** A BCP 47 tag. */
  language: string;
  /** An ISO 4217 code. */
  currency: string;
  /** Path to the directory of the store's pages. */
  toPages: string;
}
