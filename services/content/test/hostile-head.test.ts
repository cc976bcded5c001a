import { describeShape, findDangers, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import { content } from '../src/index.ts';
import { createPage, heading } from './documents.ts';
import { naughtyStrings, xssVectors } from './hostile-content.ts';
import { createNeighbours, getSlug, makeProduct } from './neighbours.ts';
import { newStore } from './store.ts';

const neighbours = createNeighbours();
let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content, ...neighbours.services], { PUBLIC_BASE_URL: 'https://shop.example' });
});
afterAll(() => system.stop());

const isWhole = process.env.TEXTS === 'all';
/**
 * Prefixed by a word, because empty texts are shown differently, and without texts that no body may contain. Only a
 * part of them unless TEXTS=all.
 */
const texts = [...new Set([...xssVectors, ...naughtyStrings])]
  .filter((text) => !text.includes('\0') && text.isWellFormed())
  .filter((_, i) => isWhole || i < 60 || i % 8 === 0)
  .map((text) => `Tea ${text}`);

/** Matches characters that a document refuses. */
const controls = /[^\P{C}\p{Cf}]/gu;

/** Creates a store, and returns how its pages look to a visitor. */
async function open() {
  const store = await newStore(system);
  const { storeId, api } = store;
  const slug = getSlug(storeId);
  const facts = { id: storeId, name: 'Tea', slug, currency: 'EUR', locales: null, isDevelopment: false };
  neighbours.stores.set(storeId, facts);
  const visit = (path: string) =>
    request(system.internalUrl).get(`/s/${slug}/${path}`).redirects(0).set('accept', 'text/html');
  /** Returns the elements, headers and data of a page, whatever its texts are. */
  async function describePage(path: string) {
    const { status, headers, text } = await visit(path);
    const data = [...text.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)];
    return {
      status,
      headers: Object.keys(headers).sort(),
      shape: describeShape(text),
      data: data.map(([, json]) => JSON.parse(json!)['@type']),
    };
  }
  const { id } = (await api('POST', '/api/v1/pages', { name: 'Home' })).body.page;
  const document = createPage(heading('h', 'Hello'));
  expect((await store.edit('PUT', `/pages/${id}/draft`, { document })).status).toBe(200);
  expect((await api('POST', `/api/v1/pages/${id}/publish`)).status).toBe(200);
  return { ...store, admin: store.asMember('admin'), visit, describePage, pageId: id as string };
}

test('whatever a page is named and said to be, its document has the same elements, headers and data', async () => {
  const { api, describePage, pageId } = await open();
  const named = (text: string) => {
    const name = text.slice(0, 100);
    return api('PATCH', `/api/v1/pages/${pageId}`, {
      name: name.isWellFormed() ? name : 'Tea',
      settings: { seo: { title: text, description: text, imageMediaId: text }, title: text, lang: text },
    });
  };
  expect((await named('Tea')).status).toBe(200);
  const plain = await describePage('');
  expect(plain.shape).toContain('meta name content');
  for (const text of texts) {
    const { status } = await named(text);
    expect([text, status]).toEqual([text, 200]);
    expect([text, await describePage('')]).toEqual([text, plain]);
  }
});

test('whatever a product is called, its page has the same elements, headers and data', async () => {
  const { storeId, describePage } = await open();
  const show = (text: string, i: number) => {
    const product = { ...makeProduct(text.slice(0, 200), 1250, { slug: `tea-${i}` }), tags: [text] };
    neighbours.products.set(`${storeId}/${product.id}`, product);
    return describePage(`products/tea-${i}`);
  };
  const plain = await show('Tea', texts.length);
  expect(plain).toMatchObject({ status: 200, data: ['Product', 'BreadcrumbList'] });
  for (const [i, text] of texts.entries()) expect([text, await show(text, i)]).toEqual([text, plain]);
});

test('whatever stands in a menu, it leads nowhere that a script is, and says what was written', async () => {
  const { edit, visit, describePage } = await open();
  const menu = (items: object[]) =>
    createPage({ id: 'menu', type: 'menu', props: { specials: { items } as never } });
  const href = { type: 'url', url: 'https://tea.example/' };
  const publish = async (items: object[]) => {
    const saved = await edit('PUT', '/templates/header/draft', { document: menu(items) });
    expect(saved.body).toMatchObject({ draft: expect.anything() });
    expect((await edit('POST', '/templates/header/publish')).status).toBe(200);
    return describePage('');
  };
  for (let i = 0; i < texts.length; i += 50) {
    const some = texts.slice(i, i + 50).map((text) => text.slice(0, 200).replaceAll(controls, ' '));
    const plain = await publish(some.map(() => ({ text: 'Tea', href })));
    expect(await publish(some.map((text) => ({ text, href })))).toEqual(plain);
  }
  for (const url of texts.map((text) => text.slice('Tea '.length))) {
    const document = menu([{ text: 'Tea', href: { type: 'url', url } }]);
    const { status, body } = await edit('PUT', '/templates/header/draft', { document });
    if (status !== 200) {
      expect([url, status, body.code]).toEqual([url, 400, 'invalid_document']);
      continue;
    }
    await edit('POST', '/templates/header/publish');
    const header = /<header[\s\S]*<\/header>/.exec((await visit('')).text)![0];
    // A menu in a header has buttons of its own, which collapse it.
    const isOwn = (danger: string) => /^(?:(?:id|name)=.*|button|svg|path)$/.test(danger);
    const dangers = findDangers(header).filter((danger) => !isOwn(danger));
    expect([url, dangers]).toEqual([url, []]);
  }
});

test('nothing but colours, fonts and numbers is a theme', async () => {
  const { admin } = await open();
  const fields: ((text: string) => object)[] = [
    (text) => ({ colors: { primary: text } }),
    (text) => ({ fonts: { body: { stack: text } } }),
    (text) => ({ fonts: { heading: { mediaId: text } } }),
    (text) => ({ radius: text }),
  ];
  for (const text of texts)
    for (const [i, theme] of fields.entries()) {
      const { status, body } = await admin('PUT', '/theme', { theme: theme(text) });
      expect([text, i, status, body.code]).toEqual([text, i, 400, 'invalid_body']);
    }
});
