import { type DefaultTreeAdapterTypes, html as names, parse, parseFragment } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

const urlAttributes = new Set([
  'href',
  'src',
  'cite',
  'action',
  'formaction',
  'poster',
  'data',
  'background',
]);
const harmlessProtocols = new Set(['http:', 'https:', 'mailto:', 'tel:']);
/** White space, controls and invisible characters: a program before the browser may remove them. */
const invisible = /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const forbiddenTags =
  /^(script|style|iframe|object|embed|form|input|button|textarea|select|svg|math|base|link|meta|template|noscript)$/;

/**
 * Returns the parts of this HTML that a browser would run, or fetch by a script URL, found with a parser of the HTML
 * standard.
 */
export function findDangers(html: string): string[] {
  const found: string[] = [];
  const pending: Node[] = [parseFragment(html)];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if ('tagName' in node) found.push(...findElementDangers(node));
    if ('childNodes' in node) pending.push(...node.childNodes);
  }
  return found;
}

/**
 * Returns the elements of a document in their order, with the names of their attributes; no text in it may change them.
 */
export function describeShape(document: string): string[] {
  const describeNode = (node: Node): string[] => [
    ...('tagName' in node ? [[node.tagName, ...node.attrs.map(({ name }) => name)].join(' ')] : []),
    ...('childNodes' in node ? node.childNodes.flatMap(describeNode) : []),
  ];
  return describeNode(parse(document));
}

function isHarmless(url: string): boolean {
  const base = 'https://base.example';
  return !URL.canParse(url, base) || harmlessProtocols.has(new URL(url, base).protocol);
}

/** Whether an element is the only allowed embed, with the source and form of `decisions.md 19.7`. */
function isVideoEmbed({ tagName, attrs }: Element): boolean {
  const src = attrs.find(({ name }) => name === 'src')?.value ?? '';
  const videoEmbed = /^https:\/\/(www\.youtube-nocookie\.com\/embed|player\.vimeo\.com\/video)\/[\w-]{1,32}$/;
  return tagName === 'iframe' && videoEmbed.test(src);
}

function findElementDangers(element: Element): string[] {
  const found: string[] = [];
  const isForbidden = forbiddenTags.test(element.tagName) && !isVideoEmbed(element);
  if (element.namespaceURI !== names.NS.HTML || isForbidden) found.push(element.tagName);
  for (const { name, value } of element.attrs) {
    if (name === 'id' && value.startsWith('h-')) continue;
    if (/^on|^style$|^id$|^name$|^srcdoc$/i.test(name)) found.push(`${name}="${value}"`);
    if (!urlAttributes.has(name)) continue;
    const readings = [value, value.trim(), value.replace(invisible, '')];
    if (!readings.every(isHarmless)) found.push(`${name}="${value}"`);
  }
  return found;
}
