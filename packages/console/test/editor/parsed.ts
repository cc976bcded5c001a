import { type DefaultTreeAdapterMap, parse as parse5 } from 'parse5';
import type { HtmlNode } from '../../src/editor/core/foreign-html.ts';

/** Returns the body of HTML as a browser would parse it. */
export function parse(html: string): HtmlNode {
  const root = parse5(html).childNodes.find(({ nodeName }) => nodeName === 'html');
  const body = root && 'childNodes' in root && root.childNodes.find(({ nodeName }) => nodeName === 'body');
  return asNode(body as DefaultTreeAdapterMap['childNode']);
}

function asNode(node: DefaultTreeAdapterMap['childNode']): HtmlNode {
  const attrs = new Map('attrs' in node ? node.attrs.map(({ name, value }) => [name, value]) : []);
  return {
    nodeType: node.nodeName === '#text' ? 3 : 'tagName' in node ? 1 : 8,
    nodeName: node.nodeName,
    nodeValue: 'value' in node ? node.value : null,
    childNodes: 'childNodes' in node ? node.childNodes.map(asNode) : [],
    ...('tagName' in node && { getAttribute: (name: string) => attrs.get(name) ?? null }),
  };
}
