import { escapeAttribute, escapeText, type Json, type PageDocument, type PageNode } from '@waybill/page';
import { subtree, treeOf } from './tree.ts';

/** Returns the content of elements in the plainest HTML, for programs that do not know Waybill. */
export function htmlOf(fragment: PageDocument): string {
  return partsOf(fragment)
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
export function textOf(fragment: PageDocument): string {
  return partsOf(fragment)
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

function partsOf(fragment: PageDocument): HtmlPart[] {
  return [...subtree(treeOf(fragment), fragment.rootId)].flatMap(partsOfNode);
}

type Values = Readonly<Record<string, Json>>;

const word = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const objectOf = (value: Json | undefined): Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};

function partsOfNode({ type, props }: PageNode): HtmlPart[] {
  const own = props?.specials ?? {};
  const text = word(own.label) || word(own.text) || word(own.title);
  const href = urlOf(own.href);
  if (type === 'richText') return partsOfRichText(own.doc);
  if (Array.isArray(own.items)) return own.items.flatMap(partsOfItem);
  const src = word(own.src);
  if (/^https?:/i.test(src)) return [{ tag: 'img', text: word(own.alt), src }];
  if (text === '') return [];
  const level = typeof own.level === 'number' ? own.level : type === 'productTitle' ? 3 : 2;
  return [{ tag: type === 'heading' || type === 'productTitle' ? `h${level}` : 'p', text, href }];
}

function partsOfItem(item: Json): HtmlPart[] {
  const { text, href, src, alt } = typeof item === 'string' ? { text: item } : objectOf(item);
  const url = word(src);
  if (/^https?:/i.test(url)) return [{ tag: 'img', text: word(alt), src: url }];
  return word(text) === '' ? [] : [{ tag: 'li', text: word(text), href: urlOf(href) }];
}

/** Returns each block as plain words; marks and nesting are only in the JSON, which Waybill reads. */
function partsOfRichText(node: Json | undefined, tag = 'p'): HtmlPart[] {
  const { type, content, attrs } = objectOf(node);
  const children = Array.isArray(content) ? content : [];
  const level = objectOf(attrs).level;
  if (type === 'paragraph' || type === 'heading' || type === 'codeBlock') {
    const text = children.map((child) =>
      objectOf(child).type === 'hardBreak' ? '\n' : word(objectOf(child).text),
    );
    const own =
      type === 'heading' ? `h${typeof level === 'number' ? level : 2}` : type === 'codeBlock' ? 'pre' : tag;
    return [{ tag: own, text: text.join('') }];
  }
  return children.flatMap((child) => partsOfRichText(child, type === 'listItem' ? 'li' : tag));
}

/** Returns a link's URL if it works on any page: a web address, e-mail address or telephone number. */
export function urlOf(href: Json | undefined): string | undefined {
  if (typeof href === 'string') return href;
  const { url, email, tel } = objectOf(href);
  if (typeof email === 'string') return `mailto:${email}`;
  if (typeof tel === 'string') return `tel:${tel}`;
  return typeof url === 'string' ? url : undefined;
}
