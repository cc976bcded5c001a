import { startSystem, type TestSystem } from '@waybill/testing';
import fc from 'fast-check';
import { content } from '../src/index.ts';
import { newStore } from './store.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([content], { PUBLIC_BASE_URL: 'https://shop.example' });
});
afterAll(() => system.stop());

const open = () => newStore(system);
const pages = '/api/v1/pages';

interface PageSummary {
  id: string;
  name: string;
  position: number;
  isHomepage: boolean;
}

type Store = Awaited<ReturnType<typeof open>>;

async function create(store: Store, body: object) {
  const res = await store.api('POST', pages, body);
  expect(res.status).toBe(201);
  return res.body.page;
}
const list = async (store: Store): Promise<PageSummary[]> =>
  (await store.api('GET', `${pages}?limit=200`)).body.pages;
const names = async (store: Store) => (await list(store)).map(({ name }) => name).join('');

/** Checks the invariants of every store's list. */
async function expectInOrder(store: Store): Promise<void> {
  const all = await list(store);
  expect(all.map(({ position }) => position)).toEqual(all.map((_, i) => i));
  expect(all.filter(({ isHomepage }) => isHomepage)).toHaveLength(Math.min(all.length, 1));
}

describe('POST /pages', () => {
  test('gives the page with its defaults; the first becomes the homepage', async () => {
    const store = await open();
    const page = await create(store, { name: 'À propos', id: 'pag_mine', live: true, url: 'x', unknown: 1 });
    expect(page).toEqual({
      id: expect.stringMatching(/^pag_[0-9a-z]{26}$/),
      name: 'À propos',
      slug: 'a-propos',
      position: 0,
      isHomepage: true,
      settings: {},
      customFields: {},
      live: false,
      hasDraft: false,
      hasChanges: false,
      publishedAt: null,
      url: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: page.createdAt,
    });
    expect((await store.api('GET', `${pages}/${page.id}`)).body).toEqual({ page });
    expect(await create(store, { name: '東京' })).toMatchObject({ position: 1, isHomepage: false });
  });

  test('isHomepage demotes the previous homepage, false on the first page is ignored', async () => {
    const store = await open();
    const first = await create(store, { name: 'a', isHomepage: false });
    expect(first.isHomepage).toBe(true);
    expect((await create(store, { name: 'b', isHomepage: true })).isHomepage).toBe(true);
    expect((await store.api('GET', `${pages}/${first.id}`)).body.page.isHomepage).toBe(false);
  });

  test('a position shifts the others, one past the end means the end', async () => {
    const store = await open();
    for (const [name, position] of [
      ['a', 5],
      ['b', 0],
      ['c', 1],
      ['d', 99],
      ['e', Number.MAX_VALUE],
    ]) {
      await create(store, { name, position });
    }
    expect(await names(store)).toBe('bcade');
    await expectInOrder(store);
  });

  test('a derived slug is numbered, a given one that is taken is duplicate_slug', async () => {
    const store = await open();
    for (const slug of ['home', 'home-2', 'home-3'])
      expect((await create(store, { name: 'Home' })).slug).toBe(slug);
    expect(await store.api('POST', pages, { name: 'x', slug: 'home-2' })).toMatchObject({
      status: 409,
      body: { code: 'duplicate_slug' },
    });
    expect((await create(await open(), { name: 'x', slug: 'home' })).slug).toBe('home');
  });

  test('settings come back as they were sent', async () => {
    const store = await open();
    const settings = JSON.parse('{"z":1,"a":{"b":[null,true,1.5,"é"]},"__proto__":{"x":"y"},"title":"T"}');
    const page = await create(store, { name: 'x', settings });
    expect(JSON.stringify(page.settings)).toBe(JSON.stringify(settings));
    const read = await store.api('GET', `${pages}/${page.id}`);
    expect(read.text).toContain(JSON.stringify(settings));
  });

  test.each([
    [{}, 'invalid_body', '/name'],
    [{ name: '' }, 'invalid_body', '/name'],
    [{ name: 'x'.repeat(201) }, 'invalid_body', '/name'],
    [{ name: null }, 'invalid_body', '/name'],
    [{ name: 'a\0b' }, 'invalid_body', '/name'],
    [{ name: 'x', slug: 'Not A Slug' }, 'invalid_slug', '/slug'],
    [{ name: 'x', slug: 'x'.repeat(121) }, 'invalid_slug', '/slug'],
    [{ name: 'x', slug: null }, 'invalid_slug', '/slug'],
    [{ name: 'x', position: -1 }, 'invalid_body', '/position'],
    [{ name: 'x', position: 1.5 }, 'invalid_body', '/position'],
    [{ name: 'x', isHomepage: 'yes' }, 'invalid_body', '/isHomepage'],
    [{ name: 'x', settings: [] }, 'invalid_body', '/settings'],
    [{ name: 'x', settings: null }, 'invalid_body', '/settings'],
    [{ name: 'x', settings: { a: 'x'.repeat(65_536) } }, 'invalid_body', '/settings'],
  ])('400 for %j', async (body, code, pointer) => {
    const store = await open();
    const res = await store.api('POST', pages, body);
    expect(res).toMatchObject({ status: 400, body: { code, details: [{ pointer }] } });
    expect((await store.api('GET', pages)).body).toEqual({ pages: [], total: 0, nextCursor: null });
  });
});

