import { fileURLToPath } from 'node:url';
import { hasChromium, launchChromium, startSystem, type TestSystem } from '@waybill/testing';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { content } from '../src/index.ts';
import { heading, link, type Node, pageOf, product, sectionRef, text } from './documents.ts';
import type { Preview } from './editor-preview.ts';
import { naughtyStrings, xssVectors } from './hostile-content.ts';
import { createNeighbours, makeProduct, slugOf } from './neighbours.ts';
import { newStore } from './store.ts';

const neighbours = createNeighbours();
const texts = [...new Set([...xssVectors, ...naughtyStrings])];
const inChromium = hasChromium('live pages in a browser') ? describe : describe.skip;

inChromium('live pages in Chromium', () => {
  let system: TestSystem;
  let browser: Browser;
  let tab: Page;
  const alerts: string[] = [];
  beforeAll(async () => {
    system = await startSystem([content, ...neighbours.services], {
      PUBLIC_BASE_URL: 'https://shop.example',
    });
    browser = await launchChromium();
    // What a page holds must be harmless by itself, not only because its policy stops it.
    tab = await (await browser.newContext({ bypassCSP: true })).newPage();
    tab.on('dialog', async (dialog) => {
      alerts.push(dialog.message());
      await dialog.dismiss();
    });
    await tab.route('**/*', (route) => {
      const isPage = route.request().url().startsWith(`${system.internalUrl}/s/`);
      return isPage && route.request().isNavigationRequest() ? route.continue() : route.abort();
    });
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
  });

  async function open() {
    const store = await newStore(system);
    const { api, edit, storeId } = store;
    const { id } = (await api('POST', '/api/v1/pages', { name: 'Home' })).body.page;
    return {
      ...store,
      id: id as string,
      save: async (document: unknown) => (await edit('PUT', `/pages/${id}/draft`, { document })).status,
      /** Those of these groups of nodes that a document may hold: what is refused is refused as such. */
      async taken(groups: Node[][]): Promise<Node[][]> {
        const { status, body } = await edit('PUT', `/pages/${id}/draft`, {
          document: pageOf(...groups.flat()),
        });
        if (status === 200) return groups;
        expect([status, body.code]).toEqual([400, expect.stringMatching(/^invalid_(document|body)$/)]);
        const half = Math.ceil(groups.length / 2);
        if (half === groups.length) return [];
        return [...(await this.taken(groups.slice(0, half))), ...(await this.taken(groups.slice(half)))];
      },
      publish: async () => expect((await api('POST', `/api/v1/pages/${id}/publish`)).status).toBe(200),
      async visit() {
        const response = await tab.goto(`${system.internalUrl}/s/${slugOf(storeId)}/`, {
          waitUntil: 'domcontentloaded',
        });
        expect(response?.status()).toBe(200);
      },
    };
  }

  test("the response's bytes are those that the editor's preview computes there", async () => {
    const store = await open();
    const tea = makeProduct('Tea “Été” <b>', 1290);
    neighbours.products.set(`${store.storeId}/${tea.id}`, tea);
    const section = pageOf(text('s', 'In the section'));
    const { id: sectionId } = (await store.edit('POST', '/sections', { name: 'S', document: section })).body
      .section;
    const document = pageOf(
      heading('h', 'Café & more'),
      ...naughtyStrings.slice(0, 9).map((each, i) => text(`t${i}`, each)),
      product('p', tea.id),
      sectionRef('r', sectionId),
      link('l', store.id),
    );
    await store.save(document);
    await store.publish();
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('./editor-preview.ts', import.meta.url))],
      bundle: true,
      format: 'iife',
      write: false,
    });
    const editor = await browser.newPage();
    await editor.addScriptTag({ content: outputFiles[0]!.text });
    const { name, priceCents, variants } = tea;
    const preview: Preview = {
      document: (await store.edit('GET', `/pages/${store.id}/draft`)).body.document,
      sections: { [sectionId]: section },
      facts: {
        currency: 'EUR',
        products: { [tea.id]: { id: tea.id, name, priceCents, variants } },
        media: {},
        pages: { [store.id]: './' },
      },
      head: {
        title: `Home – Store ${slugOf(store.storeId)}`,
        lang: 'en',
        canonicalUrl: `https://shop.example/s/${slugOf(store.storeId)}/`,
      },
    };
    const computed = await editor.evaluate((json) => previewOf(JSON.parse(json)), JSON.stringify(preview));
    const response = await fetch(`${system.internalUrl}/s/${slugOf(store.storeId)}/`);
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(computed))).toBe(true);
    expect(computed).toContain('In the section');
  });

  /** A text in every kind of field that takes one. */
  const nodesOf = (value: string, i: number): Node[] => [
    text(`text-${i}`, value),
    heading(`heading-${i}`, value),
    { id: `list-${i}`, type: 'list', props: { specials: { items: [value.slice(0, 2000)] } } },
    {
      id: `image-${i}`,
      type: 'image',
      props: { specials: { src: 'https://example.com/x.png', alt: value.slice(0, 500) } },
    },
    {
      id: `field-${i}`,
      type: 'field',
      props: { specials: { label: value.slice(0, 200), placeholder: value.slice(0, 200) } },
    },
    {
      id: `button-${i}`,
      type: 'button',
      props: {
        specials: {
          text: value,
          href: { type: 'url', url: 'https://example.com' },
          ariaLabel: value.slice(0, 200),
        },
      },
    },
  ];
  const urlNodesOf = (value: string, i: number): Node[] => [
    { id: `link-${i}`, type: 'button', props: { specials: { text: 'x', href: value.slice(0, 2048) } } },
    { id: `picture-${i}`, type: 'image', props: { specials: { src: value.slice(0, 2048) } } },
  ];

  /** Uses everything on the page that could start a script. */
  const useEverything = `(async () => {
    addEventListener('click', (event) => {
      const link = event.target.closest('a');
      if (link?.protocol !== 'javascript:') event.preventDefault();
    }, true);
    addEventListener('submit', (event) => event.preventDefault(), true);
    for (const picture of document.images) picture.loading = 'eager';
    await Promise.allSettled([...document.images].map((picture) => picture.decode()));
    for (const element of document.querySelectorAll('body *')) { element.click(); element.focus(); }
  })()`;

  test.each([
    ['text', nodesOf],
    ['URL', urlNodesOf],
  ])(
    'no XSS vector and no naughty string runs as a %s, and none is a 5xx',
    async (_kind, nodes) => {
      const store = await open();
      const all = texts.map((value, i) => nodes(value, i));
      const taken: Node[][] = [];
      for (let i = 0; i < all.length; i += 64) taken.push(...(await store.taken(all.slice(i, i + 64))));
      expect(taken.length).toBeGreaterThan(texts.length / 4);
      for (let i = 0; i < taken.length; i += 100) {
        expect(await store.save(pageOf(...taken.slice(i, i + 100).flat()))).toBe(200);
        await store.publish();
        await store.visit();
        await tab.evaluate(useEverything);
        expect(alerts.splice(0)).toEqual([]);
      }
    },
    300_000,
  );

  test('nor as a name, a title, a description or a language', async () => {
    const store = await open();
    await store.save(pageOf());
    await store.publish();
    for (const [i, value] of texts.entries()) {
      const change = {
        name: value.slice(0, 200),
        settings: { title: value, description: value, lang: value },
      };
      const { status } = await store.api('PATCH', `/api/v1/pages/${store.id}`, change);
      expect([value, status < 500]).toEqual([value, true]);
      if (status !== 200) continue;
      const html = await (await fetch(`${system.internalUrl}/s/${slugOf(store.storeId)}/`)).text();
      expect([value, html.split('<body').length]).toEqual([
        value,
        value.includes('<body') ? html.split('<body').length : 2,
      ]);
      if (i % 5 > 0) continue;
      await store.visit();
      const inHead = await tab.evaluate('[...document.head.children].map((each) => each.localName).join()');
      expect([value, inHead]).toEqual([value, expect.stringMatching(/^meta,meta,title,(meta,)?link,style$/)]);
    }
    expect(alerts.splice(0)).toEqual([]);
  }, 300_000);
});
