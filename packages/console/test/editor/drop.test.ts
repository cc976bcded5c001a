import { checkDocument, type PageDocument, vocabulary } from '@waybill/page';
import fc from 'fast-check';
import { applyToTree } from '../../src/editor/core/changes.ts';
import { insert, move, withFreshIds } from '../../src/editor/core/commands.ts';
import {
  describeFragments,
  describeNodes,
  findInsertPosition,
  findRefusal,
} from '../../src/editor/core/drop.ts';
import { createReferenceChanges, detach, extractSection } from '../../src/editor/core/sections.ts';
import { createTree, getChildIds, toDocument } from '../../src/editor/core/tree.ts';
import { documents, sorted } from './edits.ts';

const some = fc.tuple(documents, documents, fc.nat());

test('new elements can be inserted exactly where the check of the document finds no problem', () => {
  fc.assert(
    fc.property(some, ([document, other]) => {
      const tree = createTree(document);
      const fragment = withFreshIds(other);
      for (const parentId of tree.nodes.keys()) {
        const after = toDocument(applyToTree(tree, insert(tree, parentId, 0, fragment)));
        const isValid = checkDocument(vocabulary, after).length === 0;
        expect(findRefusal(vocabulary, tree, parentId, describeFragments([fragment])) === undefined).toBe(
          isValid,
        );
      }
    }),
    { numRuns: 40 },
  );
});

test('elements can be moved exactly to where the check finds no problem, and never into themselves', () => {
  fc.assert(
    fc.property(some, ([document, , n]) => {
      const tree = createTree(document);
      const all = [...tree.nodes.keys()].filter((id) => id !== tree.rootId);
      if (all.length === 0) return;
      const ids = [all[n % all.length]!];
      for (const parentId of tree.nodes.keys()) {
        const refusal = findRefusal(vocabulary, tree, parentId, describeNodes(tree, ids));
        const changes = move(tree, ids, parentId, 0);
        if (changes.length === 0) expect(refusal).toEqual({ reason: 'inside' });
        else {
          const problems = checkDocument(vocabulary, toDocument(applyToTree(tree, changes)));
          expect(refusal === undefined).toBe(problems.length === 0);
        }
      }
    }),
    { numRuns: 40 },
  );
});

test('a place that nobody points at is one where it may stand, and there is one where the root takes it', () => {
  fc.assert(
    fc.property(some, ([document, other, n]) => {
      const tree = createTree(document);
      const load = describeFragments([withFreshIds(other)]);
      const selected = [...tree.nodes.keys()][n % tree.nodes.size]!;
      const place = findInsertPosition(vocabulary, tree, [selected], load);
      if (!place) expect(findRefusal(vocabulary, tree, tree.rootId, load)).toBeDefined();
      else expect(findRefusal(vocabulary, tree, place.parentId, load)).toBeUndefined();
    }),
    { numRuns: 40 },
  );
});

const nodes = (...all: [id: string, type: string, children?: string[]][]): PageDocument => ({
  rootId: all[0]![0],
  nodes: all.map(([id, type, children]) => ({ id, type, ...(children && { children }) })),
});
const button = describeFragments([nodes(['b', 'button'])]);

test('elements go into the selected box, after any other selected element, and past a link that takes no button', () => {
  const tree = createTree(
    nodes(
      ['root', 'container', ['box', 'text', 'link']],
      ['box', 'stack', ['inner']],
      ['inner', 'text'],
      ['text', 'text'],
      ['link', 'link', ['icon']],
      ['icon', 'icon'],
    ),
  );
  const findPlace = (...ids: string[]) => findInsertPosition(vocabulary, tree, ids, button);
  expect(findPlace()).toEqual({ parentId: 'root', index: 3 });
  expect(findPlace('box')).toEqual({ parentId: 'box', index: 1 });
  expect(findPlace('text')).toEqual({ parentId: 'root', index: 2 });
  expect(findPlace('icon')).toEqual({ parentId: 'root', index: 3 });
  expect(findRefusal(vocabulary, tree, 'link', button)).toEqual({
    reason: 'excluded',
    type: 'button',
    by: 'link',
  });
  expect(findRefusal(vocabulary, tree, 'text', button)).toEqual({ reason: 'leaf' });
});

test('a page at its maximum size or depth accepts no more elements, and says which limit it has reached', () => {
  const deep = nodes(
    ...Array.from({ length: 64 }, (_, i): [string, string, string[]] => [
      `n${i}`,
      'container',
      i < 63 ? [`n${i + 1}`] : [],
    ]),
  );
  expect(findRefusal(vocabulary, createTree(deep), 'n63', button)).toEqual({ reason: 'depth' });
  expect(findInsertPosition(vocabulary, createTree(deep), ['n63'], button)).toEqual({
    parentId: 'n62',
    index: 1,
  });
  const ids = Array.from({ length: 4_999 }, (_, i) => `t${i}`);
  const full = nodes(['root', 'container', ids], ...ids.map((id): [string, string] => [id, 'text']));
  expect(findRefusal(vocabulary, createTree(full), 'root', button)).toEqual({ reason: 'count' });
});

const side = nodes(
  ['root', 'container', ['a', 'b', 'c']],
  ['a', 'heading'],
  ['b', 'stack', ['b1']],
  ['b1', 'text'],
  ['c', 'text'],
);

test('elements side by side become a section with their content, and the reference its content again', () => {
  const tree = createTree(side);
  expect(extractSection(tree, ['a', 'c'])).toBeUndefined();
  expect(extractSection(tree, ['root'])).toBeUndefined();
  const section = extractSection(tree, ['b', 'a'])!;
  expect(checkDocument(vocabulary, section)).toEqual([]);
  expect(createTree(section).nodes.get(section.rootId)!.type).toBe('container');
  expect(section.nodes.map(({ type }) => type)).toEqual(['container', 'heading', 'stack', 'text']);

  const referring = applyToTree(tree, createReferenceChanges(tree, ['a', 'b'], 'sec_1'));
  const [reference, last] = getChildIds(referring, 'root');
  expect(last).toBe('c');
  expect(checkDocument(vocabulary, toDocument(referring))).toEqual([]);
  const again = applyToTree(referring, detach(referring, reference!, section));
  expect(checkDocument(vocabulary, toDocument(again))).toEqual([]);
  expect([...again.nodes.values()].filter(({ type }) => type === 'stack')).toHaveLength(1);
});

test('one box becomes a section without another around it', () => {
  const section = extractSection(createTree(side), ['b'])!;
  expect(section.nodes.map(({ type }) => type)).toEqual(['stack', 'text']);
});

test('an app block is never taken apart', () => {
  const document: PageDocument = {
    rootId: 'root',
    nodes: [
      { id: 'root', type: 'container', children: ['ref'] },
      { id: 'ref', type: 'blockRef', props: { specials: { appId: 'app_1', blockKey: 'reviews' } } },
    ],
  };
  expect(detach(createTree(document), 'ref', side)).toEqual([]);
  expect(sorted(toDocument(createTree(document)))).toEqual(sorted(document));
});
