import { setTimeout as sleep } from 'node:timers/promises';
import { AssetChanged, newId, ProductCreated, ProductUpdated } from '@waybill/contracts';
import { ownOriginHeader } from '@waybill/kernel';
import { renderDocument } from '@waybill/page';
import {
  countStatements,
  eventually,
  isOnCitus,
  openTestDatabase,
  startSystem,
  type TestSystem,
  waitUntilBlocked,
} from '@waybill/testing';
import request from 'supertest';
import { upsertThemeDraft } from '../src/editing/theme/queries.ts';
import { content } from '../src/index.ts';
import { pruneHistory } from '../src/publication/history/prune.ts';
import type { Tables } from '../src/tables.ts';
import { blockRef, createPage, heading, type Node, product, text } from './documents.ts';
import { createNeighbours, getSlug, makeProduct } from './neighbours.ts';
import { newStore } from './store.ts';

const neighbours = createNeighbours();
let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content, ...neighbours.services], {
    PUBLIC_BASE_URL: 'https://shop.example',
  });
});
afterEach(() => {
  neighbours.down.clear();
  neighbours.whileAsked = null;
});
afterAll(() => system.stop());

const html = { accept: 'text/html' };

async function open() {
  const store = await newStore(system);
  const { storeId, api, edit, asMember } = store;
  const slug = getSlug(storeId);
  const facts = {
    id: storeId,
    name: `Store ${slug}`,
    slug,
    currency: 'EUR',
    locales: null,
    isDevelopment: false,
  };
  neighbours.stores.set(storeId, facts);
  const visit = (path: string, headers: Record<string, string> = html) =>
    request(system.internalUrl).get(`/s/${slug}${path}`).redirects(0).set(headers);
  const set = (product: ReturnType<typeof makeProduct>) =>
    neighbours.products.set(`${storeId}/${product.id}`, product);
  return {
    ...store,
    slug,
    visit,
    admin: asMember('admin'),
    /** Sets a product in catalog, and announces it to content unless told otherwise. */
    async put(name: string, change: Parameters<typeof makeProduct>[2] = {}, isTold = true) {
      const product = makeProduct(name, 900, change);
      set(product);
      if (isTold) await neighbours.tell(ProductCreated, storeId, { product });
      return product;
    },
    async change(product: ReturnType<typeof makeProduct>, change: object) {
      const changed = { ...product, ...change, updatedAt: new Date().toISOString() };
      set(changed);
      await neighbours.tell(ProductUpdated, storeId, { product: changed });
    },
    async live(name: string, document: unknown, input: object = {}) {
      const { id } = (await api('POST', '/api/v1/pages', { name, ...input })).body.page;
      expect((await edit('PUT', `/pages/${id}/draft`, { document })).status).toBe(200);
      expect((await api('POST', `/api/v1/pages/${id}/publish`)).status).toBe(200);
      return id as string;
    },
    async template(kind: string, document: unknown) {
      const saved = await edit('PUT', `/templates/${kind}/draft`, { document });
      expect([saved.status, saved.body.warnings]).toEqual([200, []]);
      expect((await edit('POST', `/templates/${kind}/publish`)).status).toBe(200);
    },
    shows: (path: string, what: string, not = false) =>
      eventually(async () => (await visit(path)).text.includes(what) !== not, {
        what: `${path} to show ${not ? 'no ' : ''}${what}`,
      }),
  };
}

const list = (type: string, child: string, specials = {}): Node => ({
  id: 'list',
  type,
  props: { specials },
  children: [{ id: 'card', type: child }],
});

