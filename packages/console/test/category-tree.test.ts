import fc from 'fast-check';
import {
  buildBranches,
  isWithin,
  placeAfter,
  placeOfDrop,
  withMoved,
} from '../src/features/categories/tree.ts';

const node = (id: string, parentId: string | null, position: number) => ({ id, parentId, position });
/** The tree a(b(d), c), e. */
const tree = [
  node('a', null, 0),
  node('b', 'a', 0),
  node('c', 'a', 1),
  node('d', 'b', 0),
  node('e', null, 1),
];
type Shape = { id: string; children: readonly Shape[] };
const drawn = (branches: readonly Shape[]): string =>
  branches.map(({ id, children }) => (children.length > 0 ? `${id}(${drawn(children)})` : id)).join(' ');
const draw = (categories: typeof tree) => drawn(buildBranches(categories));

test('a tree of categories is drawn by parent and position', () => {
  expect(draw(tree)).toBe('a(b(d) c) e');
});

test.each([
  ['e', 'up', 'e a(b(d) c)'],
  ['a', 'down', 'e a(b(d) c)'],
  ['e', 'in', 'a(b(d) c e)'],
  ['c', 'in', 'a(b(d c)) e'],
  ['b', 'out', 'a(c) b(d) e'],
  ['d', 'out', 'a(b d c) e'],
] as const)('%s moves %s', (id, step, expected) => {
  expect(draw(withMoved(tree, id, placeAfter(tree, id, step)!))).toBe(expected);
});

test.each([
  ['a', 'up'],
  ['e', 'down'],
  ['b', 'in'],
  ['a', 'out'],
] as const)('%s cannot move %s', (id, step) => {
  expect(placeAfter(tree, id, step)).toBe(null);
});

test.each([
  ['e', 'b', 'before', 'a(e b(d) c)'],
  ['e', 'b', 'after', 'a(b(d) e c)'],
  ['e', 'b', 'on', 'a(b(d e) c)'],
  ['b', 'c', 'after', 'a(c b(d)) e'],
  ['d', 'e', 'before', 'a(b c) d e'],
] as const)('%s that is dropped at %s (%s) stands there', (id, target, drop, expected) => {
  expect(draw(withMoved(tree, id, placeOfDrop(tree, id, target, drop)!))).toBe(expected);
});

test('nothing is dropped into itself', () => {
  for (const target of ['a', 'b', 'd']) expect(placeOfDrop(tree, 'a', target, 'on')).toBe(null);
});

test('whatever moves, each category is there once, in a tree without a ring', () => {
  const move = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    target: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    how: fc.constantFrom('before', 'after', 'on', 'up', 'down', 'in', 'out' as const),
  });
  fc.assert(
    fc.property(fc.array(move, { maxLength: 20 }), (moves) => {
      let now = tree;
      for (const { id, target, how } of moves) {
        const place =
          how === 'before' || how === 'after' || how === 'on'
            ? placeOfDrop(now, id, target, how)
            : placeAfter(now, id, how);
        if (place) now = withMoved(now, id, place);
      }
      expect(draw(now).match(/[a-e]/g)?.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
      for (const { id, parentId } of now) expect(isWithin(now, parentId, id)).toBe(false);
    }),
  );
});
