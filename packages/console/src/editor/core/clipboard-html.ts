import { escapeAttribute, escapeText, type Json, type PageDocument, type PageNode } from '@waybill/page';
import { createTree, subtree } from './tree.ts';

/** Returns the content of elements in the plainest HTML, for programs that do not know Waybill. */
export function toPlainHtml(fragment: PageDocument): string {
  return listHtmlParts(fragment)
    .map(({ tag, text, href, src }) => {
      if (src !== undefined) return `<img src="${escapeAttribute(src)}" alt="${escapeAttribute(text)}">`;
      const inner = escapeText(text).replaceAll('\n', '<br>');
      const linked = href === undefined ? inner : `<a href="${escapeAttribute(href)}">${inner}</a>`;
      return tag === 'li' ? `<ul><li>${linked}</li></ul>` : `<${tag}>${linked}</${tag}>`;
    })
    .join('')
    .replaceAll('</ul><ul>', '');
}

/** Returns the content of elements as text, one line each. */
export function toPlainText(fragment: PageDocument): string {
  return listHtmlParts(fragment)
    .map(({ tag, text }) => (tag === 'li' ? `- ${text}` : text))
    .filter((line) => line.trim() !== '')
    .join('\n');
}

interface HtmlPart {
  readonly tag: string;
  readonly text: string;
  readonly href?: string | undefined;
  readonly src?: string;
}

function listHtmlParts(fragment: PageDocument): HtmlPart[] {
  return [...subtree(createTree(fragment), fragment.rootId)].flatMap(htmlPartsOfNode);
}

type Values = Readonly<Record<string, Json>>;

const asString = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const asObject = (value: Json | undefined): Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};

function htmlPartsOfNode({ type, props }: PageNode): HtmlPart[] {
  const own = props?.specials ?? {};
  const text = asString(own.label) || asString(own.text) || asString(own.title);
  const href = toUrl(own.href);
  if (type === 'richText') return htmlPartsOfRichText(own.doc);
  if (Array.isArray(own.items)) return own.items.flatMap(htmlPartsOfItem);
  const src = asString(own.src);
  if (/^https?:/i.test(src)) return [{ tag: 'img', text: asString(own.alt), src }];
  if (text === '') return [];
  const level = typeof own.level === 'number' ? own.level : type === 'productTitle' ? 3 : 2;
  return [{ tag: type === 'heading' || type === 'productTitle' ? `h${level}` : 'p', text, href }];
}

function htmlPartsOfItem(item: Json): HtmlPart[] {
  const { text, href, src, alt } = typeof item === 'string' ? { text: item } : asObject(item);
  const url = asString(src);
  if (/^https?:/i.test(url)) return [{ tag: 'img', text: asString(alt), src: url }];
  return asString(text) === '' ? [] : [{ tag: 'li', text: asString(text), href: toUrl(href) }];
}

/** Returns each block as plain words; marks and nesting are only in the JSON, which Waybill reads. */
function htmlPartsOfRichText(node: Json | undefined, tag = 'p'): HtmlPart[] {
  const { type, content, attrs } = asObject(node);
  const children = Array.isArray(content) ? content : [];
  const level = asObject(attrs).level;
  if (type === 'paragraph' || type === 'heading' || type === 'codeBlock') {
    const text = children.map((child) =>
      asObject(child).type === 'hardBreak' ? '\n' : asString(asObject(child).text),
    );
    const own =
      type === 'heading' ? `h${typeof level === 'number' ? level : 2}` : type === 'codeBlock' ? 'pre' : tag;
    return [{ tag: own, text: text.join('') }];
  }
  return children.flatMap((child) => htmlPartsOfRichText(child, type === 'listItem' ? 'li' : tag));
}

/** Returns a link's URL if it works on any page: a web address, e-mail address or telephone number. */
export function toUrl(href: Json | undefined): string | undefined {
  if (typeof href === 'string') return href;
  const { url, email, tel } = asObject(href);
  if (typeof email === 'string') return `mailto:${email}`;
  if (typeof tel === 'string') return `tel:${tel}`;
  return typeof url === 'string' ? url : undefined;
}
