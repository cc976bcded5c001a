import { checkDocument, type PageDocument, type PageNode, vocabulary } from '@waybill/page';
import fc from 'fast-check';
import { applyToTree, type Change } from '../../src/editor/core/changes.ts';
import { insert, move, remove, setValue } from '../../src/editor/core/commands.ts';
import { Editor } from '../../src/editor/core/editor.ts';
import { merge, type Side } from '../../src/editor/core/merge.ts';
import { isEqual } from '../../src/editor/core/same.ts';
import { createTree, getChildIds, type Tree, toDocument } from '../../src/editor/core/tree.ts';
import { documents, type Edit, edits, sorted } from './edits.ts';

/** A document and two independent edits of it. */
const apart = fc
  .tuple(documents, fc.array(edits, { maxLength: 5 }), fc.array(edits, { maxLength: 5 }))
  .map(([base, a, b]) => ({ base, mine: edited(base, a), theirs: edited(base, b) }));

function edited(base: PageDocument, some: readonly Edit[]): PageDocument {
  const editor = new Editor(vocabulary, base);
  for (const edit of some) editor.apply('edit', edit(editor.state.tree));
  return editor.document;
}

/** Removes empty parts, which have no meaning. */
function bare(document: PageDocument): unknown {
  const emptied = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const kept = Object.entries(value).map(([key, inner]) => [key, emptied(inner)] as const);
    return Object.fromEntries(
      kept.filter(
        ([, inner]) => !(typeof inner === 'object' && inner !== null && Object.keys(inner).length === 0),
      ),
    );
  };
  const { rootId, nodes } = sorted(document);
  return {
    rootId,
    nodes: nodes.map(({ props, ...node }) => ({
      ...node,
      children: node.children ?? [],
      props: emptied({ ...props }),
    })),
  };
}

