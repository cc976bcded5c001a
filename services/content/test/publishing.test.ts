import {
  type EventMessage,
  type InstalledApp,
  PagePublished,
  PageUnpublished,
  type Product,
  ProductUpdated,
} from '@waybill/contracts';
import { defineConfig, defineService } from '@waybill/kernel';
import { eventually, runSql, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import Type from 'typebox';
import { content } from '../src/index.ts';
import {
  blockRef,
  createDocument,
  createPage,
  heading,
  link,
  product,
  sectionRef,
  text,
} from './documents.ts';
import { createNeighbours, getSlug, makeProduct } from './neighbours.ts';
import { newStore } from './store.ts';

const neighbours = createNeighbours();
const heard: EventMessage[] = [];
const listener = defineService({
  name: 'listener',
  config: defineConfig(Type.Object({})),
  aggregates: [],
  subscriptions: () => [
    {
      queue: 'listener.pages',
      events: [PagePublished, PageUnpublished],
      batch: 100,
      handle: async (events) => void heard.push(...events),
    },
  ],
});

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content, listener, ...neighbours.services], {
    PUBLIC_BASE_URL: 'https://shop.example',
  });
});
afterEach(() => neighbours.down.clear());
afterAll(() => system.stop());

/** Creates a store whose pages are created and published in one step. */
async function open() {
  const store = await newStore(system);
  const { storeId, api, edit } = store;
  const visit = (path: string) => request(system.internalUrl).get(`/s/${getSlug(storeId)}${path}`);
  const publish = (id: string) => api('POST', `/api/v1/pages/${id}/publish`);
  const save = (id: string, document: unknown) => edit('PUT', `/pages/${id}/draft`, { document });
  return {
    ...store,
    visit,
    publish,
    save,
    async page(name: string) {
      return (await api('POST', '/api/v1/pages', { name })).body.page;
    },
    async live(name: string, document: unknown) {
      const { id } = (await api('POST', '/api/v1/pages', { name })).body.page;
      expect((await save(id, document)).status).toBe(200);
      const res = await publish(id);
      expect(res.status).toBe(200);
      return res.body.page;
    },
    section: async (document: unknown) =>
      (await edit('POST', '/sections', { name: 'Section', document })).body.section.id as string,
    saveSection: (id: string, document: unknown) =>
      edit('PUT', `/sections/${id}`, { name: 'Section', document }),
    shows: (path: string, what: string) =>
      eventually(async () => (await visit(path)).text.includes(what), { what: `${path} to show ${what}` }),
    events: () => heard.filter((event) => event.storeId === storeId).map(({ data }) => JSON.parse(data)),
  };
}

