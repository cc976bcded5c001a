import { ProductCreated, ProductUpdated } from '@waybill/contracts';
import { renderDocument } from '@waybill/page';
import { eventually, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import { content } from '../src/index.ts';
import { createPage, type Node } from './documents.ts';
import { createNeighbours, getSlug, makeProduct } from './neighbours.ts';
import { newStore } from './store.ts';

const neighbours = createNeighbours();
let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content, ...neighbours.services]);
});
afterAll(() => system.stop());

const list = (id: string, type: string, child: Node, specials = {}): Node => ({
  id,
  type,
  props: { specials },
  children: [child],
});
const productList = (specials = {}) =>
  list('products', 'productList', { id: 'title', type: 'productTitle' }, specials);
const articleList = (specials = {}) =>
  list('articles', 'articleList', { id: 'article', type: 'articleTitle' }, specials);

async function open() {
  const store = await newStore(system);
  const slug = getSlug(store.storeId);
  const visit = (path: string) => request(system.internalUrl).get(`/s/${slug}${path}`).redirects(0);
  return {
    ...store,
    visit,
    async put(name: string, change: Parameters<typeof makeProduct>[2] = {}) {
      const product = makeProduct(name, 900, change);
      neighbours.products.set(`${store.storeId}/${product.id}`, product);
      await neighbours.tell(ProductCreated, store.storeId, { product });
      return product;
    },
    async live(name: string, document: unknown) {
      const { id } = (await store.api('POST', '/api/v1/pages', { name })).body.page;
      expect((await store.edit('PUT', `/pages/${id}/draft`, { document })).status).toBe(200);
      expect((await store.api('POST', `/api/v1/pages/${id}/publish`)).status).toBe(200);
      return id as string;
    },
    titles: async (path: string) =>
      [...(await visit(path)).text.matchAll(/<h3[^>]*><a href="([^"]*)">([^<]*)/g)].map(
        ([, ...found]) => found,
      ),
    shows: (path: string, what: string, not = false) =>
      eventually(async () => (await visit(path)).text.includes(what) !== not, {
        what: `${path} to show ${not ? 'no ' : ''}${what}`,
      }),
  };
}

test('a list of products links the active ones, and follows creates, changes and deletes', async () => {
  const store = await open();
  await store.put('Sencha', { slug: 'sencha' });
  await store.put('Draft', { status: 'draft' });
  await store.live('Home', createPage(productList()));
  await store.live('Deep', createPage(productList({ source: { kind: 'tag', tag: 'black' } })));
  expect(await store.titles('/')).toEqual([['./products/sencha', 'Sencha']]);
  expect(await store.titles('/deep')).toEqual([]);
  const assam = await store.put('Assam', { slug: 'assam', tags: ['black'] });
  await store.shows('/', 'Assam');
  await store.shows('/deep', 'Assam');
  expect(await store.titles('/')).toHaveLength(2);
  const archived = { ...assam, status: 'archived' as const, updatedAt: new Date().toISOString() };
  neighbours.products.set(`${store.storeId}/${assam.id}`, archived);
  await neighbours.tell(ProductUpdated, store.storeId, { product: archived });
  await store.shows('/', 'Assam', true);
});

test('a list of articles has the published ones, and follows their changes', async () => {
  const store = await open();
  const tea = { name: 'Tea', slug: 'tea' };
  const { id: categoryId } = (await store.api('POST', '/api/v1/blog-categories', tea)).body.blogCategory;
  await store.live('Home', createPage(articleList()));
  await store.live('Deep', createPage(articleList({ categoryId })));
  const write = async (title: string, more = {}) =>
    (await store.api('POST', '/api/v1/articles', { title, status: 'published', ...more })).body.article;
  await write('Draft', { status: 'draft' });
  const first = await write('First', { categoryIds: [categoryId] });
  await write('Second');
  await store.shows('/', 'Second');
  expect(await store.titles('/')).toEqual([
    ['./blog/second', 'Second'],
    ['./blog/first', 'First'],
  ]);
  await store.shows('/deep', 'First');
  expect(await store.titles('/deep')).toHaveLength(1);
  await store.edit('PATCH', `/articles/${first.id}`, { title: 'Erste' });
  await store.shows('/deep', 'Erste');
  await store.api('DELETE', `/api/v1/articles/${first.id}`);
  await store.shows('/deep', 'Erste', true);
});

