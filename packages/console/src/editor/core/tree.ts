import type { PageDocument, PageNode } from '@waybill/page';

/** A document indexed by id, as commands read it. It is immutable; each change creates another tree. */
export interface Tree {
  readonly rootId: string;
  readonly nodes: ReadonlyMap<string, PageNode>;
  /** Each node's parent; the root has none. */
  readonly parents: ReadonlyMap<string, string>;
  /** Length of the document as JSON, by which its limit is counted. */
  readonly bytes: number;
}

const utf8 = new TextEncoder();

/** Returns the length of a value's JSON in bytes. */
export const jsonSize = (value: unknown): number => utf8.encode(JSON.stringify(value)).length;

export function createTree({ rootId, nodes }: PageDocument): Tree {
  return {
    bytes: jsonSize({ rootId, nodes }),
    rootId,
    nodes: new Map(nodes.map((node) => [node.id, node])),
    parents: new Map(
      nodes.flatMap(({ id, children }) => (children ?? []).map((child) => [child, id] as const)),
    ),
  };
}

/**
 * Returns the document in the form in which it is saved: parents before children, so that a tree always gives the same
 * JSON.
 */
export function toDocument(tree: Tree): PageDocument {
  return { rootId: tree.rootId, nodes: [...subtree(tree, tree.rootId)] };
}

/** Yields a node and everything below it, parents before children. */
export function* subtree(tree: Tree, id: string): Generator<PageNode> {
  const pending = [id];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const node = tree.nodes.get(next);
    if (!node) continue;
    yield node;
    pending.push(...(node.children ?? []).toReversed());
  }
}

/** Yields the ancestors of a node, from its parent up to the root. */
export function* ancestors(tree: Tree, id: string): Generator<string> {
  for (let parent = tree.parents.get(id); parent !== undefined; parent = tree.parents.get(parent))
    yield parent;
}

export const getChildIds = (tree: Tree, id: string): readonly string[] => tree.nodes.get(id)?.children ?? [];

/** Returns the index of a node among its siblings; -1 for the root. */
export function findSiblingIndex(tree: Tree, id: string): number {
  const parent = tree.parents.get(id);
  return parent === undefined ? -1 : getChildIds(tree, parent).indexOf(id);
}

/**
 * Returns the nodes that are not below another one of them, in the document's order: those that a command on several
 * nodes applies to.
 */
export function outermostIds(tree: Tree, ids: Iterable<string>): string[] {
  const idSet = new Set(ids);
  const found: string[] = [];
  const pending = [tree.rootId];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (idSet.has(next)) found.push(next);
    else pending.push(...getChildIds(tree, next).toReversed());
  }
  return found;
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Returns a new node's id with 60 random bits, so that two editors never create the same one. */
export function createNodeId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `n${Array.from(bytes, (byte) => letters[byte % letters.length]).join('')}`;
}
