import fc from 'fast-check';
import type { Block } from '../src/contributions/manifest.ts';
import { compareBlocks, maxDifferences, maxSubtreeLength } from '../src/review/differences.ts';
import { stars } from './developers.ts';

const differ = (before: object, after: object) =>
  compareBlocks([before as Block], [after as Block], ['stars'])[0]!;
const at = (pointer: string, sides: object) => ({ pointer, isCut: false, ...sides });
const [root, title, text] = stars.nodes as [object, object, object];

describe('what differs in a block', () => {
  test('is reported with its pointer, and the values before and after', () => {
    const changed = {
      ...stars,
      nodes: [root, { ...title, props: { specials: { text: 'What they say', level: 3 } } }, text],
    };
    expect(differ(stars, changed)).toEqual({
      key: 'stars',
      differences: [at('/nodes/1/props/specials/text', { before: 'Reviews', after: 'What they say' })],
      hasMore: false,
    });
  });

  test('tracks nodes by their ids: an inserted node changes no others', () => {
    const added = { id: 'new/~', type: 'text' };
    expect(differ(stars, { ...stars, nodes: [added, root, title, text] }).differences).toEqual([
      at('/nodes/0', { after: added }),
    ]);
    expect(differ(stars, { ...stars, nodes: [root, text] }).differences).toEqual([
      at('/nodes/1', { before: title }),
    ]);
    const ids = { before: ['root', 'title', 'text'], after: ['root', 'text', 'title'] };
    expect(differ(stars, { ...stars, nodes: [root, text, title] }).differences).toEqual([at('/nodes', ids)]);
  });

  test('escapes names, and distinguishes a missing value from null', () => {
    const props = { a: { 'b/~': null } };
    expect(differ({ ...stars, props }, { ...stars, props: { a: {} } }).differences).toEqual([
      at('/props/a/b~1~0', { before: null }),
    ]);
  });

  test('is limited in number and content', () => {
    const createMany = (n: number) =>
      Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, n]));
    const { differences, hasMore } = differ(
      { ...stars, props: createMany(1) },
      { ...stars, props: createMany(2) },
    );
    expect([differences.length, hasMore]).toEqual([maxDifferences, true]);
    const long = 'x'.repeat(maxSubtreeLength);
    expect(differ(stars, { ...stars, name: long }).differences).toEqual([
      { pointer: '/name', isCut: true, before: 'Stars' },
    ]);
    const blocks = (n: number) =>
      Array.from({ length: 24 }, (_, i) => ({
        key: `b${i}`,
        list: Object.fromEntries(Array.from({ length: 100 }, (_, j) => [`k${j}`, `${n}${'y'.repeat(2000)}`])),
      })) as never as Block[];
    const all = compareBlocks(
      blocks(1),
      blocks(2),
      blocks(1).map(({ key }) => key),
    );
    expect(JSON.stringify(all).length).toBeLessThan(1024 * 1024);
    expect(all.at(-1)!.differences.every(({ isCut }) => isCut)).toBe(true);
  });

  test('is nothing only where the blocks are alike, whatever they are', () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(value, value, (one, other) => {
        const { differences } = differ({ ...stars, props: one }, { ...stars, props: other });
        expect(differences.length === 0).toBe(JSON.stringify(sorted(one)) === JSON.stringify(sorted(other)));
      }),
    );
  });
});

/** Sorts the members of objects, and replaces negative zero, which JSON does not have. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // Wrap the entries, because an object without members would otherwise equal an empty list.
  return { entries: entries.map(([name, each]) => [name, sorted(each)]) };
}