describe('the page of a product', () => {
  test('is valid HTML at the address of each active product, before and after its event', async () => {
    const store = await open();
    const description = '<p>Picked by <b>hand</b>.</p>';
    await store.put('Sencha', { slug: 'sencha', description }, false);
    await store.put('Draft', { slug: 'draft', status: 'draft' });
    const { status, headers, text: shown } = await store.visit('/products/sencha');
    expect(status).toBe(200);
    expect(shown).toContain('<h1 class="wb-heading wb-product-title">Sencha</h1>');
    expect(shown).toContain(description);
    expect(shown).toContain('€9.00');
    expect(shown).toContain('<meta name="description" content="Picked by hand.">');
    const canonical = `https://shop.example/s/${store.slug}/products/sencha`;
    expect(shown).toContain(`<link rel="canonical" href="${canonical}">`);
    expect(shown).toContain(
      '<li><a href="../">Home</a></li><li><span aria-current="page">Sencha</span></li>',
    );
    const again = await store.visit('/products/sencha', { 'if-none-match': headers.etag as string });
    expect(again.status).toBe(304);
    expect((await store.visit('/products/draft')).status).toBe(404);
    expect((await store.visit('/products/none')).status).toBe(404);
    expect((await store.visit('/products/Sencha')).status).toBe(404);
    expect((await store.visit('/products/sencha/?a=1')).headers.location).toBe(
      `/s/${store.slug}/products/sencha?a=1`,
    );
  });

  test('changes within seconds of the product, and is deleted with it', async () => {
    const store = await open();
    const product = await store.put('Sencha', { slug: 'sencha' });
    const first = await store.visit('/products/sencha');
    await store.change(product, { variants: [{ ...product.variants[0]!, stock: 0 }] });
    await store.shows('/products/sencha', 'Sold out');
    expect(
      (await store.visit('/products/sencha', { 'if-none-match': first.headers.etag as string })).status,
    ).toBe(200);
    await store.change(product, { status: 'archived' });
    await eventually(async () => (await store.visit('/products/sencha')).status === 404, {
      what: 'it to go',
    });
  });

  test('shows the product’s pictures, and follows their changes', async () => {
    const store = await open();
    const id = `mda_${'1'.repeat(26)}`;
    const asset = { id, contentType: 'image/png', width: 900, height: 600, alt: 'Leaves', focalPoint: null };
    neighbours.assets.set(`${store.storeId}/${id}`, asset as never);
    await store.put('Sencha', { slug: 'sencha', mediaIds: [id] });
    expect((await store.visit('/products/sencha')).text).toContain('alt="Leaves"');
    neighbours.assets.set(`${store.storeId}/${id}`, { ...asset, alt: 'A cup' } as never);
    await neighbours.tell(AssetChanged, store.storeId, { assetId: id } as never);
    await store.shows('/products/sencha', 'alt="A cup"');
  });

  test('is cached, stays while catalog is unavailable, and needs one query', async () => {
    const store = await open();
    await store.put('Sencha', { slug: 'sencha' });
    await store.shows('/products/sencha', 'Sencha');
    const { text: first } = await store.visit('/products/sencha');
    const requestCount = neighbours.requestCounts.get('/internal/shop/product');
    expect((await store.visit('/products/sencha')).text).toBe(first);
    expect(neighbours.requestCounts.get('/internal/shop/product')).toBe(requestCount);
    // Tasks run statements too; at least one of the visits costs one.
    const counts: number[] = [];
    for (let i = 0; i < 6; i++)
      counts.push(await countStatements(async () => store.visit('/products/sencha')));
    // On a cluster the slug's store is looked up first.
    expect(Math.min(...counts)).toBe(isOnCitus ? 2 : 1);
    neighbours.down.add('catalog');
    try {
      await store.api('POST', '/api/v1/pages', { name: 'Any' });
      expect((await store.visit('/products/sencha')).text).toBe(first);
    } finally {
      neighbours.down.delete('catalog');
    }
  });

  test('is available in each language of the store', async () => {
    const store = await open();
    const { id } = await store.put('Sencha', { slug: 'sencha', description: '<p>Green</p>' });
    const value = (field: string, text: string) => ({
      entityType: 'product',
      entityId: id,
      locale: 'de',
      field,
      value: text,
    });
    const entries = [
      value('name', 'Grüner Tee'),
      value('description', '<p>Grün<script>alert(1)</script></p>'),
    ];
    expect((await store.api('PUT', '/api/v1/translations', { entries })).status).toBe(200);
    const { text: shown } = await store.visit('/de/products/sencha');
    expect(shown).toContain('<html lang="de">');
    expect(shown).toContain('>Grüner Tee</h1>');
    expect(shown).toContain('<p>Grün</p>');
    expect(shown).toContain('9,00&nbsp;€');
    expect(shown).toContain('<li><a href="../">Start</a></li>');
    expect((await store.visit('/fr/products/sencha')).status).toBe(404);
  });
});

