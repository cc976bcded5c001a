import { type PageDocument, vocabulary } from '@waybill/page';
import { documents, valueFor } from '@waybill/page/test/arbitraries';
import fc from 'fast-check';
import type { Change } from '../../src/editor/core/changes.ts';
import {
  duplicate,
  insert,
  move,
  remove,
  replace,
  replaceDocument,
  setSettings,
  setValue,
  unwrap,
  withFreshIds,
  wrap,
} from '../../src/editor/core/commands.ts';
import { createNodeId, getChildIds, type Tree } from '../../src/editor/core/tree.ts';

export { documents };

/** A user's action on any document; its numbers choose among the nodes. */
export type Edit = (tree: Tree) => Change[];

const chosen = <Item>(items: readonly Item[], n: number): Item => items[n % items.length]!;

const chooseNode = (tree: Tree, n: number) => chosen([...tree.nodes.keys()], n);

const styleKeys = Object.entries(vocabulary.writeKeys.style);
const specialKeys = Object.entries(vocabulary.writeKeys.specials);

const styles = fc
  .constantFrom(...styleKeys)
  .chain(([key, type]) =>
    fc.tuple(fc.constant(key), fc.option(valueFor(type), { nil: undefined }), fc.nat(), fc.nat(2)),
  )
  .map(([key, value, n, width]): Edit => {
    const breakpoint = (['base', 'tablet', 'mobile'] as const)[width]!;
    return (tree) => setValue(tree, [chooseNode(tree, n)], { target: 'style', breakpoint, key }, value);
  });

const specials = fc
  .constantFrom(...specialKeys)
  .chain(([key, type]) =>
    fc.tuple(fc.constant(key), fc.option(valueFor(type), { nil: undefined }), fc.nat(), fc.nat()),
  )
  .map(([key, value, n, m]): Edit => {
    return (tree) =>
      setValue(
        tree,
        [...new Set([chooseNode(tree, n), chooseNode(tree, m)])],
        { target: 'specials', key },
        value,
      );
  });

const settings = fc
  .tuple(
    fc.nat(),
    fc.constantFrom('$root', 'inner', '__proto__'),
    fc.option(fc.constant('#123456'), { nil: undefined }),
  )
  .map(([n, slot, value]): Edit => {
    return (tree) => {
      const references = [...tree.nodes.values()].filter(({ type }) => type === 'blockRef');
      if (references.length === 0) return [];
      const place = { target: 'style', breakpoint: 'base', key: 'color' } as const;
      return setSettings(tree, chosen(references, n).id, slot, [place], value);
    };
  });

const two = fc.tuple(fc.nat(), fc.nat(), fc.nat());
const selected = (tree: Tree, n: number, m: number) => [chooseNode(tree, n), chooseNode(tree, m)];

const structure = fc.oneof(
  fc.tuple(documents, two).map(([document, [n, m]]): Edit => {
    return (tree) => {
      const parent = chooseNode(tree, n);
      return insert(tree, parent, m % (getChildIds(tree, parent).length + 1), withFreshIds(document));
    };
  }),
  two.map(([n, m, k]): Edit => {
    return (tree) => {
      const parent = chooseNode(tree, k);
      return move(tree, selected(tree, n, m), parent, n % (getChildIds(tree, parent).length + 1));
    };
  }),
  two.map(
    ([n, m]): Edit =>
      (tree) =>
        remove(tree, selected(tree, n, m)),
  ),
  two.map(
    ([n, m]): Edit =>
      (tree) =>
        duplicate(tree, selected(tree, n, m)).changes,
  ),
  two.map(([n, m]): Edit => {
    return (tree) => {
      const siblings = getChildIds(tree, chooseNode(tree, n));
      return wrap(tree, siblings.slice(m % (siblings.length || 1)), {
        id: createNodeId(),
        type: 'container',
      });
    };
  }),
  two.map(
    ([n]): Edit =>
      (tree) =>
        unwrap(tree, chooseNode(tree, n)),
  ),
  fc.tuple(documents, fc.nat()).map(([document, n]): Edit => {
    return (tree) => replace(tree, chooseNode(tree, n), withFreshIds(document));
  }),
);

const restored = documents.map(
  (document): Edit =>
    (tree) =>
      replaceDocument(tree, document),
);

export const edits: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 4, arbitrary: styles },
  { weight: 4, arbitrary: specials },
  { weight: 1, arbitrary: settings },
  { weight: 6, arbitrary: structure },
  { weight: 1, arbitrary: restored },
);

/** Sorts the nodes of a document for comparison; their order in the list has no meaning. */
export function sorted({ rootId, nodes }: PageDocument): PageDocument {
  return { rootId, nodes: nodes.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}