test('a list of articles can show their bodies, up to a limit, in each language', async () => {
  const store = await open();
  const bodies = list('articles', 'articleList', { id: 'body', type: 'articleBody' });
  await store.live('Home', createPage(bodies));
  const write = async (title: string, body: string) =>
    (await store.api('POST', '/api/v1/articles', { title, status: 'published', content: body })).body.article;
  const long = `<p>${'x'.repeat(400_000)}</p>`;
  const { id: entityId } = await write('Too far', '<p>Oldest</p>');
  for (const title of ['One', 'Two', 'Three']) await write(title, long);
  const newest = await write('Newest', '<p>Of <em>tea</em></p>');
  await store.shows('/', '<p>Of <em>tea</em></p>');
  const { text } = await store.visit('/');
  expect(text.split('x'.repeat(400_000))).toHaveLength(3);
  expect(text).not.toContain('Oldest');
  const german = { entityType: 'article', locale: 'de', field: 'content', value: '<p>Vom Tee<script></p>' };
  const entries = [newest.id, entityId].map((id) => ({ ...german, entityId: id }));
  expect((await store.api('PUT', '/api/v1/translations', { entries })).status).toBe(200);
  await store.shows('/de/', '<p>Vom Tee</p>');
  await store.live('Titles', createPage(articleList()));
  expect((await store.visit('/titles')).text).not.toContain('Of <em>');
});

test('breadcrumbs show the name of their page, and follow its changes', async () => {
  const store = await open();
  await store.live('Home', createPage({ id: 'way', type: 'breadcrumbs' }));
  const id = await store.live('About', createPage({ id: 'way', type: 'breadcrumbs' }));
  expect((await store.visit('/')).text).not.toContain('<nav class="wb-breadcrumbs"');
  expect((await store.visit('/about')).text).toContain(
    '<li><a href="./">Home</a></li><li><span aria-current="page">About</span></li>',
  );
  await store.api('PATCH', `/api/v1/pages/${id}`, { name: 'About us' });
  await store.shows('/about', '<span aria-current="page">About us</span>');
});

test('an editor gets the contents of lists, and draws the published bytes', async () => {
  const store = await open();
  await store.put('Sencha', { slug: 'sencha' });
  const document = createPage(productList(), { id: 'way', type: 'breadcrumbs' });
  await store.live('Home', createPage());
  const id = await store.live('About', document);
  const { sources, problems } = (await store.edit('POST', `/pages/${id}/canvas`, { document })).body;
  expect(problems).toEqual([]);
  const { html } = renderDocument(document, sources);
  expect(html).toContain('Sencha');
  expect((await store.visit('/about')).text).toContain(html);
});

test('texts of a repeated element can be translated, and change in each copy', async () => {
  const store = await open();
  for (const name of ['Sencha', 'Assam']) await store.put(name);
  const word = { id: 'word', type: 'text', props: { specials: { text: 'Fresh' } } };
  const id = await store.live('Home', createPage(list('products', 'productList', word)));
  const texts = [
    { entityType: 'node', entityId: `${id}:word`, locale: 'de', field: 'text', value: 'Frisch' },
  ];
  const { total } = (await store.api('GET', '/api/v1/translations/progress?locale=de')).body.progress
    .byEntityType.node;
  expect(total).toBe(1);
  expect((await store.api('PUT', '/api/v1/translations', { entries: texts })).status).toBe(200);
  expect((await store.visit('/de/')).text.split('>Frisch<')).toHaveLength(3);
});