describe('POST /pages/{id}/publish', () => {
  test('makes the draft the live page, consumes it and emits page.published', async () => {
    const store = await open();
    const { id } = await store.page('Home');
    await store.save(id, createPage(heading('h', 'Welcome'), text('t', 'a < b & "c"')));
    const res = await store.publish(id);
    expect(res.status).toBe(200);
    const { page } = res.body;
    expect(page).toMatchObject({
      live: true,
      hasDraft: false,
      publishedAt: expect.stringMatching(/Z$/),
      url: `https://shop.example/s/${getSlug(store.storeId)}/`,
    });
    expect((await store.api('GET', `/api/v1/pages/${id}`)).body.page).toEqual(page);
    const live = await store.visit('/');
    expect(live.status).toBe(200);
    expect(live.text).toContain('Welcome</h1>');
    expect(live.text).toContain('a &lt; b &amp; "c"');
    await eventually(() => store.events().length === 1);
    expect(store.events()).toEqual([{ page }]);
  });

  test('a draft that is as what is live has no changes, and can be published', async () => {
    const store = await open();
    const { id } = await store.page('Home');
    const state = async () => {
      const { hasDraft, hasChanges } = (await store.api('GET', `/api/v1/pages/${id}`)).body.page;
      const { pages } = (await store.edit('GET', '/pages?fields=hasDraft,hasChanges')).body;
      expect(pages).toEqual([{ id, hasDraft, hasChanges }]);
      return [hasDraft, hasChanges];
    };
    const [first, second] = [createPage(text('t', 'first')), createPage(text('t', 'second'))];
    expect(await state()).toEqual([false, false]);
    await store.save(id, first);
    expect(await state()).toEqual([true, true]);
    expect((await store.publish(id)).body.page).toMatchObject({ hasDraft: false, hasChanges: false });
    await store.save(id, second);
    expect(await state()).toEqual([true, true]);
    await store.save(id, first);
    expect(await state()).toEqual([true, false]);
    // A copy of the version before saves without comparing.
    const saved = `document = '${JSON.stringify(second)}', revision = gen_random_uuid()`;
    await runSql(system, 'content', `update page_draft set ${saved} where store_id = '${store.storeId}'`);
    expect(await state()).toEqual([true, true]);
    await store.save(id, first);
    expect((await store.publish(id)).status).toBe(200);
    expect(await state()).toEqual([false, false]);
    await store.save(id, first);
    expect(await state()).toEqual([true, false]);
    expect((await store.api('POST', `/api/v1/pages/${id}/unpublish`)).body.page).toMatchObject({
      hasDraft: true,
      hasChanges: true,
    });
    expect((await store.publish(id)).status).toBe(200);
    expect(await state()).toEqual([false, false]);
  });

  test('409 nothing_to_publish without a draft, also after a publish', async () => {
    const store = await open();
    const { id } = await store.page('Home');
    expect(await store.publish(id)).toMatchObject({ status: 409, body: { code: 'nothing_to_publish' } });
    await store.save(id, createPage());
    expect((await store.publish(id)).status).toBe(200);
    expect((await store.publish(id)).body.code).toBe('nothing_to_publish');
  });

  test('of several simultaneous publishes one wins', async () => {
    const store = await open();
    const { id } = await store.page('Home');
    await store.save(id, createPage());
    const all = await Promise.all(Array.from({ length: 6 }, () => store.publish(id)));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    await eventually(() => store.events().length === 1);
  });

  test('a draft that is saved during a publish goes live', async () => {
    const store = await open();
    const tea = makeProduct('Tea', 900);
    neighbours.products.set(`${store.storeId}/${tea.id}`, tea);
    const { id } = await store.page('Home');
    await store.save(id, createPage(product('p', tea.id), text('t', 'first')));
    const { arrived, release } = neighbours.pause('/internal/products/lookup');
    const publishing = store.publish(id).then(({ status }) => status);
    await arrived;
    await store.save(id, createPage(product('p', tea.id), text('t', 'second')));
    release();
    expect(await publishing).toBe(200);
    expect((await store.api('GET', `/api/v1/pages/${id}`)).body.page.hasDraft).toBe(false);
    expect((await store.visit('/')).text).toContain('second');
  });

  test('of two simultaneous publishes of one draft, one wins', async () => {
    const store = await open();
    const tea = makeProduct('Tea', 900);
    neighbours.products.set(`${store.storeId}/${tea.id}`, tea);
    const { id } = await store.page('Home');
    await store.save(id, createPage(product('p', tea.id)));
    const { arrived, release } = neighbours.pause('/internal/products/lookup');
    const first = store.publish(id).then(({ body }) => body);
    await arrived;
    expect((await store.publish(id)).status).toBe(200);
    release();
    expect(await first).toMatchObject({ code: 'nothing_to_publish' });
    await eventually(() => store.events().length === 1);
  });

  test('publishes a document that was stored with unknown keys, which are dropped', async () => {
    const store = await open();
    const { id } = await store.page('Home');
    const own = createPage(heading('h', 'Welcome'));
    const old = JSON.parse(JSON.stringify(own));
    old.nodes[1].props.config = { base: { columns: 3 } };
    expect(await store.save(id, old)).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_document',
        details: [{ pointer: '/document/nodes/1/props/config/base/columns' }],
      },
    });
    await store.save(id, own);
    const stored = `set document = '${JSON.stringify(old)}' where store_id = '${store.storeId}'`;
    await runSql(system, 'content', `update page_draft ${stored}`);
    const props = { ...own.nodes[1]!.props, config: { base: {} } };
    const opened = createPage({ ...heading('h', 'Welcome'), props });
    const draft = async () => (await store.edit('GET', `/pages/${id}/draft`)).body.document;
    expect(await draft()).toEqual(opened);
    expect((await store.publish(id)).status).toBe(200);
    expect((await store.visit('/')).text).toContain('Welcome</h1>');
    expect(await draft()).toEqual(opened);
    expect((await store.save(id, await draft())).status).toBe(200);
    const { revisions } = (await store.edit('GET', `/pages/${id}/revisions`)).body;
    for (const revision of revisions)
      expect((await store.edit('POST', `/pages/${id}/revisions/${revision.id}/restore`, {})).status).toBe(
        200,
      );
    const section = await store.section(own);
    await runSql(system, 'content', `update section ${stored}`);
    expect((await store.edit('GET', `/sections/${section}`)).body.section.document).toEqual(opened);
  });

  test("404 for an unknown page and another store's, 403 without pages.write", async () => {
    const store = await open();
    const { id } = await store.page('Home');
    const other = await open();
    for (const each of [id, `pag_${'0'.repeat(26)}`, 'x']) {
      expect((await other.publish(each)).body.code).toBe('not_found');
    }
    const reader = store.withScopes(['pages.read']);
    expect((await reader('POST', `/api/v1/pages/${id}/publish`)).body.code).toBe('insufficient_scope');
  });

  test('503 when the page’s sources are unavailable, and nothing changes', async () => {
    const store = await open();
    const { id } = await store.page('Home');
    const tea = makeProduct('Tea', 900);
    await store.save(id, createPage(product('p', tea.id)));
    neighbours.down.add('catalog');
    expect(await store.publish(id)).toMatchObject({ status: 503, body: { code: 'resource_unavailable' } });
    const { page } = (await store.api('GET', `/api/v1/pages/${id}`)).body;
    expect(page).toMatchObject({ live: false, hasDraft: true });
    neighbours.down.clear();
    expect((await store.publish(id)).status).toBe(200);
  });

  test('the draft to edit is the live document until another is saved', async () => {
    const store = await open();
    const document = createPage(text('t', 'live'));
    const { id } = await store.live('Home', document);
    expect((await store.edit('GET', `/pages/${id}/draft`)).body.document).toEqual(document);
  });
});

