import { type DefaultTreeAdapterTypes, html as names, parseFragment } from 'parse5';

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
const forbiddenTags =
  /^(script|style|iframe|object|embed|form|input|button|textarea|select|svg|math|base|link|meta|template|noscript)$/;

/** What a browser would run or fetch by a script URL in this HTML, found with a parser of the HTML standard. */
export function dangersIn(html: string): string[] {
  const found: string[] = [];
  const open: Node[] = [parseFragment(html)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ('tagName' in node) found.push(...dangersOf(node));
    if ('childNodes' in node) open.push(...node.childNodes);
  }
  return found;
}

function dangersOf(element: Element): string[] {
  const found: string[] = [];
  if (element.namespaceURI !== names.NS.HTML || forbiddenTags.test(element.tagName))
    found.push(element.tagName);
  for (const { name, value } of element.attrs) {
    if (/^on|^style$|^id$|^name$|^srcdoc$/i.test(name)) found.push(`${name}="${value}"`);
    if (!urlAttributes.has(name) || !URL.canParse(value, 'https://base.example')) continue;
    const { protocol } = new URL(value, 'https://base.example');
    if (!harmlessProtocols.has(protocol)) found.push(`${name}="${value}"`);
  }
  return found;
}
