import fc from 'fast-check';
import { HtmlValidate } from 'html-validate';
import {
  type Block,
  checkDocument,
  materialise,
  type PageDocument,
  type PageFacts,
  pageHtml,
  render,
  renderDocument,
  resolve,
  vocabulary,
} from '../src/index.ts';
import { shopFacts, shopPage } from '../testing/shop.ts';
import { blocks, documents } from './arbitraries.ts';
import { createFacts } from './case.ts';
import { everyElementPage } from './samples/every-element.ts';

const seed = Number(process.env.SEED) || Math.trunc(performance.timeOrigin);
const validator = new HtmlValidate({ extends: ['html-validate:standard'] });

async function findProblems(document: PageDocument, facts: PageFacts, block?: Block): Promise<string[]> {
  const tree = materialise(document, { sections: new Map(), block: () => block, publish: true });
  if (!tree) return [];
  const html = pageHtml({
    title: 'Demo Tea',
    lang: 'en',
    description: 'Tea from gardens we know by name',
    canonicalUrl: 'https://demo.test/',
    alternates: [{ lang: 'de', url: 'https://demo.test/de/' }],
    islands: [{ name: 'app.app_1.stars', src: '/islands/1.js', integrity: `sha256-${'A'.repeat(43)}=` }],
    ...render(resolve(tree, facts)),
  });
  const { results } = await validator.validateString(html);
  return results
    .flatMap(({ messages }) => messages)
    .map(({ ruleId, message, line, column }) => `${line}:${column} ${ruleId}: ${message}`);
}

const empty: PageFacts = { currency: 'EUR', products: new Map(), media: new Map(), pages: new Map() };

describe('the HTML of a page is valid', () => {
  test('of a whole shop', async () => {
    expect(checkDocument(vocabulary, shopPage)).toEqual([]);
    expect(await findProblems(shopPage, shopFacts)).toEqual([]);
  });

  test('of a shop whose products and pictures are all gone', async () => {
    expect(await findProblems(shopPage, empty)).toEqual([]);
  });

  test('of every element, in use', async () => {
    expect(checkDocument(vocabulary, everyElementPage)).toEqual([]);
    expect(await findProblems(everyElementPage, shopFacts)).toEqual([]);
  });

  test(`of random documents (seed ${seed})`, async () => {
    const facts = createFacts({ words: ['Tea', 'Cup', 'Pot', 'about', 'Fresh', 'Good', 'Tee'] });
    const [block] = fc.sample(blocks, { seed, numRuns: 1 });
    for (const document of fc.sample(documents, { seed, numRuns: 150 })) {
      expect(await findProblems(document, facts, block as Block)).toEqual([]);
    }
  });

  test('of every element as it is when it is new', async () => {
    const types = Object.keys(vocabulary.elementTypes).filter(
      (type) => !vocabulary.elementTypes[type]!.documentOnly,
    );
    const nodes = types.map((type, i) => ({ id: `n${i}`, type }));
    const root = { id: 'root', type: 'section', children: ['title', ...nodes.map(({ id }) => id)] };
    const title = { id: 'title', type: 'heading', props: { specials: { text: 'Title', level: 1 } } };
    const document = { rootId: 'root', nodes: [root, title, ...nodes] };
    expect(checkDocument(vocabulary, document)).toEqual([]);
    expect(await findProblems(document, empty)).toEqual([]);
  });

  test('of a block with an island', async () => {
    const block: Block = {
      key: 'reviews',
      name: 'Reviews',
      rootId: 'box',
      nodes: [
        { id: 'box', type: 'container', children: ['title', 'stars'] },
        { id: 'title', type: 'heading', props: { specials: { text: 'Reviews', level: 1 } } },
        { id: 'stars', type: 'text', island: 'stars', props: { specials: { text: 'Four of "5"' } } },
      ],
    };
    const specials = { appId: 'app_1', blockKey: 'reviews' };
    const document = { rootId: 'ref', nodes: [{ id: 'ref', type: 'blockRef', props: { specials } }] };
    expect(await findProblems(document, empty, block)).toEqual([]);
  });
});

test.each([
  ['en', '<html lang="en">'],
  ['ar', '<html lang="ar" dir="rtl">'],
  ['he-IL', '<html lang="he-IL" dir="rtl">'],
  ['uz-Arab', '<html lang="uz-Arab" dir="rtl">'],
  ['sd-Deva-IN', '<html lang="sd-Deva-IN">'],
])('a page in %s says which way it is written: %s', (lang, start) => {
  expect(pageHtml({ title: 'x', html: '', css: '', lang })).toContain(`${start}\n`);
});

describe('on a canvas', () => {
  const sources = { currency: 'EUR', sections: {}, products: {}, media: {}, pages: {}, appValues: [] };
  const island: Block = {
    key: 'reviews',
    name: 'Reviews',
    rootId: 'a/b',
    nodes: [{ id: 'a/b', type: 'text', island: 'stars', props: { specials: { text: '' } } }],
  };
  const apps = { app_1: { blocks: { reviews: island } } };
  const nodeAttribute = / data-wb-node="([^"]*)"/g;
  const islandAttribute = / data-wb-(?:island|props)="[^"]*"/g;

  test.each([
    ['every element', everyElementPage],
    ['a shop', shopPage],
    [
      'a block with an island',
      {
        rootId: 'root',
        nodes: [
          { id: 'root', type: 'section', children: ['ref'] },
          { id: 'ref', type: 'blockRef', props: { specials: { appId: 'app_1', blockKey: 'reviews' } } },
        ],
      } as PageDocument,
    ],
  ])('%s says which nodes it shows, marks no islands, and is the same otherwise', (_what, document) => {
    const published = renderDocument(document, { ...sources, apps });
    const drawn = renderDocument(document, { ...sources, apps }, { canvas: true });
    expect(drawn.html.replaceAll(nodeAttribute, '')).toBe(published.html.replaceAll(islandAttribute, ''));
    expect(drawn.css).toBe(published.css);
    expect(drawn.html).not.toMatch(islandAttribute);
    const nodes = [...drawn.html.matchAll(nodeAttribute)].map(([, path]) => path);
    expect(new Set(nodes).size).toBe(nodes.length);
    expect(nodes[0]).toBe(document.rootId);
    expect(nodes.at(-1)).toBe(published.html.match(islandAttribute) ? 'ref/a~1b' : nodes.at(-1));
    expect(published.html).not.toMatch(nodeAttribute);
  });
});