test('a merge of any two changes is a valid page', () => {
  fc.assert(
    fc.property(apart, fc.constantFrom('mine', 'theirs'), ({ base, mine, theirs }, side) => {
      const first = merge(vocabulary, base, mine, theirs);
      expect(checkDocument(vocabulary, first.document)).toEqual([]);
      const choices = Object.fromEntries(first.conflicts.map(({ key }) => [key, side as Side]));
      const settled = merge(vocabulary, base, mine, theirs, choices);
      expect(checkDocument(vocabulary, settled.document)).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test('a merge with an unchanged side is the other side, and equal changes agree', () => {
  fc.assert(
    fc.property(apart, ({ base, mine, theirs }) => {
      for (const [m, t, result] of [
        [mine, base, mine],
        [base, theirs, theirs],
        [mine, mine, mine],
      ] as const) {
        const { document, conflicts } = merge(vocabulary, base, m, t);
        expect(conflicts).toEqual([]);
        expect(isEqual(bare(document), bare(result))).toBe(true);
      }
    }),
    { numRuns: 100 },
  );
});

test('a merge and its conflicts are the same from either side', () => {
  fc.assert(
    fc.property(apart, ({ base, mine, theirs }) => {
      const one = merge(vocabulary, base, mine, theirs);
      const other = merge(vocabulary, base, theirs, mine);
      expect(other.conflicts.length > 0).toBe(one.conflicts.length > 0);
      if (one.conflicts.length === 0) expect(isEqual(bare(one.document), bare(other.document))).toBe(true);
    }),
    { numRuns: 150 },
  );
});

test('a merge contains every change that is not named as a conflict', () => {
  fc.assert(
    fc.property(apart, ({ base, mine, theirs }) => {
      const { document, conflicts } = merge(vocabulary, base, mine, theirs);
      if (conflicts.some(({ kind }) => kind === 'whole')) return;
      const named = new Set(conflicts.map(({ id }) => id));
      const [before, after] = [createTree(base), createTree(document)];
      for (const tree of [createTree(mine), createTree(theirs)]) {
        for (const [id, node] of tree.nodes) {
          if (!before.nodes.has(id) && !after.nodes.has(id)) expect(named.size).toBeGreaterThan(0);
          const text = node.props?.specials?.text;
          if (isEqual(text, before.nodes.get(id)?.props?.specials?.text) || named.has(id)) continue;
          if (after.nodes.has(id)) expect(after.nodes.get(id)!.props?.specials?.text).toEqual(text);
          else expect(named.size).toBeGreaterThan(0);
        }
      }
    }),
    { numRuns: 100 },
  );
});

const text = (id: string, words = id): PageNode => ({
  id,
  type: 'text',
  props: { specials: { text: words } },
});
const box = (id: string, ...children: string[]): PageNode => ({ id, type: 'container', children });
const page: PageDocument = {
  rootId: 'root',
  nodes: [
    box('root', 'a', 'one', 'b', 'two', 'c'),
    text('a'),
    text('b'),
    text('c'),
    box('one', 'x'),
    text('x'),
    box('two', 'y'),
    text('y'),
  ],
};
const base = createTree(page);
const after = (...changes: ((tree: Tree) => Change[])[]) =>
  toDocument(changes.reduce((tree, change) => applyToTree(tree, change(tree)), base));
const write = (id: string, words: string) => (tree: Tree) =>
  setValue(tree, [id], { target: 'specials', key: 'text' }, words);
const color = (id: string, value: string) => (tree: Tree) =>
  setValue(tree, [id], { target: 'style', breakpoint: 'mobile', key: 'color' }, value);
const put = (id: string, index: number) => (tree: Tree) =>
  insert(tree, 'root', index, { rootId: id, nodes: [text(id)] });
const together = (mine: PageDocument, theirs: PageDocument, choices: Record<string, Side> = {}) => {
  const { document, ...rest } = merge(vocabulary, page, mine, theirs, choices);
  return { tree: createTree(document), ...rest };
};

test('two values of one element, elements put in at two places, and moves and texts come together', () => {
  const mine = after(write('a', 'A'), put('n1', 1), (tree) => move(tree, ['x'], 'two', 0));
  const theirs = after(color('a', 'red'), put('n2', 5), write('x', 'X'), (tree) => remove(tree, ['c']));
  const { tree, conflicts, changedFromMine } = together(mine, theirs);
  expect(conflicts).toEqual([]);
  expect(tree.nodes.get('a')!.props).toEqual({
    specials: { text: 'A' },
    style: { mobile: { color: 'red' } },
  });
  expect(getChildIds(tree, 'root')).toEqual(['a', 'n1', 'one', 'b', 'two', 'n2']);
  expect(getChildIds(tree, 'two')).toEqual(['x', 'y']);
  expect(tree.nodes.get('x')!.props!.specials!.text).toBe('X');
  expect(changedFromMine.toSorted()).toEqual(['a', 'c', 'n2', 'root', 'x']);
});

test('a value that both changed is shown side by side, and the chosen one is used', () => {
  const [mine, theirs] = [after(write('a', 'M')), after(write('a', 'T'))];
  const { tree, conflicts } = together(mine, theirs);
  expect(conflicts).toEqual([
    {
      key: 'value/a/props/specials/text',
      kind: 'value',
      id: 'a',
      path: ['props', 'specials', 'text'],
      base: 'a',
      mine: 'M',
      theirs: 'T',
      chosenSide: 'mine',
    },
  ]);
  expect(tree.nodes.get('a')!.props!.specials!.text).toBe('M');
  const settled = together(mine, theirs, { 'value/a/props/specials/text': 'theirs' });
  expect(settled.tree.nodes.get('a')!.props!.specials!.text).toBe('T');
});

test('a box that one side deletes and the other edits stays until the conflict is resolved', () => {
  const [mine, theirs] = [after((tree) => remove(tree, ['one'])), after(put('n', 0), write('x', 'kept'))];
  const { tree, conflicts } = together(mine, theirs);
  expect(conflicts).toMatchObject([{ key: 'removed/one', removedBy: 'mine', chosenSide: 'theirs' }]);
  expect(tree.nodes.get('x')!.props!.specials!.text).toBe('kept');
  expect(together(theirs, mine).conflicts).toMatchObject([{ removedBy: 'theirs', chosenSide: 'mine' }]);
  expect(together(mine, theirs, { 'removed/one': 'mine' }).tree.nodes.has('x')).toBe(false);
});

test('two boxes that are moved into each other form no cycle', () => {
  const mine = after((tree) => move(tree, ['one'], 'two', 0));
  const theirs = after((tree) => move(tree, ['two'], 'one', 0));
  const { tree, conflicts } = together(mine, theirs);
  expect(tree.nodes.size).toBe(base.nodes.size);
  expect(conflicts.map(({ kind }) => kind)).toEqual(['moved']);
});

test('orders that differ are a conflict, one order alone is none', () => {
  const first = after((tree) => move(tree, ['c'], 'root', 0));
  const second = after((tree) => move(tree, ['b'], 'root', 0));
  expect(together(first, after(put('n', 5))).conflicts).toEqual([]);
  const { tree, conflicts } = together(first, second);
  expect(conflicts).toMatchObject([{ kind: 'order', id: 'root', chosenSide: 'mine' }]);
  expect(getChildIds(tree, 'root')).toEqual(['c', 'a', 'one', 'b', 'two']);
});

test('changes that cannot be combined leave one of the two pages as it is', () => {
  const link: PageNode = { id: 'l', type: 'link', children: [] };
  const both: PageDocument = { rootId: 'root', nodes: [box('root', 'l', 'in'), link, box('in')] };
  const linked = createTree(both);
  const mine = toDocument(applyToTree(linked, move(linked, ['in'], 'l', 0)));
  const button: PageDocument = { rootId: 'n', nodes: [{ id: 'n', type: 'button' }] };
  const theirs = toDocument(applyToTree(linked, insert(linked, 'in', 0, button)));
  const { document, conflicts } = merge(vocabulary, both, mine, theirs);
  expect(conflicts).toMatchObject([{ kind: 'whole', chosenSide: 'mine' }]);
  expect(document).toEqual(mine);
  expect(merge(vocabulary, both, mine, theirs, { whole: 'theirs' }).document).toEqual(theirs);
});

test('a page whose root has another id on the server is the same page', () => {
  const theirs = JSON.parse(JSON.stringify(after(write('b', 'B'))).replaceAll('"root"', '"other"'));
  const { tree, conflicts } = together(after(write('a', 'A')), theirs);
  expect(conflicts).toEqual([]);
  expect([tree.rootId, tree.nodes.get('b')!.props!.specials!.text]).toEqual(['root', 'B']);
});