describe('a template', () => {
  test('can be saved, published and reset, and its default can be edited', async () => {
    const store = await open();
    await store.put('Sencha', { slug: 'sencha' });
    const { body } = await store.edit('GET', '/templates/product/draft');
    expect(body.document.nodes.map(({ type }: Node) => type)).toContain('productDescription');
    expect(body.draft).toEqual({ revision: 0, savedAt: null, savedBy: null });
    expect((await store.edit('POST', '/templates/product/publish')).body.code).toBe('nothing_to_publish');
    const mine = createPage({ id: 'title', type: 'productTitle' }, text('word', 'Our own words'));
    await store.template('product', mine);
    await store.shows('/products/sencha', 'Our own words');
    expect((await store.edit('GET', '/templates/product/draft')).body.document).toEqual(mine);
    const state = (await store.edit('GET', '/templates')).body;
    expect(state.total).toBe(8);
    expect(state.templates.find(({ kind }: { kind: string }) => kind === 'product')).toEqual({
      kind: 'product',
      live: true,
      hasDraft: false,
      hasChanges: false,
      publishedAt: expect.any(String),
    });
    const { template } = (await store.edit('GET', '/templates/product')).body;
    expect(state.templates).toContainEqual(template);
    for (const [document, hasChanges] of [
      [createPage(text('word', 'Other words')), true],
      [mine, false],
    ] as const) {
      expect((await store.edit('PUT', '/templates/product/draft', { document })).status).toBe(200);
      expect((await store.edit('GET', '/templates/product')).body.template).toEqual({
        ...template,
        hasDraft: true,
        hasChanges,
      });
    }
    expect((await store.edit('GET', '/templates/sidebar')).status).toBe(404);
    expect((await store.edit('DELETE', '/templates/product')).status).toBe(204);
    await store.shows('/products/sencha', 'Our own words', true);
    expect((await store.edit('DELETE', '/templates/product')).status).toBe(204);
  });

  test('has a history that survives a reset, and can be restored', async () => {
    const store = await open();
    const first = createPage(text('w', 'First words'));
    await store.template('footer', first);
    await store.template('footer', createPage(text('w', 'Second words')));
    expect((await store.edit('DELETE', '/templates/footer')).status).toBe(204);
    const db = await openTestDatabase<Tables>(system.databaseUrl('content'));
    // Histories are pruned in steps.
    while (await pruneHistory({ transaction: (work) => db.transaction().execute(work) }));
    await db.destroy();
    const history = '/templates/footer/revisions';
    const { body } = await store.edit('GET', history);
    // Saves by one user within a minute count as one.
    expect(body.revisions.map(({ kind }: { kind: string }) => kind)).toEqual([
      'published',
      'draft',
      'published',
    ]);
    const oldest = `${history}/${body.revisions.at(-1).id}`;
    expect((await store.edit('GET', oldest)).body.document).toEqual(first);
    expect((await store.edit('POST', `${oldest}/restore`)).body.document).toEqual(first);
    expect((await store.edit('GET', '/templates/footer/draft')).body.document).toEqual(first);
    expect((await store.edit('GET', '/templates/header/revisions')).body.revisions).toEqual([]);
    expect((await store.edit('GET', '/templates/sidebar/revisions')).status).toBe(404);
    expect((await store.edit('GET', `/templates/header/revisions/${body.revisions[0].id}`)).status).toBe(404);
    expect((await store.asMember('viewer')('POST', `${oldest}/restore`)).status).toBe(403);
  });

  test('is drawn and previewed with a product, byte for byte as the live page, or without one', async () => {
    const store = await open();
    const document = createPage({ id: 'name', type: 'productTitle' }, text('w', 'Our words'));
    const empty = await store.edit('POST', '/templates/product/canvas', { document });
    expect([empty.status, empty.body.shownWith]).toEqual([200, null]);
    expect((await store.edit('POST', '/templates/product/preview', { document })).text).toContain(
      'Our words',
    );
    const sencha = await store.put('Sencha', { slug: 'sencha', description: '<p>Green.</p>' });
    const canvas = (await store.edit('POST', '/templates/product/canvas', { document })).body;
    expect(canvas.shownWith).toEqual({ type: 'product', id: sencha.id, name: 'Sencha' });
    const bancha = await store.put('Bancha', { slug: 'bancha' });
    const chosen = { document, productId: bancha.id };
    const { body } = await store.edit('POST', '/templates/product/canvas', chosen);
    expect([body.shownWith.name, body.problems]).toEqual(['Bancha', []]);
    const { html } = renderDocument(document, body.sources);
    expect(html).toContain('>Bancha<');
    const preview = await store.edit('POST', '/templates/product/preview', chosen);
    expect(preview.text).toContain(html);
    expect(preview.headers['content-security-policy']).toContain('sandbox');
    await store.template('product', document);
    expect((await store.visit('/products/bancha')).text).toBe(preview.text);
    const wrong = { document: createPage({ id: 'x', type: 'none' }) };
    expect((await store.edit('POST', '/templates/product/preview', wrong)).body.code).toBe(
      'invalid_document',
    );
    const reported = (await store.edit('POST', '/templates/product/canvas', wrong)).body.problems;
    expect(reported[0]).toMatchObject({ pointer: '/document/nodes/1/type', code: 'invalid_document' });
    expect((await store.edit('POST', '/templates/sidebar/canvas', { document })).status).toBe(404);
  });

  test('of an article is previewed with an article, of the header around the homepage, others as their page', async () => {
    const store = await open();
    await store.live('Home', createPage(heading('h', 'Welcome home')));
    const said = { title: 'Of tea', content: '<p>Long ago.</p>', status: 'published' };
    const { article } = (await store.api('POST', '/api/v1/articles', said)).body;
    const look = async (kind: string, ...children: Node[]) => {
      const document = createPage(...children);
      const drawn = await store.edit('POST', `/templates/${kind}/canvas`, { document });
      const shown = await store.edit('POST', `/templates/${kind}/preview`, { document });
      expect([kind, drawn.status, shown.status]).toEqual([kind, 200, 200]);
      const landmark = kind === 'header' || kind === 'footer' ? { landmark: kind } : {};
      return {
        shown: shown.text,
        shownWith: drawn.body.shownWith,
        html: renderDocument(document, drawn.body.sources, landmark as object).html,
      };
    };
    const title: Node = { id: 't', type: 'articleTitle' };
    const ofArticle = await look('article', title, { id: 'b', type: 'articleBody' });
    expect(ofArticle.shownWith).toEqual({ type: 'article', id: article.id, name: 'Of tea' });
    expect(ofArticle.html).toContain('<p>Long ago.</p>');
    expect(ofArticle.shown).toContain(ofArticle.html);
    const header = await look('header', text('w', 'Everywhere'));
    expect(header.shown).toMatch(/<header class="wb-site-header">[\s\S]*Everywhere[\s\S]*Welcome home/);
    const blog = await look('blog', {
      ...list('articleList', 'articleTitle'),
      props: { specials: { limit: 3 } },
    });
    expect(blog.shown).toContain(blog.html);
    expect(blog.html).toContain('Of tea');
    for (const kind of ['search', 'notFound']) {
      const { shown, html } = await look(kind, text('w', 'Own words'), { id: 's', type: 'searchField' });
      expect(shown).toContain(html);
    }
    // Nothing of it was stored.
    const { templates } = (await store.edit('GET', '/templates')).body;
    expect(templates.some(({ hasDraft }: { hasDraft: boolean }) => hasDraft)).toBe(false);
  });

  test('surrounds an article’s preview, but not a builder article’s', async () => {
    const store = await open();
    const draft = { title: 'Not yet', slug: 'not-yet', content: '<p>Soon.</p>', status: 'draft' };
    const { article } = (await store.api('POST', '/api/v1/articles', draft)).body;
    const at = `/articles/${article.id}`;
    const preview = async (body: object = {}) => (await store.edit('POST', `${at}/preview`, body)).text;
    const html = await preview();
    expect(html).toContain('<p>Soon.</p>');
    expect((await store.visit('/blog/not-yet')).status).toBe(404);
    const document = createPage(heading('h', 'Built'));
    const built = await preview({ document });
    expect(built).toContain('Built');
    expect(built).not.toContain('Soon.');
    const drawn = (await store.edit('POST', `${at}/canvas`, { document })).body;
    expect(built).toContain(renderDocument(document, drawn.sources).html);
    expect(await preview()).toContain('<p>Soon.</p>');
    await store.edit('PUT', `${at}/document`, { document });
    await store.api('POST', `/api/v1/articles/${article.id}/publish`);
    expect(await preview()).toBe((await store.visit('/blog/not-yet')).text);
    expect((await store.edit('POST', `/articles/art_${'0'.repeat(26)}/preview`)).status).toBe(404);
  });

  test('refuses invalid documents, unknown kinds and members without the right to write', async () => {
    const store = await open();
    const refused = await store.edit('PUT', '/templates/header/draft', {
      document: createPage({ id: 'x', type: 'none' }),
    });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_document']);
    expect((await store.edit('GET', '/templates/sidebar/draft')).status).toBe(404);
    expect(
      (await store.asMember('viewer')('PUT', '/templates/header/draft', { document: createPage() })).status,
    ).toBe(403);
  });

  test('of the default header links the pages in their order', async () => {
    const store = await open();
    const [, , last] = [
      await store.live('Home', createPage(text('t', 'Here'))),
      await store.live('About', createPage(text('t', 'Here'))),
      await store.live('Contact', createPage(text('t', 'Here'))),
    ];
    const menu = async (path: string) =>
      [...(await store.visit(path)).text.split('<main>')[0]!.matchAll(/<a href="\.\/(about|contact)">/g)].map(
        ([, to]) => to,
      );
    for (const path of ['/', '/cart']) expect(await menu(path)).toEqual(['about', 'contact']);
    await store.api('PATCH', `/api/v1/pages/${last}`, { position: 0 });
    for (const path of ['/', '/cart']) expect(await menu(path)).toEqual(['contact', 'about']);
  });

  test('of header and footer is on every page that does not hide it, and links the store’s pages', async () => {
    const store = await open();
    await store.live('Home', createPage(heading('h', 'Hi')));
    const bare = await store.live('Bare', createPage(), { settings: { layout: 'none' } });
    const about = await store.live('About', createPage());
    const { text: shown } = await store.visit('/');
    expect(shown).toMatch(
      /<header class="wb-site-header">[\s\S]*<main>[\s\S]*<\/main>\n<footer class="wb-site-footer">/,
    );
    expect(shown).toContain(`<a class="wb-link" href="./">Store ${store.slug}</a>`);
    expect(shown).toContain('<a href="./about">About</a>');
    expect((await store.visit('/bare')).text).not.toMatch(/<(header|footer)/);
    await store.api('PATCH', `/api/v1/pages/${about}`, { name: 'About us' });
    await store.shows('/', '<a href="./about">About us</a>');
    await store.template('header', createPage(heading('h', 'Everywhere')));
    expect((await store.visit('/about')).text).toContain('Everywhere');
    await store.api('PATCH', `/api/v1/pages/${bare}`, { settings: {} });
    expect((await store.visit('/bare')).text).toContain('Everywhere');
    const preview = await store.edit('POST', `/pages/${bare}/preview`);
    expect(preview.text).toBe((await store.visit('/bare')).text);
  });

  test('of the page for 404 is shown in the store’s design, with working links at any depth', async () => {
    const store = await open();
    await store.live('Home', createPage());
    for (const [path, way] of [
      ['/none', './'],
      ['/none/', '../'],
      ['/products/none', '../'],
      ['/x/blog/y', '../../'],
    ]) {
      const { status, text: shown } = await store.visit(path!);
      expect([path, status]).toEqual([path, 404]);
      expect(shown).toContain(`<a class="wb-link" href="${way}">`);
      expect(shown).toContain('<meta name="robots" content="noindex">');
    }
    expect((await store.visit('/none', { accept: '*/*' })).body.code).toBe('not_found');
  });
});

