import type { RenderedSpan } from '../src/index.ts';
import { type Case, renderCase, renderSpans } from './case.ts';
import type { DomNode } from './dom-node.ts';

/** Chromium's view of a case: its own rendering, its parser's serialisation, and the parsed tree. */
export interface Seen {
  html: string;
  css: string;
  reparsed: string;
  /** As JSON. */
  tree: string;
  /** The reported place of each node, as JSON; and the paths of the nodes that are somewhere else. */
  places: string;
  misplaced: string[];
  /** Number of rules that Chromium's CSS parser found, including media queries and the rules in them. */
  rules: number;
}

interface BrowserNode {
  nodeType: number;
  nodeName: string;
  localName: string;
  data: string;
  attributes: Iterable<{ name: string; value: string }>;
  childNodes: Iterable<BrowserNode>;
}

function toDom(node: BrowserNode): DomNode {
  if (node.nodeType === 3) return node.data;
  if (node.nodeType !== 1) return ['#' + node.nodeName, [], []];
  return [
    node.localName,
    [...node.attributes].map(({ name, value }): [string, string] => [name, value]),
    [...node.childNodes].map(toDom),
  ];
}

interface RuleList {
  readonly cssRules?: ArrayLike<RuleList>;
}

function countRules(css: string): number {
  const sheet = new browser.CSSStyleSheet();
  sheet.replaceSync(css);
  const inside = (list: RuleList): number =>
    [...Array.from(list.cssRules ?? [])].reduce((sum, rule) => sum + 1 + inside(rule), 0);
  return inside(sheet);
}

interface BrowserWindow {
  CSSStyleSheet: new () => RuleList & { replaceSync(css: string): void };
  document: {
    implementation: { createHTMLDocument(): { createElement(name: string): BrowserElement } };
  };
  see: (cases: string) => string;
}

interface BrowserElement extends BrowserNode {
  innerHTML: string;
  readonly outerHTML: string;
  getElementsByTagName(name: string): ArrayLike<BrowserElement>;
}

const browser = globalThis as unknown as BrowserWindow;

/** Takes and returns JSON: it transfers in a fraction of the time, and `__proto__` is a key like any other. */
browser.see = (cases) => JSON.stringify((JSON.parse(cases) as Case[]).map((one) => seeOne(one)));

function seeOne(one: Case): Seen {
  const { html, css } = renderCase(one);
  // A separate document, in which nothing loads or runs.
  const place = browser.document.implementation.createHTMLDocument().createElement('div');
  place.innerHTML = html;
  const places = renderSpans(one);
  const elements = Array.from(place.getElementsByTagName('*'));
  const isThere = ({ ordinal, start, end, elements: count }: RenderedSpan) =>
    ordinal === -1
      ? start === end && count === 0
      : elements[ordinal]!.outerHTML === html.slice(start, end) &&
        elements[ordinal]!.getElementsByTagName('*').length === count - 1;
  return {
    places: JSON.stringify(places),
    misplaced: places.filter((each) => !isThere(each)).map(({ path }) => path),
    html,
    css,
    reparsed: place.innerHTML,
    tree: JSON.stringify([...place.childNodes].map(toDom)),
    rules: countRules(css),
  };
}
