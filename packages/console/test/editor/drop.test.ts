import { checkDocument, type PageDocument, vocabulary } from '@waybill/page';
import fc from 'fast-check';
import { applied } from '../../src/editor/core/changes.ts';
import { insert, move, renewed } from '../../src/editor/core/commands.ts';
import { insertPlace, loadOf, loadOfNodes, refusalAt } from '../../src/editor/core/drop.ts';
import { asReference, detach, sectionOf } from '../../src/editor/core/sections.ts';
import { childrenOf, documentOf, treeOf } from '../../src/editor/core/tree.ts';
import { documents, sorted } from './edits.ts';

const some = fc.tuple(documents, documents, fc.nat());

test('new elements may stand exactly where the check of the document finds nothing wrong with them', () => {
  fc.assert(
    fc.property(some, ([document, other]) => {
      const tree = treeOf(document);
      const fragment = renewed(other);
      for (const parentId of tree.nodes.keys()) {
        const after = documentOf(applied(tree, insert(tree, parentId, 0, fragment)));
        const isValid = checkDocument(vocabulary, after).length === 0;
        expect(refusalAt(vocabulary, tree, parentId, loadOf([fragment])) === undefined).toBe(isValid);
      }
    }),
    { numRuns: 40 },
  );
});

test('what moves may stand exactly where the check finds nothing wrong, and never in itself', () => {
  fc.assert(
    fc.property(some, ([document, , n]) => {
      const tree = treeOf(document);
      const all = [...tree.nodes.keys()].filter((id) => id !== tree.rootId);
      if (all.length === 0) return;
      const ids = [all[n % all.length]!];
      for (const parentId of tree.nodes.keys()) {
        const refusal = refusalAt(vocabulary, tree, parentId, loadOfNodes(tree, ids));
        const changes = move(tree, ids, parentId, 0);
        if (changes.length === 0) expect(refusal).toEqual({ reason: 'inside' });
        else {
          const problems = checkDocument(vocabulary, documentOf(applied(tree, changes)));
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
      const tree = treeOf(document);
      const load = loadOf([renewed(other)]);
      const selected = [...tree.nodes.keys()][n % tree.nodes.size]!;
      const place = insertPlace(vocabulary, tree, [selected], load);
      if (!place) expect(refusalAt(vocabulary, tree, tree.rootId, load)).toBeDefined();
      else expect(refusalAt(vocabulary, tree, place.parentId, load)).toBeUndefined();
    }),
    { numRuns: 40 },
  );
});

const nodes = (...all: [id: string, type: string, children?: string[]][]): PageDocument => ({
  rootId: all[0]![0],
  nodes: all.map(([id, type, children]) => ({ id, type, ...(children && { children }) })),
});
const button = loadOf([nodes(['b', 'button'])]);

test('elements go into the selected box, after any other selected element, and past a link that takes no button', () => {
  const tree = treeOf(
    nodes(
      ['root', 'container', ['box', 'text', 'link']],
      ['box', 'stack', ['inner']],
      ['inner', 'text'],
      ['text', 'text'],
      ['link', 'link', ['icon']],
      ['icon', 'icon'],
    ),
  );
  const placeOf = (...ids: string[]) => insertPlace(vocabulary, tree, ids, button);
  expect(placeOf()).toEqual({ parentId: 'root', index: 3 });
  expect(placeOf('box')).toEqual({ parentId: 'box', index: 1 });
  expect(placeOf('text')).toEqual({ parentId: 'root', index: 2 });
  expect(placeOf('icon')).toEqual({ parentId: 'root', index: 3 });
  expect(refusalAt(vocabulary, tree, 'link', button)).toEqual({
    reason: 'excluded',
    type: 'button',
    by: 'link',
  });
  expect(refusalAt(vocabulary, tree, 'text', button)).toEqual({ reason: 'leaf' });
});

test('a page that is full or as deep as it may be takes no more, and says which', () => {
  const deep = nodes(
    ...Array.from({ length: 64 }, (_, i): [string, string, string[]] => [
      `n${i}`,
      'container',
      i < 63 ? [`n${i + 1}`] : [],
    ]),
  );
  expect(refusalAt(vocabulary, treeOf(deep), 'n63', button)).toEqual({ reason: 'depth' });
  expect(insertPlace(vocabulary, treeOf(deep), ['n63'], button)).toEqual({ parentId: 'n62', index: 1 });
  const ids = Array.from({ length: 4_999 }, (_, i) => `t${i}`);
  const full = nodes(['root', 'container', ids], ...ids.map((id): [string, string] => [id, 'text']));
  expect(refusalAt(vocabulary, treeOf(full), 'root', button)).toEqual({ reason: 'count' });
});

const side = nodes(
  ['root', 'container', ['a', 'b', 'c']],
  ['a', 'heading'],
  ['b', 'stack', ['b1']],
  ['b1', 'text'],
  ['c', 'text'],
);

test('elements side by side become a section with their content, and the reference its content again', () => {
  const tree = treeOf(side);
  expect(sectionOf(tree, ['a', 'c'])).toBeUndefined();
  expect(sectionOf(tree, ['root'])).toBeUndefined();
  const section = sectionOf(tree, ['b', 'a'])!;
  expect(checkDocument(vocabulary, section)).toEqual([]);
  expect(treeOf(section).nodes.get(section.rootId)!.type).toBe('container');
  expect(section.nodes.map(({ type }) => type)).toEqual(['container', 'heading', 'stack', 'text']);

  const referring = applied(tree, asReference(tree, ['a', 'b'], 'sec_1'));
  const [reference, last] = childrenOf(referring, 'root');
  expect(last).toBe('c');
  expect(checkDocument(vocabulary, documentOf(referring))).toEqual([]);
  const again = applied(referring, detach(referring, reference!, section));
  expect(checkDocument(vocabulary, documentOf(again))).toEqual([]);
  expect([...again.nodes.values()].filter(({ type }) => type === 'stack')).toHaveLength(1);
});

test('one box becomes a section without another around it', () => {
  const section = sectionOf(treeOf(side), ['b'])!;
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
  expect(detach(treeOf(document), 'ref', side)).toEqual([]);
  expect(sorted(documentOf(treeOf(document)))).toEqual(sorted(document));
});
