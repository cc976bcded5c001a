import { InstallChanged, newId } from '@waybill/contracts';
import { eventually, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import { content } from '../src/index.ts';
import { blockRef, createPage, text } from './documents.ts';
import { createNeighbours, getSlug } from './neighbours.ts';
import { newStore } from './store.ts';

const neighbours = createNeighbours();
let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content, ...neighbours.services], {
    PUBLIC_BASE_URL: 'https://shop.example',
  });
});
afterAll(() => system.stop());

/** Creates a store with a published page of this document. */
async function open(isDevelopment: boolean, document = createPage(text('t', 'Hello'))) {
  const store = await newStore(system);
  const { storeId, api, edit } = store;
  const slug = getSlug(storeId);
  const facts = { name: 'Bench', slug, currency: 'EUR', locales: ['en', 'de'], isDevelopment };
  neighbours.stores.set(storeId, { id: storeId, ...facts });
  const { id } = (await api('POST', '/api/v1/pages', { name: 'Home' })).body.page;
  expect((await edit('PUT', `/pages/${id}/draft`, { document })).status).toBe(200);
  const publish = async () => expect((await api('POST', `/api/v1/pages/${id}/publish`)).status).toBe(200);
  return {
    ...store,
    id: id as string,
    publish,
    visit: (path: string, headers: Record<string, string> = {}) =>
      request(system.internalUrl).get(`/s/${slug}${path}`).set(headers),
    preview: async () => (await edit('POST', `/pages/${id}/preview`)).text,
    canvas: async () =>
      JSON.stringify((await edit('POST', `/pages/${id}/canvas`, { document })).body.sources),
  };
}

test('pages, articles and the blog of a development store say noindex, in head and header; nobody else’s do', async () => {
  const robots = '<meta name="robots" content="noindex">';
  for (const isDevelopment of [true, false]) {
    const store = await open(isDevelopment);
    const { api, edit, id, visit } = store;
    const preview = await store.preview();
    await store.publish();
    expect((await visit('/')).text).toBe(preview);
    const written = { title: 'One', slug: 'one', status: 'published', content: '<p>x</p>' };
    expect((await api('POST', '/api/v1/articles', written)).status).toBe(201);
    for (const path of ['/', '/home', '/de/', '/blog/', '/blog/one', '/de/blog/one']) {
      const { status, headers, text: html } = await visit(path);
      const expected = [path, 200, isDevelopment ? 'noindex' : undefined, isDevelopment];
      expect([path, status, headers['x-robots-tag'], html.includes(robots)]).toEqual(expected);
    }
    // A page with this setting of its own uses the same two places.
    if (isDevelopment) continue;
    expect((await edit('PATCH', `/pages/${id}`, { settings: { noindex: true } })).status).toBe(200);
    const own = await visit('/');
    expect([own.headers['x-robots-tag'], own.text.includes(robots)]).toEqual(['noindex', true]);
  }
});

describe('a version that nobody has reviewed', () => {
  const appId = newId('app');
  const sha256 = 'ab'.repeat(32);
  /** Sets the app platform's answer: the same version with another text. */
  const install = (storeId: string, shown: string, choice: number, change: { isUnreviewed?: true } = {}) =>
    neighbours.apps.set(storeId, [
      {
        appId,
        appName: 'App',
        versionId: `ver_${storeId}`,
        versionNumber: 2,
        choice,
        ...change,
        blocks: [
          {
            key: 'badge',
            name: 'Badge',
            rootId: 'w',
            nodes: [{ id: 'w', type: 'text', island: 'shine', props: { specials: { text: shown } } }],
          },
        ],
        islands: [{ name: 'shine', moduleSha256: sha256 }],
        connectOrigins: ['http://127.0.0.1:9000'],
      },
    ]);
  const withBlock = createPage(blockRef('b', appId, 'badge'));

  test('shows as it is now in canvas, preview and the list of blocks, though its id is known', async () => {
    const store = await open(true, withBlock);
    neighbours.leavesOutKnown = true;
    try {
      for (const shown of ['First', 'Second', 'Third']) {
        install(store.storeId, shown, 1, { isUnreviewed: true });
        const blocks = JSON.stringify((await store.edit('GET', '/blocks')).body);
        for (const each of [await store.canvas(), await store.preview(), blocks])
          expect(each).toContain(shown);
      }
      // A reviewed version never changes, so it is kept.
      for (const shown of ['Approved', 'Never']) {
        install(store.storeId, shown, 1);
        expect(await store.preview()).toContain('Approved');
      }
    } finally {
      neighbours.leavesOutKnown = false;
    }
  });

  test('shows on live pages as soon as that is told, and their policy names its modules’ own addresses', async () => {
    const store = await open(true, withBlock);
    install(store.storeId, 'First', 1, { isUnreviewed: true });
    const preview = await store.preview();
    await store.publish();
    const path = `/islands/dev/${store.storeId}/${sha256}.js`;
    const first = await store.visit('/', { host: 'shop.example' });
    expect(first.text).toBe(preview);
    expect(first.text).toContain(`src="${path}" integrity="sha256-`);
    const policy = first.headers['content-security-policy'];
    expect(policy).toContain(`script-src shop.example/assets/ shop.example${path};`);
    expect(policy).toContain("connect-src 'self' http://127.0.0.1:9000;");

    install(store.storeId, 'Second', 2, { isUnreviewed: true });
    await neighbours.tell(InstallChanged, store.storeId, { appId, isAvailable: true, isUpgrade: false });
    await eventually(async () => (await store.visit('/')).text.includes('>Second<'));

    // Once the version is approved, a publish uses its public address.
    install(store.storeId, 'Second', 3);
    await neighbours.tell(InstallChanged, store.storeId, { appId, isAvailable: true, isUpgrade: false });
    await eventually(async () => (await store.visit('/')).text.includes(`src="/islands/${sha256}.js"`));
  });
});