describe('preview', () => {
  test('is byte for byte the page that a publish renders, and stores nothing', async () => {
    const store = await open();
    const { id } = await store.page('Home');
    const section = await store.section(createPage(text('s', 'in the section')));
    const tea = makeProduct('Tea', 900);
    neighbours.products.set(`${store.storeId}/${tea.id}`, tea);
    await store.save(
      id,
      createPage(heading('h', 'Hi'), sectionRef('s', section), product('p', tea.id), link('l', id)),
    );
    const preview = await store.edit('POST', `/pages/${id}/preview`);
    expect(preview).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect((await store.visit('/')).status).toBe(404);
    expect((await store.api('GET', `/api/v1/pages/${id}`)).body.page).toMatchObject({
      live: false,
      hasDraft: true,
    });
    await store.publish(id);
    const live = await store.visit('/');
    expect(live.text).toBe(preview.text);
    expect(live.text).toContain('in the section');
    expect(live.headers['content-security-policy']).toBe(preview.headers['content-security-policy']);
    expect((await store.edit('POST', `/pages/${id}/preview`)).text).toBe(live.text);
  });

  test('409 nothing_to_publish for a page that was never saved', async () => {
    const store = await open();
    const { id } = await store.page('Home');
    expect((await store.edit('POST', `/pages/${id}/preview`)).body.code).toBe('nothing_to_publish');
  });
});

