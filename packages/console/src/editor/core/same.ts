import type { PageDocument } from '@waybill/page';

/** The same document, its root under another id: what an editor has open keeps its root, whatever is stored. */
export function withRoot({ rootId, nodes }: PageDocument, wanted: string): PageDocument {
  if (rootId === wanted) return { rootId, nodes };
  const idOf = (id: string) => (id === rootId ? wanted : id === wanted ? rootId : id);
  return {
    rootId: wanted,
    nodes: nodes.map((node) => ({
      ...node,
      id: idOf(node.id),
      ...(node.children && { children: node.children.map(idOf) }),
    })),
  };
}

/** Whether two values are one as JSON, whatever order their members are in. */
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
