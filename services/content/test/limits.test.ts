import { runSql, startSystem, type TestSystem } from '@waybill/testing';
import { content } from '../src/index.ts';
import { createPage } from './documents.ts';
import { newStore } from './store.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content]);
});
afterAll(() => system.stop());

const api = '/api/v1';
const sections = (storeId: string, from: number, to: number) => `
  insert into section (store_id, id, name, document, saved_by, created_at, updated_at)
  select '${storeId}', 'sec_' || n, 'Part', '{}', 'usr_1', now(), now() from generate_series(${from}, ${to}) n`;

/** The limited items, how to create them, and how to fill a store up to one below the limit, with its counts. */
const limits: readonly [string, (n: number) => [string, object], string, (storeId: string) => string][] = [
  [
    'pages',
    (n) => [`${api}/pages`, { name: `Page ${n}` }],
    'too_many_pages',
    (storeId) => `insert into page_list (store_id, pages) values ('${storeId}', 9999)`,
  ],
  [
    'sections',
    (n) => ['/sections', { name: `Part ${n}`, document: createPage() }],
    'too_many_sections',
    (storeId) => sections(storeId, 1, 9999),
  ],
  [
    'articles',
    (n) => [`${api}/articles`, { title: `Tea ${n}` }],
    'too_many_articles',
    (storeId) =>
      `insert into article_total (store_id, scope, draft, published) values ('${storeId}', '', 99999, 900000)`,
  ],
  [
    'blog categories',
    (n) => [`${api}/blog-categories`, { name: 'Tea', slug: `tea-${n}` }],
    'too_many_blog_categories',
    (storeId) => `insert into blog (store_id, categories) values ('${storeId}', 9999)`,
  ],
];

test.each(limits)(
  'of %s a store has no more than it may, however many come at once; one that goes makes room',
  async (_, make, code, fill) => {
    const store = await newStore(system);
    const other = await newStore(system);
    await runSql(system, 'content', fill(store.storeId));
    const call = (of: typeof store, method: 'POST' | 'DELETE', path: string, body?: object) =>
      path.startsWith(api) ? of.api(method, path, body) : of.edit(method, path, body);
    const all = await Promise.all(Array.from({ length: 5 }, (__, n) => call(store, 'POST', ...make(n))));
    expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(all.find(({ status }) => status === 409)!.body).toMatchObject({
      code,
      error: expect.stringMatching(/^A store has at most [\d,]+ /),
    });
    const [path] = make(0);
    const [created] = Object.values(all.find(({ status }) => status === 201)!.body) as [{ id: string }];
    expect((await call(store, 'DELETE', `${path}/${created.id}`)).status).toBe(204);
    expect((await call(store, 'POST', ...make(9))).status).toBe(201);
    expect((await call(other, 'POST', ...make(0))).status).toBe(201);
  },
);

test('a store cannot exceed its number of translations, but can change existing ones', async () => {
  const store = await newStore(system);
  const entry = (n: number, value = 'Tee') => ({
    locale: 'de',
    entityType: 'product',
    entityId: `prd_${n}`,
    field: 'name',
    value,
  });
  const write = (...entries: object[]) => store.api('PUT', `${api}/translations`, { entries });
  // Two from before translations were counted.
  expect((await write(entry(0), entry(1))).status).toBe(200);
  const set = (count: string) =>
    runSql(
      system,
      'content',
      `update translated_store set translations = ${count} where store_id = '${store.storeId}'`,
    );
  await set('null');
  expect((await write(entry(2))).status).toBe(200);
  await set('translations + 4999996');
  const all = await Promise.all([3, 4, 5].map((n) => write(entry(n))));
  expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect(all.find(({ status }) => status === 409)!.body.code).toBe('too_many_translations');
  expect((await write(entry(0, 'Kaffee'))).status).toBe(200);
  const path = `${api}/translations?locale=de&entityType=product&entityId=prd_0&field=name`;
  expect((await store.api('DELETE', path)).status).toBe(204);
  expect((await write(entry(9))).status).toBe(200);
});