describe('a global section', () => {
  test('goes live with a page that contains it, also on every other live page, which emits no event', async () => {
    const store = await open();
    const inner = await store.section(createPage(text('i', 'inner one')));
    const outer = await store.section(createPage(text('o', 'outer one'), sectionRef('s', inner)));
    const first = await store.live('First', createPage(sectionRef('s', outer)));
    await store.live('Second', createPage(sectionRef('s', outer), text('t', 'second')));
    await store.live('Third', createPage(sectionRef('s', inner)));
    await store.saveSection(inner, createPage(text('i', 'inner two')));
    expect((await store.visit('/third')).text).toContain('inner one');
    await store.save(first.id, createPage(sectionRef('s', outer), text('n', 'new')));
    expect((await store.visit('/')).text).toContain('inner one');
    await store.publish(first.id);
    expect((await store.visit('/')).text).toContain('inner two');
    await store.shows('/second', 'inner two');
    await store.shows('/third', 'inner two');
    expect((await store.visit('/second')).text).toContain('outer one');
    await eventually(() => store.events().length === 4);
    const second = (await store.api('GET', '/api/v1/pages')).body.pages[1];
    expect(second.publishedAt).toBe(second.updatedAt);
  });

  test('an earlier live page shows the published state, not the saved one', async () => {
    const store = await open();
    const section = await store.section(createPage(text('i', 'one')));
    const tea = makeProduct('Tea', 900);
    neighbours.products.set(`${store.storeId}/${tea.id}`, tea);
    await store.live('Home', createPage(sectionRef('s', section), product('p', tea.id)));
    await store.saveSection(section, createPage(text('i', 'two')));
    neighbours.products.set(`${store.storeId}/${tea.id}`, { ...tea, name: 'Green tea' });
    await neighbours.tell(ProductUpdated, store.storeId, { product: { ...tea, name: 'Green tea' } });
    await store.shows('/', 'Green tea');
    expect((await store.visit('/')).text).toContain('one');
  });

  test('409 invalid_state for deleting one that a live page contains', async () => {
    const store = await open();
    const section = await store.section(createPage(text('i', 'one')));
    const { id } = await store.live('Home', createPage(sectionRef('s', section)));
    await store.save(id, createPage());
    expect((await store.edit('DELETE', `/sections/${section}`)).body.code).toBe('invalid_state');
    await store.publish(id);
    expect((await store.edit('DELETE', `/sections/${section}`)).status).toBe(204);
  });
});

describe('a cascade that is cut off', () => {
  test('continues after a restart until every page is rendered', async () => {
    const store = await open();
    const section = await store.section(createPage(text('i', 'one')));
    const names = Array.from({ length: 30 }, (_, i) => `page-${i}`);
    for (const name of names) await store.live(name, createPage(sectionRef('s', section), text('t', name)));
    await store.saveSection(section, createPage(text('i', 'two')));
    const { id } = await store.live('Trigger', createPage(sectionRef('s', section)));
    await system.restart();
    for (const name of names.slice(1)) {
      const html = (await store.visit(`/${name}`)).text;
      expect(html).toMatch(/>(one|two)</);
      expect(html).toContain(name);
    }
    for (const name of names.slice(1)) await store.shows(`/${name}`, '>two<');
    expect(id).toBeDefined();
  });

  test('waits while a service that it needs is unavailable', async () => {
    const store = await open();
    const tea = makeProduct('Tea', 900);
    neighbours.products.set(`${store.storeId}/${tea.id}`, tea);
    await store.live('Home', createPage(product('p', tea.id)));
    expect((await store.visit('/')).text).toContain('9.00');
    const path = '/internal/products/lookup';
    const requestCount = neighbours.requestCounts.get(path)!;
    neighbours.down.add('catalog');
    const dearer = { ...tea, priceCents: 1200, variants: [{ ...tea.variants[0]!, priceCents: 1200 }] };
    neighbours.products.set(`${store.storeId}/${tea.id}`, dearer);
    await neighbours.tell(ProductUpdated, store.storeId, { product: dearer });
    await eventually(() => neighbours.requestCounts.get(path)! > requestCount);
    expect((await store.visit('/')).text).toContain('9.00');
    neighbours.down.clear();
    await store.shows('/', '12.00');
  });
});

test('a section that is added to a page during a new rendering is shown as published', async () => {
  const store = await open();
  const tea = makeProduct('Tea', 900);
  neighbours.products.set(`${store.storeId}/${tea.id}`, tea);
  const inner = await store.section(createPage(text('i', 'inner one')));
  const outer = await store.section(createPage(text('o', 'outer')));
  await store.live('Home', createPage(sectionRef('s', outer), product('p', tea.id)));
  const other = await store.live('Other', createPage(sectionRef('s', inner)));
  await store.saveSection(outer, createPage(text('o', 'outer'), sectionRef('i', inner)));
  const { id } = await store.page('Third');
  await store.save(id, createPage(sectionRef('s', outer)));
  // The homepage is rendered again with the outer section, which now holds the inner one, and waits for catalog
  // meanwhile.
  const { arrived, release } = neighbours.pause('/internal/products/lookup');
  expect((await store.publish(id)).status).toBe(200);
  await arrived;
  await store.saveSection(inner, createPage(text('i', 'inner two')));
  await store.save(other.id, createPage(sectionRef('s', inner), text('t', 'new')));
  expect((await store.publish(other.id)).status).toBe(200);
  release();
  await store.shows('/', 'inner two');
});

