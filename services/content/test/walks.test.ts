import { checkWalks, runSql, startSystem, type TestSystem, type WalkedList } from '@waybill/testing';
import { content } from '../src/index.ts';
import { createPage, text } from './documents.ts';
import { type Method, newStore } from './store.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content]);
});
afterAll(() => system.stop());

let slugs = 0;
const newSlug = () => `s-${++slugs}`;

/** Creates the list of a new store, and the requests that change it. */
async function openList(
  key: string,
  path: string,
  rules: (store: {
    ask(method: Method, rest?: string, body?: object): Promise<Record<string, { id: string }>>;
    rows(): Promise<{ id: string; parentId?: string | null }[]>;
  }) => Pick<WalkedList, 'add' | 'remove' | 'change'>,
): Promise<WalkedList> {
  const { api, edit } = await newStore(system);
  const send = path === 'sections' ? edit : api;
  const base = path === 'sections' ? '/sections' : `/api/v1/${path}`;
  const ask = async (method: Method, rest = '', body?: object) => {
    const res = await send(method, base + rest, body);
    if (res.status >= 300) throw new Error(`${method} ${base}${rest}: ${res.status} ${res.text}`);
    return res.body;
  };
  return {
    async page(query) {
      const body = await ask('GET', `?${query}`);
      return { ids: body[key].map(({ id }: { id: string }) => id), nextCursor: body.nextCursor };
    },
    ...rules({ ask, rows: async () => (await ask('GET', '?limit=200'))[key] }),
  };
}

test('a walk through pages meets each that stood there throughout once, though others shift it', () =>
  checkWalks(
    () =>
      openList('pages', 'pages', ({ ask }) => ({
        add: async (position) => (await ask('POST', '', { name: 'A', slug: newSlug(), position })).page!.id,
        async remove(id) {
          await ask('DELETE', `/${id}`);
        },
        change: (id, position) => ask('PATCH', `/${id}`, { position }),
      })),
    [''],
    15,
  ));

test('a walk through blog categories meets each that stood there throughout once', () =>
  checkWalks(
    () =>
      openList('blogCategories', 'blog-categories', ({ ask, rows }) => {
        const placed = async (value: number, id?: string) => {
          const top = (await rows()).filter((row) => row.parentId === null && row.id !== id);
          const parentId = value === 2 ? (top[0]?.id ?? null) : null;
          return { name: 'A', slug: newSlug(), parentId, position: value % 2 };
        };
        return {
          add: async (value) => (await ask('POST', '', await placed(value))).blogCategory!.id,
          async remove(id) {
            const children = (await rows()).filter((row) => row.parentId === id);
            await ask('DELETE', `/${id}`);
            return children.map((child) => child.id);
          },
          // Never below its own children.
          change: async (id, value) => ask('PUT', `/${id}`, await placed(value % 2, id)),
        };
      }),
    [''],
    20,
  ));

test('ranks that have become long are made anew, in the same order', async () => {
  const { api, storeId } = await newStore(system);
  const create = async (position: number) =>
    (await api('POST', '/api/v1/pages', { name: 'A', slug: newSlug(), position })).body.page.id;
  const [first, last] = [await create(0), await create(1)];
  await runSql(
    system,
    'content',
    `update page set rank = rank + 1e-301 where store_id = '${storeId}' and id = '${first}'`,
  );
  const second = await create(1);
  expect((await api('GET', '/api/v1/pages')).body.pages.map(({ id }: { id: string }) => id)).toEqual([
    first,
    second,
    last,
  ]);
  const { nextCursor } = (await api('GET', '/api/v1/pages?limit=1')).body;
  expect(nextCursor.length).toBeLessThan(100);
});

test('a walk through articles meets each that stood there throughout once', () =>
  checkWalks(
    () =>
      openList('articles', 'articles', ({ ask }) => {
        const createArticle = (value: number) => ({
          title: `News ${value}`,
          status: value === 0 ? 'draft' : 'published',
        });
        return {
          add: async (value) => (await ask('POST', '', createArticle(value))).article!.id,
          async remove(id) {
            await ask('DELETE', `/${id}`);
          },
          change: (id, value) => ask('PUT', `/${id}`, createArticle(value)),
        };
      }),
    ['created', 'updated', 'published', 'title'].flatMap((sort) =>
      ['asc', 'desc'].flatMap((dir) =>
        ['', '&status=draft', '&status=published', '&q=news'].map(
          (filter) => `sort=${sort}&dir=${dir}${filter}`,
        ),
      ),
    ),
  ));

test('a walk through sections meets each that stood there throughout once', () =>
  checkWalks(
    () =>
      openList('sections', 'sections', ({ ask }) => ({
        add: async () =>
          (await ask('POST', '', { name: 'A', document: createPage(text('t', 'A')) })).section!.id,
        async remove(id) {
          await ask('DELETE', `/${id}`);
        },
        change: (id, value) =>
          ask('PUT', `/${id}`, { name: 'A', document: createPage(text('t', `${value}`)) }),
      })),
    [''],
    4,
  ));
