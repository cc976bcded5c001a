import { styleAttribute } from '../model/style-attribute.ts';

/**
 * HTML of a clipboard, ready to be parsed: without style sheets and comments, its inline styles under a name that no
 * policy reports. Nothing of it is trusted for that: what reads it takes words and structure alone.
 */
export function withoutStyles(html: string): string {
  return html
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/<style\b[\s\S]*?<\/style\s*>/gi, '')
    .replaceAll(/<(?:link|base|meta)\b[^>]*>/gi, '')
    .replaceAll(/<[a-z](?:[^>"']|"[^"]*"|'[^']*')*>/gi, (tag) =>
      tag.replaceAll(attribute, (whole, space: string, name: string, value = '') =>
        name.toLowerCase() === 'style' ? `${space}${styleAttribute}${value}` : whole,
      ),
    );
}

/** With its value: what is written in that is no attribute. */
const attribute = /([\s"'])([^\s"'>/=]+)(\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*))?/g;