describe('POST /pages/{id}/unpublish', () => {
  const unpublish = (store: Awaited<ReturnType<typeof open>>, id: string) =>
    store.api('POST', `/api/v1/pages/${id}/unpublish`);

  test('removes the live page, keeps its document as the draft and emits page.unpublished', async () => {
    const store = await open();
    const document = createPage(heading('h', 'Welcome'));
    const { id } = await store.live('Home', document);
    await store.live('Other', createPage(link('l', id)));
    const links = async () => /<main>.*<\/main>/s.exec((await store.visit('/other')).text)![0];
    const linked = 'href="./"';
    expect(await links()).toContain(linked);
    const res = await unpublish(store, id);
    expect(res.status).toBe(200);
    const { page } = res.body;
    expect(page).toMatchObject({
      live: false,
      hasDraft: true,
      hasChanges: true,
      publishedAt: null,
      url: null,
      isHomepage: true,
    });
    expect((await store.api('GET', `/api/v1/pages/${id}`)).body.page).toEqual(page);
    expect((await store.visit('/')).status).toBe(404);
    expect((await store.visit('/home')).status).toBe(404);
    expect((await store.edit('GET', `/pages/${id}/draft`)).body).toMatchObject({
      document,
      draft: { revision: 1 },
    });
    await eventually(async () => !(await links()).includes(linked));
    await eventually(() => store.events().length === 3);
    expect(heard.findLast(({ storeId }) => storeId === store.storeId)).toMatchObject({
      name: 'content.page.unpublished',
    });
    expect(store.events()[2]).toEqual({ page });
    expect(await unpublish(store, id)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
  });

  test('keeps an existing draft, which the next publish shows', async () => {
    const store = await open();
    const { id } = await store.live('Home', createPage(text('t', 'first')));
    const { etag } = (await store.visit('/')).headers;
    await store.save(id, createPage(text('t', 'second')));
    expect((await unpublish(store, id)).status).toBe(200);
    expect((await store.publish(id)).status).toBe(200);
    const again = await store.visit('/').set('if-none-match', String(etag));
    expect(again).toMatchObject({ status: 200, text: expect.stringContaining('second') });
  });

  test('of several simultaneous ones one wins, also while the page is rendered again', async () => {
    const store = await open();
    const tea = makeProduct('Tea', 900);
    neighbours.products.set(`${store.storeId}/${tea.id}`, tea);
    const { id } = await store.live('Home', createPage(product('p', tea.id), text('t', 'first')));
    const all = await Promise.all(Array.from({ length: 4 }, () => unpublish(store, id)));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect((await store.publish(id)).status).toBe(200);
    // The page is being rendered from the state that was live then, while its request for the product waits.
    const { arrived, release } = neighbours.pause('/internal/products/lookup');
    await neighbours.tell(ProductUpdated, store.storeId, { product: tea });
    await arrived;
    await unpublish(store, id);
    await store.save(id, createPage(text('t', 'second')));
    expect((await store.publish(id)).status).toBe(200);
    release();
    await eventually(async () => (neighbours.requestCounts.get('/internal/products/lookup') ?? 0) > 0);
    await store.live('Other', createPage());
    expect((await store.visit('/')).text).toContain('second');
  });

  test("needs pages.write; 404 for an unknown page and another store's, 409 for one that was never live", async () => {
    const store = await open();
    const { id } = await store.page('Home');
    expect((await unpublish(store, id)).body.code).toBe('invalid_state');
    expect((await unpublish(await open(), id)).body.code).toBe('not_found');
    const reader = store.withScopes(['pages.read']);
    expect((await reader('POST', `/api/v1/pages/${id}/unpublish`)).body.code).toBe('insufficient_scope');
  });
});

describe('products', () => {
  test('are shown only while they are active', async () => {
    const store = await open();
    const tea = makeProduct('Tea', 900, { status: 'draft' });
    const become = async (change: Partial<Product>) => {
      const changed = { ...tea, ...change };
      neighbours.products.set(`${store.storeId}/${tea.id}`, changed);
      await neighbours.tell(ProductUpdated, store.storeId, { product: changed });
    };
    neighbours.products.set(`${store.storeId}/${tea.id}`, tea);
    await store.live('Home', createPage(product('p', tea.id), text('t', 'rest')));
    const parts = /Tea|9\.00|wb-add-to-cart|wb-product/;
    const html = async () => (await store.visit('/')).text.replace(/<style>.*?<\/style>/s, '');
    expect(await html()).not.toMatch(parts);
    expect(await html()).toContain('rest');
    await become({ status: 'active' });
    await store.shows('/', '9.00');
    expect(await html()).not.toContain('disabled');
    await become({ status: 'active', variants: [{ ...tea.variants[0]!, stock: 0 }], totalStock: 0 });
    await eventually(async () => /<button[^>]*disabled/.test(await html()));
    await become({ status: 'archived' });
    await eventually(async () => !parts.test(await html()));
  });
});

describe('links to pages', () => {
  test('follow the page’s slug, the homepage and whether the page is live', async () => {
    const store = await open();
    const about = await store.page('About');
    await store.live('Shop', createPage(link('l', about.id)));
    // Only the main part counts, because the header links to the homepage in any case.
    const links = async () => /<main>.*<\/main>/s.exec((await store.visit('/shop')).text)![0];
    expect(await links()).not.toContain('href="./');
    await store.save(about.id, createPage());
    await store.publish(about.id);
    await eventually(async () => (await links()).includes('href="./"'));
    const home = await store.page('Home');
    await store.api('PATCH', `/api/v1/pages/${home.id}`, { isHomepage: true });
    await store.shows('/shop', 'href="./about"');
    await store.api('PATCH', `/api/v1/pages/${about.id}`, { slug: 'us' });
    await store.shows('/shop', 'href="./us"');
    await store.api('DELETE', `/api/v1/pages/${about.id}`);
    await eventually(async () => !(await links()).includes('href="./'));
  });
});

describe('blocks of apps', () => {
  const block = (says: string) => ({
    key: 'badge',
    name: 'Badge',
    ...createDocument({
      id: 'root',
      type: 'container',
      children: [
        {
          id: 'text',
          type: 'text',
          props: {
            specials: { text: says },
            bindings: [{ source: 'app.label', field: 'specials.text' }],
          },
          island: 'shine',
        },
      ],
    }),
  });
  const sha256 = 'ab'.repeat(32);
  const install = (appId: string, versionNumber: number, says: string, choice = 1): InstalledApp => ({
    appId,
    appName: 'App',
    versionId: `ver_${versionNumber}`,
    versionNumber,
    blocks: [block(says)],
    islands: [{ name: 'shine', moduleSha256: sha256 }],
    connectOrigins: ['https://api.example.com'],
    choice,
  });
  const appId = `app_${'0'.repeat(26)}`;

  test('show their text, the bound value, and the marker and module of their island', async () => {
    const store = await open();
    neighbours.apps.set(store.storeId, [install(appId, 1, 'authored')]);
    await store.live(
      'Home',
      createPage(blockRef('b', appId, 'badge'), blockRef('gone', appId, 'constructor')),
    );
    const { text } = await store.visit('/');
    expect(text).toContain('authored');
    expect(text).toContain(`data-wb-island="app.${appId}.shine"`);
    expect(text).toContain(`src="/islands/${sha256}.js"`);
    expect(text).toContain(`integrity="sha256-${Buffer.from(sha256, 'hex').toString('base64')}"`);
    const { AppDataChanged } = await import('@waybill/contracts');
    const name = { appId, key: 'label', owner: 'site' as const, ownerId: null };
    neighbours.appValues.set(store.storeId, [{ ...name, value: 'bound' }]);
    await neighbours.tell(AppDataChanged, store.storeId, name);
    await store.shows('/', 'bound');
  });

  test('may load only their own modules and connect only to their version’s hosts', async () => {
    const store = await open();
    const other = { ...install(`app_${'1'.repeat(26)}`, 1, 'x'), connectOrigins: ['https://other.example'] };
    neighbours.apps.set(store.storeId, [install(appId, 1, 'x'), other]);
    const page = await store.page('Home');
    await store.save(page.id, createPage(blockRef('b', appId, 'badge')));
    const preview = await store.edit('POST', `/pages/${page.id}/preview`);
    await store.publish(page.id);
    const policy = String((await store.visit('/')).headers['content-security-policy']);
    const { host } = new URL(system.internalUrl);
    expect(policy).toContain(`script-src ${host}/assets/ ${host}/islands/${sha256}.js;`);
    expect(policy).toContain("connect-src 'self' https://api.example.com;");
    expect(preview.headers['content-security-policy']).toBe(policy);
  });

  test('disappear from live pages with their app, and return with it', async () => {
    const { InstallChanged } = await import('@waybill/contracts');
    const store = await open();
    const app = install(appId, 1, 'authored');
    neighbours.apps.set(store.storeId, [app]);
    await store.live('Home', createPage(blockRef('b', appId, 'badge'), text('t', 'rest')));
    neighbours.apps.set(store.storeId, []);
    await neighbours.tell(InstallChanged, store.storeId, { appId, isAvailable: true, isUpgrade: false });
    await eventually(async () => !(await store.visit('/')).text.includes('authored'));
    expect((await store.visit('/')).text).toContain('rest');
    neighbours.apps.set(store.storeId, [app]);
    await neighbours.tell(InstallChanged, store.storeId, { appId, isAvailable: true, isUpgrade: false });
    await store.shows('/', 'authored');
  });

  test('a new version reaches every live page at the next publish, and not before', async () => {
    const { InstallChanged } = await import('@waybill/contracts');
    const store = await open();
    const tea = makeProduct('Tea', 900);
    neighbours.products.set(`${store.storeId}/${tea.id}`, tea);
    neighbours.apps.set(store.storeId, [install(appId, 1, 'build one')]);
    await store.live('Home', createPage(blockRef('b', appId, 'badge'), product('p', tea.id)));
    const other = await store.live('Other', createPage(text('t', 'no blocks')));
    neighbours.apps.set(store.storeId, [install(appId, 2, 'build two')]);
    await neighbours.tell(InstallChanged, store.storeId, { appId, isAvailable: true, isUpgrade: true });
    // A change of something else renders the page again, with its existing build.
    neighbours.products.set(`${store.storeId}/${tea.id}`, { ...tea, name: 'Green tea' });
    await neighbours.tell(ProductUpdated, store.storeId, { product: { ...tea, name: 'Green tea' } });
    await store.shows('/', 'Green tea');
    expect((await store.visit('/')).text).toContain('build one');
    await store.save(other.id, createPage(text('t', 'still none')));
    await store.publish(other.id);
    await store.shows('/', 'build two');
  });

  test('a version that the merchant chooses reaches live pages at once, and changes no other app', async () => {
    const { InstallChanged } = await import('@waybill/contracts');
    const store = await open();
    const otherId = `app_${'1'.repeat(26)}`;
    neighbours.apps.set(store.storeId, [install(appId, 1, 'ours one'), install(otherId, 1, 'theirs one')]);
    await store.live('Home', createPage(blockRef('b', appId, 'badge'), blockRef('c', otherId, 'badge')));
    neighbours.apps.set(store.storeId, [install(appId, 2, 'ours two', 2), install(otherId, 2, 'theirs two')]);
    await neighbours.tell(InstallChanged, store.storeId, { appId, isAvailable: true, isUpgrade: false });
    await store.shows('/', 'ours two');
    expect((await store.visit('/')).text).toContain('theirs one');
    // The merchant returned to the former version, and a third one came automatically before any page was rendered: it
    // is newer than the choice.
    neighbours.apps.set(store.storeId, [
      install(appId, 3, 'ours three', 3),
      install(otherId, 2, 'theirs two'),
    ]);
    await neighbours.tell(InstallChanged, store.storeId, { appId, isAvailable: true, isUpgrade: false });
    await store.shows('/', 'ours three');
    expect((await store.visit('/')).text).toContain('theirs one');
  });

  test('do not keep other pages from going live while the app platform is unavailable, and follow later', async () => {
    const store = await open();
    neighbours.apps.set(store.storeId, [install(appId, 1, 'build one')]);
    const home = await store.live('Home', createPage(blockRef('b', appId, 'badge')));
    const other = await store.live('Other', createPage(text('t', 'before')));
    neighbours.apps.set(store.storeId, [install(appId, 2, 'build two')]);
    neighbours.down.add('app-platform');
    await store.save(other.id, createPage(text('t', 'after')));
    await store.publish(other.id);
    expect((await store.visit('/other')).text).toContain('after');
    await store.save(home.id, createPage(blockRef('b', appId, 'badge')));
    expect((await store.api('POST', `/api/v1/pages/${home.id}/publish`)).status).toBe(503);
    expect((await store.visit('/')).text).toContain('build one');
    neighbours.down.clear();
    await store.shows('/', 'build two');
  });
});
