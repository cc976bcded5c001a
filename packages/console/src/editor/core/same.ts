import type { PageDocument } from '@waybill/page';

/** Returns the same document with another root id. An open editor keeps its root id, whatever is stored. */
export function withRoot({ rootId, nodes }: PageDocument, newRootId: string): PageDocument {
  if (rootId === newRootId) return { rootId, nodes };
  const swapId = (id: string) => (id === rootId ? newRootId : id === newRootId ? rootId : id);
  return {
    rootId: newRootId,
    nodes: nodes.map((node) => ({
      ...node,
      id: swapId(node.id),
      ...(node.children && { children: node.children.map(swapId) }),
    })),
  };
}

/** Whether two values are equal as JSON, regardless of the order of members. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual((a as Members)[key], (b as Members)[key]))
  );
}

type Members = Readonly<Record<string, unknown>>;