describe('lists with several pages', () => {
  test('show each page at ?page=, and 404 after the last', async () => {
    const store = await open();
    for (const name of ['One', 'Two', 'Three']) await store.put(name);
    await store.live('Home', createPage(list('productList', 'productTitle', { limit: 2, paged: true })));
    const titles = async (path: string) =>
      [...(await store.visit(path)).text.matchAll(/<h3[^>]*><a[^>]*>([^<]*)/g)].map(([, name]) => name);
    expect(await titles('/')).toEqual(['One', 'Two']);
    expect(await titles('/?page=2')).toEqual(['Three']);
    const second = await store.visit('/?page=2');
    expect(second.text).toContain(
      '<a class="wb-button wb-button-secondary wb-prev" href="?page=1" rel="prev">',
    );
    const canonical = `https://shop.example/s/${store.slug}/?page=2`;
    expect(second.text).toContain(`<link rel="canonical" href="${canonical}">`);
    expect((await store.visit('/?page=3')).status).toBe(404);
    await store.put('Four');
    await eventually(async () => (await titles('/?page=2')).length === 2, { what: 'the new one' });
  });

  test('are linked from the search with its search text', async () => {
    const store = await open();
    for (let i = 0; i < 25; i++) await store.put(`Tea <${i}>`);
    await store.put('Cup');
    const found = async (path: string) =>
      ((await store.visit(path)).text.match(/<h2 class="wb-heading wb-product-title/g) ?? []).length;
    expect(await found('/search?q=tea')).toBeGreaterThanOrEqual(24);
    const { text: shown } = await store.visit('/search?q=tea');
    expect(shown).toContain('Tea &lt;0&gt;');
    expect(shown).toContain('href="?q=tea&amp;page=2"');
    expect(shown).toContain('value="tea"');
    expect(shown).toContain('<meta name="robots" content="noindex">');
    // The header's search has no name of its own.
    const named = (html: string) =>
      html.match(/<form [^>]*role="search"[^>]*>/g)?.map((form) => /label/.test(form));
    expect(named(shown)).toEqual([false, true]);
    expect(named((await store.visit('/nowhere')).text)).toEqual([false, true]);
    const { text: none } = await store.visit('/search?q=%22%3E%3Cscript%3E');
    expect(none).toContain('Nothing was found.');
    expect(none).toContain('value="&quot;&gt;&lt;script&gt;"');
  });
});

test('a category of the blog has a page', async () => {
  const store = await open();
  const { id } = (await store.api('POST', '/api/v1/blog-categories', { name: 'Tea', slug: 'tea' })).body
    .blogCategory;
  const write = (title: string, categoryIds: string[]) =>
    store.api('POST', '/api/v1/articles', { title, status: 'published', categoryIds });
  await write('Within', [id]);
  await write('Without', []);
  const { status, text: shown } = await store.visit('/blog/category/tea');
  expect(status).toBe(200);
  expect(shown).toContain('<h1 class="wb-heading">Tea</h1>');
  expect(shown).toContain('<a href="../../blog/within">Within</a>');
  expect(shown).not.toContain('Without');
  expect((await store.visit('/blog/category/none')).status).toBe(404);
});

test('a page requests a limited number of app values, however many it binds', async () => {
  const store = await open();
  for (let i = 0; i < 48; i++) await store.put(`Tea ${i}`, {}, false);
  const appId = `app_${'1'.repeat(26)}`;
  const bindings = Array.from({ length: 2_000 }, (_, i) => ({
    source: `app.k${i}`,
    field: 'specials.text',
  }));
  const nodes = [
    { id: 'list', type: 'productList', children: ['word'], props: { specials: { limit: 48 } } },
    { id: 'word', type: 'text', props: { specials: { text: 'authored' }, bindings } },
  ];
  neighbours.apps.set(store.storeId, [
    {
      appId,
      appName: 'App',
      versionId: 'ver_1',
      versionNumber: 1,
      choice: 1,
      connectOrigins: [],
      blocks: [{ key: 'b', name: 'B', rootId: 'list', nodes }],
      islands: [],
    },
  ]);
  const value = { appId, key: 'k0', owner: 'site' as const, ownerId: null, value: 'Bound' };
  neighbours.appValues.set(store.storeId, [value]);
  const path = '/internal/app-data/lookup';
  const before = neighbours.requestCounts.get(path) ?? 0;
  await store.live('Home', createPage(blockRef('b', appId, 'b')));
  // 500 at a time.
  expect(neighbours.requestCounts.get(path)! - before).toBeLessThanOrEqual(41);
  expect((await store.visit('/')).text.split('>Bound<')).toHaveLength(1 + 48);
});

test('while another service hangs, only the first visitor waits for it', async () => {
  const store = await open();
  const tea = await store.put('Tea', { slug: 'tea' });
  await store.template('header', createPage(text('t', 'Before'), product('p', tea.id)));
  await store.live('Home', createPage(heading('h', 'Hi')));
  await store.shows('/', 'Before');
  await store.shows('/products/tea', 'Before');
  const timed = async (path: string) => {
    const begun = performance.now();
    const { text: shown, status } = await store.visit(path);
    expect([status, shown.includes('Before')]).toEqual([200, true]);
    return performance.now() - begun;
  };
  neighbours.down.add('catalog');
  neighbours.whileAsked = () => sleep(1_500);
  // Something that pages may show has changed.
  await store.api('POST', '/api/v1/articles', { title: 'News', status: 'published' });
  const times = [
    await timed('/'),
    await timed('/'),
    await timed('/products/tea'),
    await timed('/products/tea'),
  ];
  expect(times.map((ms) => ms > 1_000)).toEqual([true, false, true, false]);
  neighbours.down.clear();
  neighbours.whileAsked = null;
  await store.change(tea, { name: 'Green tea' });
  await store.shows('/', 'Green tea');
  await store.shows('/products/tea', 'Green tea');
});

describe('a theme', () => {
  const theme = {
    colors: { primary: '#7a1f3d', text: '#222' },
    fonts: { heading: { stack: 'serif' } },
    radius: 0,
  };
  const sheetIn = (shown: string) => /<link rel="stylesheet" href="([^"]*)">/.exec(shown)?.[1];

  test('shows on all pages at once when it is published, without a new rendering', async () => {
    const store = await open();
    await store.live('Home', createPage(heading('h', 'Hi')));
    await store.put('Sencha', { slug: 'sencha' });
    const before = await store.visit('/');
    expect(sheetIn(before.text)).toBeUndefined();
    const saved = await store.admin('PUT', '/theme', { theme });
    expect([saved.status, saved.body.warnings, saved.body.hasDraft]).toEqual([200, [], true]);
    expect(saved.body.theme).toMatchObject({ ...theme, scale: 1, colors: { border: '#d9dce1' } });
    expect((await store.admin('GET', '/theme?state=live')).body.theme.colors.primary).toBe('#1a56c4');
    expect(sheetIn((await store.visit('/')).text)).toBeUndefined();
    expect((await store.admin('POST', '/theme/publish')).body).toMatchObject({ hasDraft: false, theme });
    expect((await store.admin('POST', '/theme/publish')).body.code).toBe('nothing_to_publish');

    const { text: shown, headers } = await store.visit('/');
    const file = sheetIn(shown)!;
    expect(file).toMatch(/^\.\/theme-[0-9a-f]{16}\.css$/);
    expect(headers.etag).not.toBe(before.headers.etag);
    const host = new URL(system.internalUrl).host;
    const policy = (res: { headers: Record<string, string> }) =>
      /style-src ([^;]*);/.exec(res.headers['content-security-policy']!)![1];
    expect(policy({ headers })).toMatch(
      new RegExp(`^('sha256-[^']*' ){2}${host}/s/${store.slug}/theme-[0-9a-f]{16}\\.css$`),
    );
    expect(policy(await store.visit('/', { [ownOriginHeader]: 'yes' }))).toContain(` ${host}/theme-`);
    expect(sheetIn((await store.visit('/products/sencha')).text)).toBe(`.${file}`);

    const sheet = await store.visit(file.slice(1));
    expect(sheet.headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(sheet.text).toContain(':root{--wb-color-primary:#7a1f3d;--wb-color-on-primary:#ffffff;');
    expect((await store.visit('/theme-0123456789abcdef.css')).status).toBe(404);

    await store.admin('PUT', '/theme', { theme: { ...theme, radius: 4 } });
    await store.admin('POST', '/theme/publish');
    expect(sheetIn((await store.visit('/')).text)).not.toBe(file);
    // A page that is still open in a browser may request it.
    expect((await store.visit(file.slice(1))).text).toBe(sheet.text);
  });

  test('that is saved during a publish either goes live as shown, or waits', async () => {
    const store = await open();
    await store.live('Home', createPage(heading('h', 'Hi')));
    await store.admin('PUT', '/theme', { theme: { ...theme, radius: 4 } });
    const url = system.databaseUrl('content');
    const db = await openTestDatabase<Tables>(url);
    const { theme: whole } = (await store.admin('GET', '/theme')).body;
    let published: ReturnType<typeof store.admin> | undefined;
    await db.transaction().execute(async (trx) => {
      await upsertThemeDraft(trx, store.storeId, { ...whole, radius: 32 });
      published = store.admin('POST', '/theme/publish');
      await waitUntilBlocked(url, 'theme');
    });
    await db.destroy();
    expect((await published!).status).toBe(200);
    const { radius } = (await store.admin('GET', '/theme?state=live')).body.theme;
    const sheet = await store.visit(sheetIn((await store.visit('/')).text)!.slice(1));
    expect(sheet.text).toContain(`--wb-radius:${radius / 16}rem;`);
    const { theme: next, hasDraft } = (await store.admin('GET', '/theme')).body;
    expect([next.radius, hasDraft]).toEqual([32, radius !== 32]);
  });

  test.each<[string, object, string]>([
    ['a colour', { colors: { primary: 'red;}' } }, '/theme/colors/primary'],
    ['a token', { colors: { primary: { token: 'color.text' } } }, '/theme/colors/primary'],
    ['a font', { fonts: { body: { stack: 'comic' } } }, '/theme/fonts/body'],
    ['a number', { scale: 3 }, '/theme/scale'],
  ])('that is wrong in %s is refused, with its place', async (_what, wrong, pointer) => {
    const store = await open();
    const { status, body } = await store.admin('PUT', '/theme', { theme: wrong });
    expect([status, body.code]).toEqual([400, 'invalid_body']);
    expect(body.details.map((each: { pointer: string }) => each.pointer.slice(0, pointer.length))).toContain(
      pointer,
    );
  });

  test('warns of low contrast, accepts only fonts of the library, and needs an admin to change', async () => {
    const store = await open();
    const pale = { theme: { colors: { muted: '#bbb', onPrimary: 'hsl(0, 0%, 60%)', accent: '#1a56c480' } } };
    const { body } = await store.admin('PUT', '/theme', pale);
    expect(
      body.warnings.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]),
    ).toEqual([
      ['/theme/colors/onPrimary', 'low_contrast'],
      ['/theme/colors/muted', 'low_contrast'],
    ]);
    const picture = newId('mediaAsset');
    const asset = { id: picture, kind: 'image', contentType: 'image/png', width: 8, height: 8, alt: '' };
    neighbours.assets.set(`${store.storeId}/${picture}`, asset as never);
    for (const mediaId of [`mda_${'2'.repeat(26)}`, picture]) {
      const font = { theme: { fonts: { body: { mediaId } } } };
      expect((await store.admin('PUT', '/theme', font)).body.details).toEqual([
        { pointer: '/theme/fonts/body/mediaId', message: 'is not a font of this store' },
      ]);
    }
    expect((await store.edit('PUT', '/theme', { theme })).status).toBe(403);
    expect((await store.edit('GET', '/theme')).status).toBe(200);
  });

  test('sets the values of styles by name', async () => {
    const store = await open();
    const colored = (token: string): Node => ({
      id: 'h',
      type: 'heading',
      props: {
        specials: { text: 'Hi' },
        style: { base: { color: { token }, borderTopLeftRadius: { token: 'radius' } } },
      },
    });
    await store.live('Home', createPage(colored('color.onPrimary')));
    expect((await store.visit('/')).text).toContain(
      '{color:var(--wb-color-on-primary);border-top-left-radius:var(--wb-radius);}',
    );
    const { id } = (await store.api('POST', '/api/v1/pages', { name: 'Odd' })).body.page;
    const refused = await store.edit('PUT', `/pages/${id}/draft`, {
      document: createPage(colored('color.loud')),
    });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_document']);
    expect(refused.body.details[0].pointer).toBe('/document/nodes/1/props/style/base/color/token');
  });
});
