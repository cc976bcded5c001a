import { fileURLToPath } from 'node:url';
import { pageStyle } from '@waybill/page';
import { eventually, hasChromium, launchChromium, startSystem, type TestSystem } from '@waybill/testing';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { content } from '../src/index.ts';
import { blockRef, createPage, heading, link, type Node, product, sectionRef, text } from './documents.ts';
import './editor-preview.ts';
import { naughtyStrings, xssVectors } from './hostile-content.ts';
import { createNeighbours, getSlug, makeProduct } from './neighbours.ts';
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
    // A page's content must be harmless by itself, not only because its policy stops it.
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
      /** Returns the groups of nodes that a document accepts, after checking that the others are refused properly. */
      async taken(groups: Node[][]): Promise<Node[][]> {
        const { status, body } = await edit('PUT', `/pages/${id}/draft`, {
          document: createPage(...groups.flat()),
        });
        if (status === 200) return groups;
        expect([status, body.code]).toEqual([400, expect.stringMatching(/^invalid_(document|body)$/)]);
        const half = Math.ceil(groups.length / 2);
        if (half === groups.length) return [];
        return [...(await this.taken(groups.slice(0, half))), ...(await this.taken(groups.slice(half)))];
      },
      publish: async () => expect((await api('POST', `/api/v1/pages/${id}/publish`)).status).toBe(200),
      async visit() {
        const response = await tab.goto(`${system.internalUrl}/s/${getSlug(storeId)}/`, {
          waitUntil: 'domcontentloaded',
        });
        expect(response?.status()).toBe(200);
      },
    };
  }

  test('a published page has the very bytes that the editor draws there of its canvas, in every locale', async () => {
    const store = await open();
    const picture = `mda_${'7'.repeat(26)}`;
    neighbours.assets.set(`${store.storeId}/${picture}`, {
      id: picture,
      kind: 'image',
      contentType: 'image/png',
      width: 1000,
      height: 500,
      alt: 'A “cup” of tea',
      focalPoint: { x: 0.25, y: 1 },
    });
    const tea = makeProduct('Tea “Été” <b>', 1290, { mediaIds: [picture] });
    neighbours.products.set(`${store.storeId}/${tea.id}`, tea);
    const appId = `app_${'7'.repeat(26)}`;
    const words = { specials: { text: 'authored' }, bindings: [{ source: 'app.k', field: 'specials.text' }] };
    neighbours.apps.set(store.storeId, [
      {
        appId,
        appName: 'App',
        versionId: 'ver_1',
        versionNumber: 1,
        choice: 1,
        connectOrigins: [],
        blocks: [
          {
            key: 'badge',
            name: 'Badge',
            rootId: 'w',
            nodes: [{ id: 'w', type: 'text', props: words, island: 'shine' }],
          },
        ],
        islands: [{ name: 'shine', moduleSha256: 'ab'.repeat(32) }],
      },
    ]);
    neighbours.appValues.set(store.storeId, [
      { appId, key: 'k', owner: 'site', ownerId: null, value: 'bound' },
    ]);
    const section = createPage(text('s', 'In the section'));
    const { id: sectionId } = (await store.edit('POST', '/sections', { name: 'S', document: section })).body
      .section;
    const sent = createPage(
      heading('h', 'Cafe\u0301 & more'),
      ...naughtyStrings.slice(0, 9).map((each, i) => text(`t${i}`, each)),
      {
        ...product('p', tea.id),
        children: [
          { id: 'i', type: 'productImage' },
          { id: 'n', type: 'productTitle' },
        ],
      },
      { id: 'm', type: 'image', props: { specials: { src: picture, alt: 'A picture' } } },
      {
        id: 'o',
        type: 'image',
        props: {
          config: { base: { ratio: '1/1' } },
          specials: { src: `/media/${store.storeId}/${picture}?w=320` },
        },
      },
      sectionRef('r', sectionId),
      blockRef('b', appId, 'badge'),
      link('l', store.id),
    );
    const { document } = (await store.edit('PUT', `/pages/${store.id}/draft`, { document: sent })).body;
    await store.publish();
    const entries = [
      ['node', `${store.id}:h`, 'text', 'Kaffee'],
      ['node', `${sectionId}:s`, 'text', 'Im Abschnitt'],
      ['product', tea.id, 'name', 'Tee'],
    ].map(([entityType, entityId, field, value]) => ({ locale: 'de', entityType, entityId, field, value }));
    await store.api('PUT', '/api/v1/translations', { entries });
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('./editor-preview.ts', import.meta.url))],
      bundle: true,
      format: 'iife',
      write: false,
    });
    const editor = await browser.newPage();
    await editor.addScriptTag({ content: outputFiles[0]!.text });
    for (const [path, locale, shown] of [
      ['', undefined, ['Café', 'In the section', 'bound', 'srcset=', 'data-wb-island=']],
      ['de/', 'de', ['Kaffee', 'Im Abschnitt', 'bound', 'Tee']],
    ] as const) {
      const canvas = await store.edit('POST', `/pages/${store.id}/canvas`, {
        document,
        ...(locale && { locale }),
      });
      expect(canvas.body.problems).toEqual([]);
      const json = JSON.stringify({ document, sources: canvas.body.sources });
      const { html, css } = await editor.evaluate((each) => drawn(each), json);
      const response = await (
        await fetch(`${system.internalUrl}/s/${getSlug(store.storeId)}/${path}`)
      ).text();
      expect(response).toContain(`<style>${pageStyle(css)}</style>`);
      expect(response).toContain(`\n<main>${html}</main>\n`);
      for (const each of shown) expect(html).toContain(each);
    }
  });

  test('of what tries to run on a live page, the platform’s scripts and the page’s own modules alone do', async () => {
    const store = await open();
    const appId = `app_${'8'.repeat(26)}`;
    const [own, another] = ['cd'.repeat(32), 'ef'.repeat(32)];
    neighbours.apps.set(store.storeId, [
      {
        appId,
        appName: 'App',
        versionId: 'ver_2',
        versionNumber: 1,
        choice: 1,
        connectOrigins: [],
        blocks: [
          {
            key: 'badge',
            name: 'Badge',
            rootId: 'w',
            nodes: [{ id: 'w', type: 'text', props: { specials: { text: 'x' } }, island: 'shine' }],
          },
        ],
        islands: [{ name: 'shine', moduleSha256: own }],
      },
    ]);
    await store.save(createPage(blockRef('b', appId, 'badge')));
    await store.publish();
    const address = `${system.internalUrl}/s/${getSlug(store.storeId)}/`;
    const live = await fetch(address);
    // The served page with everything that could be injected into it.
    const paths = [
      '/assets/wb.js',
      `/islands/${own}.js`,
      `/islands/${another}.js`,
      `/islands/dev/${store.storeId}/${another}.js`,
      `/islands/${own}.js/${another}.js`,
      '/media/upload.js',
      '/storefront/x',
      'https://elsewhere.example/x.js',
      'data:text/javascript,ran("data")',
    ];
    const scripts = paths.map((path) => `<script crossorigin src='${path}'></script>`).join('');
    const inline = `<script>ran("inline")</script><img src="data:," onerror="ran('handler')"><a href="javascript:ran('link')">x</a>`;
    const body = (await live.text()).replace('<main>', `${scripts}${inline}<main>`);
    expect(body).toContain(inline);
    const ran: string[] = [];
    const visitor = await (await browser.newContext()).newPage();
    await visitor.exposeFunction('ran', (what: string) => ran.push(what));
    await visitor.route('**/*', async (route) => {
      const url = route.request().url();
      const headers = { 'access-control-allow-origin': '*' };
      if (url === address) await route.fulfill({ headers: Object.fromEntries(live.headers), body });
      else {
        const script = `ran(${JSON.stringify(url.replace(system.internalUrl, ''))})`;
        await route.fulfill({ headers, contentType: 'text/javascript', body: script });
      }
    });
    await visitor.goto(address, { waitUntil: 'load' });
    await visitor.getByText('x', { exact: true }).first().click();
    await eventually(() => ran.length >= 2);
    // Anything that the browser has not run by this answer will never run.
    await visitor.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    expect([...new Set(ran)].sort()).toEqual(['/assets/shop.js', '/assets/wb.js', `/islands/${own}.js`]);
  });

  /** Builds a node with the text in every kind of field that accepts one. */
  const createNodes = (value: string, i: number): Node[] => [
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
  const createUrlNodes = (value: string, i: number): Node[] => [
    { id: `link-${i}`, type: 'button', props: { specials: { text: 'x', href: value.slice(0, 2048) } } },
    { id: `picture-${i}`, type: 'image', props: { specials: { src: value.slice(0, 2048) } } },
  ];

  /** Script in the page: uses everything on it that could start a script. */
  const useEverything = `(async () => {
    addEventListener('click', (event) => {
      const link = event.target.closest('a');
      if (link?.protocol !== 'javascript:') event.preventDefault();
    }, true);
    addEventListener('submit', (event) => event.preventDefault(), true);
    for (const picture of document.images) picture.loading = 'eager';
    await Promise.allSettled([...document.images].map((picture) => picture.decode()));
    for (const element of document.querySelectorAll('body *')) { element.click?.(); element.focus(); }
  })()`;

  test.each([
    ['text', createNodes],
    ['URL', createUrlNodes],
  ])(
    'no XSS vector and no naughty string runs as a %s, and none is a 5xx',
    async (_kind, nodes) => {
      const store = await open();
      const all = texts.map((value, i) => nodes(value, i));
      const taken: Node[][] = [];
      for (let i = 0; i < all.length; i += 64) taken.push(...(await store.taken(all.slice(i, i + 64))));
      expect(taken.length).toBeGreaterThan(texts.length / 4);
      for (let i = 0; i < taken.length; i += 100) {
        expect(await store.save(createPage(...taken.slice(i, i + 100).flat()))).toBe(200);
        await store.publish();
        await store.visit();
        await tab.evaluate(useEverything);
        expect(alerts.splice(0)).toEqual([]);
      }
    },
    300_000,
  );

  /** Expression that returns the elements of each page's head, as the browser parses the page. */
  const readHeads = (pages: readonly string[]) => `${JSON.stringify(pages)}.map((html) =>
    [...new DOMParser().parseFromString(html, 'text/html').head.children].map((each) => each.localName).join())`;

  test('nor as a name, a title, a description or a language', async () => {
    const store = await open();
    await store.save(createPage());
    await store.publish();
    const shown: { value: string; html: string }[] = [];
    for (const [i, value] of texts.entries()) {
      const change = {
        name: value.slice(0, 200),
        settings: {
          ...(i % 2 ? { title: value, description: value } : { seo: { title: value, description: value } }),
          lang: value,
        },
      };
      const { status } = await store.api('PATCH', `/api/v1/pages/${store.id}`, change);
      expect([value, status < 500]).toEqual([value, true]);
      if (status !== 200) continue;
      const html = await (await fetch(`${system.internalUrl}/s/${getSlug(store.storeId)}/`)).text();
      expect([value, html.split('<body').length]).toEqual([value, 2]);
      shown.push({ value, html });
    }
    const pages = shown.map(({ html }) => html);
    const heads = await tab.evaluate<string[]>(readHeads(pages));
    for (const [i, { value }] of shown.entries())
      expect([value, heads[i]]).toEqual([
        value,
        expect.stringMatching(/^meta,meta,title,(meta,)?link,(meta,)+link,(script,)*style(,style)?$/),
      ]);
    // Frames of one page: the browser would need ten times as long to go to each page.
    const showInFrames = (documents: readonly string[]) => {
      const sources = documents.map((html) => html.replaceAll('&', '&amp;').replaceAll('"', '&quot;'));
      const frames = sources.map((source) => `<iframe srcdoc="${source}"></iframe>`);
      return tab.setContent(frames.join(''), { waitUntil: 'load' });
    };
    await showInFrames(['<script>alert("a frame")</script>']);
    expect(alerts.splice(0)).toEqual(['a frame']);
    const some = pages.filter((_, i) => i % 5 === 0);
    for (let i = 0; i < some.length; i += 50) {
      await showInFrames(some.slice(i, i + 50));
      expect(alerts).toEqual([]);
    }
  }, 300_000);
});
