import { styleAttribute } from '../model/foreign-html.ts';
import type { Workbench } from '../screen/workbench.ts';

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

const inline = /\bsrc\s*=\s*(["'])data:(image\/(?:png|jpeg|gif|webp));base64,([a-z0-9+/=\s]+)\1/gi;

/** Uploads the pictures that an HTML text holds in itself, and has it name them. One that fails is left out. */
export async function withUploads({ upload }: Workbench, html: string): Promise<string> {
  let result = '';
  let at = 0;
  for (const found of html.matchAll(inline)) {
    const [whole, , type, data] = found;
    result += html.slice(at, found.index);
    at = found.index + whole.length;
    const bytes = Uint8Array.from(atob(data!.replaceAll(/\s/g, '')), (letter) => letter.charCodeAt(0));
    const name = `picture.${type!.slice('image/'.length)}`;
    const mediaId = await upload(new File([bytes], name, { type: type! }));
    result += `src="${mediaId ?? ''}"`;
  }
  return result + html.slice(at);
}
