import type { Json, PageDocument, PageNode, PerBreakpoint } from '../src/index.ts';

interface Options {
  specials?: Record<string, Json>;
  style?: PerBreakpoint;
  config?: PerBreakpoint;
}

/** Nested literals, which are easier to read than a list of ids. */
export interface Nested extends Options {
  type: string;
  children?: Nested[];
}

export const node = (type: string, options: Options = {}, ...children: Nested[]): Nested => ({
  type,
  ...options,
  children,
});

/** Converts nested literals to a document. */
export function createDocument(root: Nested): PageDocument {
  const nodes: PageNode[] = [];
  const add = ({ type, children = [], ...props }: Nested): string => {
    const id = `n${nodes.length}`;
    nodes.push({ id, type });
    nodes[Number(id.slice(1))] = { id, type, props, children: children.map(add) };
    return id;
  };
  return { rootId: add(root), nodes };
}

export const text = (value: string, options: Options = {}) =>
  node('text', { ...options, specials: { text: value, ...options.specials } });
export const heading = (value: string, level: number, options: Options = {}) =>
  node('heading', { ...options, specials: { text: value, level } });
