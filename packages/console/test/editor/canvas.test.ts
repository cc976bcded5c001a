import { type DocumentSources, pageMain, renderDocument } from '@waybill/page';
import { blocks, documents } from '@waybill/page/test/arbitraries';
import { hostileWords } from '@waybill/page/test/hostile-texts';
import { hasChromium, launchChromium } from '@waybill/testing';
import fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { openModule } from '../../testing/open-module.ts';
import type { Run, RunResult } from './canvas-in-browser.ts';

const seed = Number(process.env.SEED) || Math.trunc(performance.timeOrigin);
/** `DOCUMENTS=10000` is the full proof; the default suffices for daily runs. */
const documentsInAll = Number(process.env.DOCUMENTS) || 300;
const batch = 50;
const edits = 12;

const surroundings = fc.record({
  sections: fc.record({ sec_1: documents, sec_2: documents, sec_3: documents }),
  reviews: blocks,
  banner: blocks,
  words: fc.array(fc.constantFrom(...hostileWords), { minLength: 4, maxLength: 4 }),
});

type Around = typeof surroundings extends fc.Arbitrary<infer Value> ? Value : never;

function createSources({ sections, reviews, banner, words }: Around): DocumentSources {
  const picture = { url: '/media/1.png', width: 800, height: 600 };
  return {
    currency: 'EUR',
    sections,
    apps: { app_1: { blocks: { reviews, banner } }, app_2: { blocks: { reviews } } },
    products: {
      prd_1: { id: 'prd_1', name: words[0]!, priceCents: 990, image: picture, url: '/s/x/p', variants: [] },
    },
    media: { mda_1: picture, mda_2: { url: '/media/2.png', alt: words[1]! } },
    pages: { pag_1: '/s/x/', pag_2: `/s/x/${encodeURIComponent(words[2]!.toWellFormed())}` },
    appValues: [{ appId: 'app_1', key: 'rating', owner: 'site', ownerId: null, value: words[3]! }],
  };
}

function* batches(): Generator<Run[]> {
  for (let i = 0; i < documentsInAll / batch; i++) {
    const [around] = fc.sample(surroundings, { seed: seed + i, numRuns: 1 });
    const sources = createSources(around!);
    const some = fc.sample(documents, { seed: seed + i, numRuns: batch });
    yield some.map((document, n) => ({
      document,
      sources,
      seed: seed + i * batch + n,
      edits,
      ...(n % 5 === 0 && { landmark: 'header' as const }),
    }));
  }
}

(hasChromium('the proofs of the canvas') ? describe : describe.skip)('the canvas', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage();
    await openModule(page, new URL('./canvas-in-browser.ts', import.meta.url));
  });
  afterAll(() => browser?.close());

  const call = async <Result>(name: string, given: unknown): Promise<Result> =>
    JSON.parse(await page.evaluate<string>(`${name}(${JSON.stringify(JSON.stringify(given))})`));

  test(
    `shows ${documentsInAll} documents as they are published, to the byte, through every edit, undo and redo (seed ${seed})`,
    async () => {
      let done = 0;
      for (const runs of batches()) {
        const results = await call<RunResult[]>('runAll', runs);
        for (const [i, { wrong, document, body, edits: some }] of results.entries()) {
          expect(wrong && JSON.stringify({ wrong, run: runs[i] })).toBeNull();
          const { sources, landmark } = runs[i]!;
          const { html } = renderDocument(document, sources, landmark ? { landmark } : {});
          // A published island element may contain other HTML than an unmarked one.
          if (!html.includes(' data-wb-island="')) expect(body).toBe(landmark ? html : pageMain(html));
          done += some;
        }
      }
      expect(done / documentsInAll).toBeGreaterThan(edits / 4);
    },
    Math.max(300_000, documentsInAll * 300),
  );

  test('keeps the pictures of a page while a text beside them changes, and another comes', async () => {
    const image = (id: string) => ({
      id,
      type: 'image',
      props: { specials: { src: '/media/1.png', alt: id } },
    });
    const document = {
      rootId: 'root',
      nodes: [
        { id: 'root', type: 'section', children: ['a', 'box', 'b'] },
        image('a'),
        { id: 'box', type: 'stack', children: ['title', 'c'] },
        { id: 'title', type: 'heading', props: { specials: { text: 'One' } } },
        image('c'),
        image('b'),
      ],
    };
    const empty = { sections: {}, apps: {}, products: {}, media: {}, pages: {}, appValues: [] };
    const sources: DocumentSources = { currency: 'EUR', ...empty };
    expect(await call('picturesAfterTyping', { document, sources })).toEqual({
      all: 3,
      afterText: 3,
      afterCopy: 3,
    });
  });
});