describe('PATCH /pages/{id}', () => {
  test('absent fields mean unchanged, and a patch that changes nothing touches nothing', async () => {
    const store = await open();
    const page = await create(store, { name: 'Shop', settings: { a: 1 } });
    const path = `${pages}/${page.id}`;
    const same = { name: 'Shop', slug: 'shop', position: 3, isHomepage: false, settings: { a: 1 } };
    expect((await store.api('PATCH', path, same)).body.page).toEqual(page);
    expect((await store.api('PATCH', path, {})).body.page).toEqual(page);
    const renamed = (await store.api('PATCH', path, { name: 'Store' })).body.page;
    expect(renamed).toEqual({ ...page, name: 'Store', updatedAt: renamed.updatedAt });
    expect(renamed.updatedAt > page.updatedAt).toBe(true);
    const changed = await store.api('PATCH', path, { slug: 'store', settings: {} });
    expect(changed.body.page).toMatchObject({ slug: 'store', settings: {} });
  });

  test('a slug that another page has is duplicate_slug', async () => {
    const store = await open();
    await create(store, { name: 'a' });
    const { id } = await create(store, { name: 'b' });
    expect(await store.api('PATCH', `${pages}/${id}`, { slug: 'a', name: 'c' })).toMatchObject({
      status: 409,
      body: { code: 'duplicate_slug' },
    });
    expect(await names(store)).toBe('ab');
  });

  test('moving a page shifts those between', async () => {
    const store = await open();
    const ids: Record<string, string> = {};
    for (const name of 'abcde') ids[name] = (await create(store, { name })).id;
    const move = (name: string, position: number) =>
      store.api('PATCH', `${pages}/${ids[name]}`, { position });
    expect((await move('b', 3)).body.page.position).toBe(3);
    expect(await names(store)).toBe('acdbe');
    await move('e', 0);
    expect(await names(store)).toBe('eacdb');
    await move('a', 77);
    expect(await names(store)).toBe('ecdba');
    await expectInOrder(store);
  });

  test('the homepage passes on, and its mark cannot be taken without another', async () => {
    const store = await open();
    const [first, second] = [await create(store, { name: 'a' }), await create(store, { name: 'b' })];
    await store.api('PATCH', `${pages}/${second.id}`, { isHomepage: true });
    expect((await list(store)).map(({ isHomepage }) => isHomepage)).toEqual([false, true]);
    await store.api('PATCH', `${pages}/${second.id}`, { isHomepage: false });
    expect((await list(store)).map(({ isHomepage }) => isHomepage)).toEqual([false, true]);
    const demoted = (await store.api('GET', `${pages}/${first.id}`)).body.page;
    expect(demoted.updatedAt > first.updatedAt).toBe(true);
  });

  test("404 for an unknown page, another store's and an id of another kind", async () => {
    const page = await create(await open(), { name: 'a' });
    const store = await open();
    for (const id of [page.id, `pag_${'0'.repeat(26)}`, `prd_${'0'.repeat(26)}`, '%00', 'x']) {
      expect(await store.api('PATCH', `${pages}/${id}`, { name: 'b' })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
      expect((await store.api('GET', `${pages}/${id}`)).status).toBe(404);
      expect((await store.api('DELETE', `${pages}/${id}`)).status).toBe(404);
    }
  });
});

describe('DELETE /pages/{id}', () => {
  test('closes the gap, and the page with the lowest position follows the homepage', async () => {
    const store = await open();
    const all = [];
    for (const name of 'abc') all.push(await create(store, { name }));
    await store.api('PATCH', `${pages}/${all[1].id}`, { isHomepage: true });
    const res = await store.api('DELETE', `${pages}/${all[1].id}`);
    expect([res.status, res.text]).toEqual([204, '']);
    expect(await list(store)).toMatchObject([
      { name: 'a', position: 0, isHomepage: true },
      { name: 'c', position: 1, isHomepage: false },
    ]);
    await store.api('DELETE', `${pages}/${all[0].id}`);
    await store.api('DELETE', `${pages}/${all[2].id}`);
    expect((await store.api('GET', pages)).body).toEqual({ pages: [], total: 0, nextCursor: null });
    expect((await create(store, { name: 'd' })).isHomepage).toBe(true);
  });
});

describe('GET /pages', () => {
  test('lists by position in pages that do not overlap', async () => {
    const store = await open();
    for (const name of 'abcde') await create(store, { name });
    const { body } = await store.api('GET', `${pages}?limit=2&offset=3`);
    expect(body.total).toBe(5);
    expect(body.pages.map(({ name }: PageSummary) => name)).toEqual(['d', 'e']);
    expect((await store.api('GET', `${pages}?limit=0&offset=-1`)).body.pages).toHaveLength(5);
  });
});

describe('permissions', () => {
  test('403 insufficient_scope without the permission', async () => {
    const store = await open();
    const page = await create(store, { name: 'a' });
    const reader = store.withScopes(['pages.read']);
    expect((await reader('GET', pages)).status).toBe(200);
    for (const [method, path] of [
      ['POST', pages],
      ['PATCH', `${pages}/${page.id}`],
      ['DELETE', `${pages}/${page.id}`],
    ] as const) {
      expect(await reader(method, path, {})).toMatchObject({
        status: 403,
        body: { code: 'insufficient_scope' },
      });
    }
  });
});

describe('at the same moment', () => {
  test('twenty pages get twenty slugs and positions, and one is the homepage', async () => {
    const store = await open();
    const all = await Promise.all(
      Array.from({ length: 20 }, () => create(store, { name: 'Rush', isHomepage: true, position: 0 })),
    );
    expect(new Set(all.map(({ slug }) => slug)).size).toBe(20);
    await expectInOrder(store);
  });

  test('any changes at once leave one homepage and no gap', async () => {
    const change = fc.record({
      page: fc.nat(9),
      kind: fc.constantFrom('move', 'home', 'delete', 'create', 'rename'),
      position: fc.nat(12),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 4, maxLength: 12 }), async (changes) => {
        const store = await open();
        const ids: string[] = [];
        for (const name of 'abcdefghij') ids.push((await create(store, { name })).id);
        const statuses = await Promise.all(
          changes.map(async ({ page, kind, position }) => {
            const path = `${pages}/${ids[page]}`;
            if (kind === 'delete') return (await store.api('DELETE', path)).status;
            if (kind === 'create') return (await store.api('POST', pages, { name: 'n', position })).status;
            const body = { move: { position }, home: { isHomepage: true }, rename: { name: 'r' } }[kind];
            return (await store.api('PATCH', path, body)).status;
          }),
        );
        for (const status of statuses) expect([200, 201, 204, 404]).toContain(status);
        await expectInOrder(store);
      }),
      { numRuns: 15 },
    );
  });
});
