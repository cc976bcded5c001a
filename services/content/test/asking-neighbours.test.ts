import { setTimeout as sleep } from 'node:timers/promises';
import { type AssetFacts, newId } from '@waybill/contracts';
import { countWaitingTransactions, startSystem, type TestSystem } from '@waybill/testing';
import { content } from '../src/index.ts';
import { createPage, heading, product } from './documents.ts';
import { createNeighbours, makeProduct } from './neighbours.ts';
import { type Method, newStore } from './store.ts';

const neighbours = createNeighbours();
/** Number of content's waiting transactions at each request to another service, with its path. */
const waited: [path: string, transactions: number][] = [];

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content, ...neighbours.services]);
});
afterEach(() => {
  neighbours.whileAsked = null;
  waited.length = 0;
});
afterAll(() => system.stop());

async function open() {
  const store = await newStore(system);
  const { storeId } = store;
  const tea = makeProduct('Tea', 500);
  neighbours.products.set(`${storeId}/${tea.id}`, tea);
  const picture = newId('mediaAsset');
  const asset = { id: picture, contentType: 'image/png', width: 100, height: 100 } as AssetFacts;
  neighbours.assets.set(`${storeId}/${picture}`, asset);
  const admin = store.asMember('admin');
  const titled = (title: string) => createPage(heading('title', title), product('tea', tea.id));
  let keys = 0;
  /** Sends a request with a key twice; the second answer must equal the first. */
  const keyed = async (
    method: Method,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const with_ = { ...headers, 'idempotency-key': `key-${++keys}` };
    const first = await admin(method, path, body, with_);
    const again = await admin(method, path, body, with_);
    if (first.status < 300) {
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect(again.headers['idempotent-replayed']).toBe('true');
    }
    return first;
  };
  return { ...store, admin, keyed, titled, picture };
}

function watch() {
  neighbours.whileAsked = async (path) => {
    await sleep(120);
    waited.push([path, await countWaitingTransactions(system, 'content')]);
  };
}
const nobodyWaited = (...paths: string[]) => {
  expect(waited.filter(([, transactions]) => transactions > 0)).toEqual([]);
  expect(waited.map(([path]) => path)).toEqual(expect.arrayContaining(paths));
};
const [products, assets] = ['/internal/products/lookup', '/internal/assets/lookup'];

test('a page is saved, restored and published without a transaction that waits for a neighbour', async () => {
  const { admin, keyed, titled } = await open();
  const { id } = (await admin('POST', '/pages', { name: 'Home' })).body.page;
  watch();
  const draft = `/pages/${id}/draft`;
  const { etag } = (await admin('GET', draft)).headers;
  const saved = await keyed('PUT', draft, { document: titled('One') }, { 'if-match': etag! });
  expect(saved.status).toBe(200);
  const bound = { 'if-match': saved.headers.etag! };
  expect((await admin('PUT', draft, { document: titled('Two') }, bound)).status).toBe(200);
  expect((await admin('PUT', draft, { document: titled('Three') }, bound)).status).toBe(412);
  expect((await admin('GET', draft)).body.document.nodes[1].props.specials.text).toBe('Two');
  const published = await keyed('POST', `/pages/${id}/publish`);
  expect([published.status, published.body.page.live]).toEqual([200, true]);
  expect((await keyed('POST', `/pages/${id}/publish`)).body.code).toBe('nothing_to_publish');
  const { revisions } = (await admin('GET', `/pages/${id}/revisions`)).body;
  const restored = await keyed('POST', `/pages/${id}/revisions/${revisions.at(-1).id}/restore`);
  expect(restored.status).toBe(200);
  nobodyWaited(products);
});

test('a template is saved and published without one', async () => {
  const { admin, keyed, titled } = await open();
  await admin('GET', '/templates/notFound/draft');
  watch();
  const draft = '/templates/notFound/draft';
  const saved = await keyed('PUT', draft, { document: titled('Nothing') });
  const bound = { 'if-match': saved.headers.etag! };
  expect((await admin('PUT', draft, { document: titled('Nothing here') }, bound)).status).toBe(200);
  expect((await admin('PUT', draft, { document: titled('Nowhere') }, bound)).status).toBe(412);
  const published = await keyed('POST', '/templates/notFound/publish');
  expect(published.body.template).toMatchObject({ kind: 'notFound', live: true, hasDraft: false });
  nobodyWaited(products);
});

test('an article is made, changed, saved as a document, published and converted without one', async () => {
  const { admin, keyed, titled, picture } = await open();
  watch();
  const created = await keyed('POST', '/articles', { title: 'Tea', coverMediaId: picture });
  const { id } = created.body.article;
  const replaced = await admin(
    'PUT',
    `/articles/${id}`,
    { title: 'Green tea', coverMediaId: picture },
    { 'if-match': created.headers.etag! },
  );
  expect(replaced.body.article).toMatchObject({ title: 'Green tea', coverMediaId: picture });
  const refused = { 'if-match': created.headers.etag! };
  expect((await admin('PATCH', `/articles/${id}`, { coverMediaId: picture }, refused)).status).toBe(412);
  expect((await keyed('PATCH', `/articles/${id}`, { coverMediaId: 'mda_none' })).body.article).toMatchObject({
    title: 'Green tea',
    coverMediaId: null,
  });
  expect((await keyed('PUT', `/articles/${id}/document`, { document: titled('Tea') })).status).toBe(200);
  expect((await keyed('POST', `/articles/${id}/publish`)).body.article.status).toBe('published');
  const converted = await keyed('POST', `/articles/${id}/convert`, { bodyType: 'html' });
  expect(converted.body.article).toMatchObject({ bodyType: 'html', content: expect.stringContaining('Tea') });
  nobodyWaited(products, assets);
});

test('a theme is saved without one', async () => {
  const { storeId, admin, keyed } = await open();
  const mediaId = newId('mediaAsset');
  neighbours.assets.set(`${storeId}/${mediaId}`, { id: mediaId, kind: 'font' } as AssetFacts);
  watch();
  const body = { theme: { fonts: { heading: { mediaId } } } };
  const saved = await keyed('PUT', '/theme', body);
  expect(saved.status).toBe(200);
  expect((await admin('PUT', '/theme', body, { 'if-match': saved.headers.etag! })).status).toBe(200);
  nobodyWaited(assets);
});

test('of twenty publishes at once under one key one is made, and all are answered alike', async () => {
  const { storeId, admin, titled } = await open();
  const { id } = (await admin('POST', '/pages', { name: 'Home' })).body.page;
  await admin('PUT', `/pages/${id}/draft`, { document: titled('One') });
  const key = { 'idempotency-key': `publish-${storeId}` };
  const publish = () => admin('POST', `/pages/${id}/publish`, undefined, key);
  const answers = await Promise.all(Array.from({ length: 20 }, publish));
  const good = answers.filter(({ status }) => status === 200);
  expect(new Set(good.map(({ text }) => text)).size).toBe(1);
  const others = answers.filter(({ status }) => status !== 200).map(({ body }) => body.code);
  expect(others.filter((code) => code !== 'idempotency_in_progress')).toEqual([]);
  const { revisions } = (await admin('GET', `/pages/${id}/revisions`)).body;
  expect(revisions.filter(({ kind }: { kind: string }) => kind === 'published')).toHaveLength(1);
});
