import { hasChromium, launchChromium } from '@waybill/testing';
import fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { checkBlock, checkDocument, type ResolvedNode, render, vocabulary } from '../src/index.ts';
import { blocks, documents, valueFor } from './arbitraries.ts';
import { bundle } from './bundle.ts';
import { type Case, resolveCase } from './case.ts';
import { hostileWords } from './hostile-texts.ts';
import type { Seen } from './in-browser.ts';
import { meantTree } from './recording.ts';

const seed = Number(process.env.SEED) || Math.trunc(performance.timeOrigin);
/**
 * Different documents in each run. Use `DOCUMENTS=10000 npm test -- page/test/proofs` after a change of the renderer.
 */
const documentsInAll = Number(process.env.DOCUMENTS) || 1_000;
const batch = 250;

/** Documents of a batch share the sections, blocks and words that they refer to, because generating these is slow. */
const surroundings = fc.record({
  sections: fc.record({ sec_1: documents, sec_2: documents, sec_3: documents }),
  blocks: fc.record({ 'app_1/reviews': blocks, 'app_1/banner': blocks, 'app_2/reviews': blocks }),
  words: fc.array(fc.constantFrom(...hostileWords), { minLength: 7, maxLength: 7 }),
  publish: fc.boolean(),
});

/** Yields every case of this run, batch by batch. */
function* batches(): Generator<Case[]> {
  for (let i = 0; i < documentsInAll / batch; i++) {
    const [around] = fc.sample(surroundings, { seed: seed + i, numRuns: 1 });
    const some = fc.sample(documents, { seed: seed + i, numRuns: batch });
    yield some.map((document) => ({ ...around!, document }));
  }
}

/** Returns the paths of all nodes, parents before children. */
function listPaths(node: ResolvedNode | undefined): string[] {
  return node ? [node.path, ...node.children.flatMap(listPaths)] : [];
}

describe('random documents', () => {
  test('pass the checks that they are generated from', () => {
    for (const document of fc.sample(documents, { seed, numRuns: 500 })) {
      expect(checkDocument(vocabulary, document)).toEqual([]);
    }
    for (const block of fc.sample(blocks, { seed, numRuns: 500 })) {
      expect(checkBlock(vocabulary, block)).toEqual([]);
    }
  });
});

(hasChromium('the proofs of the page renderer') ? describe : describe.skip)('Chromium', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage();
    await page.addScriptTag({ content: await bundle('./in-browser.ts') });
  });
  afterAll(() => browser?.close());

  const see = async (some: Case[]): Promise<Seen[]> =>
    JSON.parse(await page.evaluate<string>(`see(${JSON.stringify(JSON.stringify(some))})`));

  test(`renders ${documentsInAll} documents to the same bytes, parses them to the tree they mean, finds each node where it is said to be and gives them back (seed ${seed})`, async () => {
    let bytes = 0;
    for (const some of batches()) {
      // Both work at the same time: Chromium on its own core, Node while it waits.
      const seeing = see(some);
      const all = some.map((one) => {
        const resolved = resolveCase(one);
        const { spans: places, ...withPlaces } = render(resolved, { spans: true });
        const mine = render(resolved);
        expect(withPlaces).toEqual(mine);
        expect(places.map(({ path }) => path)).toEqual(listPaths(resolved));
        return { mine, places: JSON.stringify(places), meant: JSON.stringify(meantTree(resolved)) };
      });
      const seen = await seeing;
      for (const [i, { mine, places, meant }] of all.entries()) {
        bytes += mine.html.length;
        const { tree, reparsed, html, css, rules } = seen[i]!;
        expect(html).toBe(mine.html);
        expect(css).toBe(mine.css);
        expect(reparsed).toBe(html);
        expect(rules).toBe(css.split('{').length - 1);
        expect(tree).toBe(meant);
        expect(seen[i]!.places).toBe(places);
        expect(seen[i]!.misplaced).toEqual([]);
      }
    }
    // The documents are not empty.
    expect(bytes / documentsInAll).toBeGreaterThan(300);
  }, 600_000);

  test('takes every style value that the vocabulary lets through', async () => {
    const pairs = Object.entries(vocabulary.writeKeys.style).flatMap(([key, type]) => {
      const property = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const values = fc.sample(valueFor(type), { seed, numRuns: 60 });
      return values.filter((value) => typeof value !== 'object').map((value) => [property, String(value)]);
    });
    const refused = await page.evaluate(
      `${JSON.stringify(pairs)}.filter(([property, value]) => !CSS.supports(property, value))`,
    );
    expect(refused).toEqual([]);
  });
});
