import { type CategoryRule, foldText, newId, type RuleCondition, storeLimits } from '@waybill/contracts';
import { countStatements, eventually, openTestDatabase, runSql, shiftTimes } from '@waybill/testing';
import fc from 'fast-check';
import request from 'supertest';
import { findChangedProducts } from '../src/categories/match-queries.ts';
import { compileNextChange, compileRule, type ProductFactsForRules } from '../src/categories/rules.ts';
import { listed as productList } from '../src/products/list-queries.ts';
import { ProductIndexes } from '../src/storefront/indexes.ts';
import type { Tables } from '../src/tables.ts';
import { newStore, system, useCatalog } from './stores.ts';

useCatalog();

type Store = ReturnType<typeof newStore>;
type Listed = { id: string; name: string; parentId: string | null; position: number };

async function create(store: Store, body: object) {
  const { status, body: answer } = await store.categories('post', '', { name: 'Tea', ...body });
  expect([status, answer.code]).toEqual([201, undefined]);
  return answer.category;
}
const sql = async (statement: string) =>
  (await runSql(system, 'catalog', statement)) as Record<string, unknown>[];
const products = (store: Store, count: number, change: (i: number) => object = () => ({})) =>
  Promise.all(Array.from({ length: count }, (_, i) => store.create({ name: `P${i}`, ...change(i) })));
const listed = async (store: Store, id: string, query = '') =>
  (await store.categories('get', `/${id}/products${query}`)).body.products.map(
    (each: { id: string }) => each.id,
  );
const tree = async (store: Store) =>
  ((await store.categories('get')).body.categories as Listed[]).map(({ name, parentId, position }) => [
    name,
    parentId,
    position,
  ]);

test('a preview counts a rule’s products and lists the first, and stores nothing', async () => {
  const store = newStore();
  await products(store, 7, (i) => ({ tags: i % 2 ? ['odd'] : ['even'], vendor: i < 2 ? 'Ridge' : 'Vale' }));
  const other = newStore();
  await products(other, 2, () => ({ tags: ['odd'] }));
  const preview = async (rule: object, rest: object = {}) => store.preview({ rule, ...rest });
  const is = (field: string, value: unknown) => ({ field, op: 'is', value });
  const odd = await preview({ match: 'all', conditions: [is('tag', 'odd')] }, { limit: 2 });
  expect([odd.status, odd.body.total, odd.body.products.map(({ name }: { name: string }) => name)]).toEqual([
    200,
    3,
    [expect.stringMatching(/^P[135]$/), expect.stringMatching(/^P[135]$/)],
  ]);
  expect(odd.body.products[0]).toMatchObject({ status: 'draft', imageMediaId: null });
  const any = await preview({ match: 'any', conditions: [is('tag', 'odd'), is('vendor', 'Ridge')] });
  expect(any.body.total).toBe(4);
  for (const [condition, pointer] of [
    [{ field: 'stock', op: 'contains', value: 'x' }, '/rule/conditions/0/op'],
    [is('customField.nowhere', 'x'), '/rule/conditions/0/field'],
    [is('category', newId('category')), '/rule/conditions/0/value'],
  ] as const) {
    const { status, body } = await preview({ match: 'all', conditions: [condition] });
    expect([status, body.code, body.details[0].pointer]).toEqual([400, 'invalid_body', pointer]);
  }
  expect((await store.categories('get')).body.total).toBe(0);
});

describe('categories', () => {
  test('are created with their defaults and changed, and each change is an event', async () => {
    const store = newStore();
    const category = await create(store, { name: ' Schwarzer Tee ' });
    expect(category).toEqual({
      id: expect.stringMatching(/^cat_[0-9a-z]{26}$/),
      name: 'Schwarzer Tee',
      slug: 'schwarzer-tee',
      description: '',
      parentId: null,
      position: 0,
      imageMediaId: null,
      kind: 'manual',
      rule: null,
      sort: { by: 'manual', dir: 'asc' },
      seo: { title: '', description: '', imageMediaId: null },
      customFields: {},
      productsCount: 0,
      truncated: false,
      createdAt: expect.any(String),
      updatedAt: category.createdAt,
    });
    expect((await create(store, { name: 'Schwarzer Tee' })).slug).toBe('schwarzer-tee-2');
    const path = `/${category.id}`;
    const patched = await store.categories('patch', path, {
      seo: { title: 'T' },
      sort: { dir: 'desc' },
      imageMediaId: newId('mediaAsset'),
    });
    expect(patched.body.category).toMatchObject({
      seo: { title: 'T', description: '' },
      sort: { by: 'manual', dir: 'desc' },
      imageMediaId: null,
    });
    const same = await store.categories('patch', path, { seo: { title: 'T' } });
    expect(same.body).toEqual(patched.body);
    const renamed = await store.categories('patch', path, {
      name: 'Tee',
      description: '<p onclick="x()">y</p>',
    });
    expect(renamed.body).toMatchObject({
      category: { name: 'Tee', slug: 'schwarzer-tee', description: '<p>y</p>', seo: { title: 'T' } },
      warnings: [{ count: 1 }],
    });
    expect((await store.categories('put', path, { name: 'Tee' })).status).toBe(405);
    expect((await store.categories('delete', path)).status).toBe(204);
    expect((await store.categories('get', path)).status).toBe(404);
    await eventually(() => store.events().length >= 5);
    expect(store.events().map(({ name }) => name)).toEqual(
      ['created', 'created', 'updated', 'updated', 'deleted'].map((each) => `catalog.category.${each}`),
    );
  });

  const condition = (field: string, op: string, value: unknown) => ({
    kind: 'rule',
    rule: { match: 'all', conditions: [{ field, op, value }] },
  });
  test.each<[object, number, string, string | null]>([
    [{ name: ' ' }, 400, 'invalid_body', '/name'],
    [{ slug: 'No' }, 400, 'invalid_slug', '/slug'],
    [{ slug: 'taken' }, 409, 'duplicate_slug', null],
    [{ parentId: newId('category') }, 404, 'not_found', null],
    [{ kind: 'other' }, 400, 'invalid_body', '/kind'],
    [{ kind: 'rule' }, 400, 'invalid_body', '/rule'],
    [
      { rule: { match: 'all', conditions: [{ field: 'tag', op: 'is', value: 'a' }] } },
      400,
      'invalid_body',
      '/rule',
    ],
    [{ kind: 'rule', rule: { match: 'all', conditions: [] } }, 400, 'invalid_body', '/rule/conditions'],
    [{ ...condition('tag', 'is', 'a'), sort: { by: 'manual' } }, 400, 'invalid_body', '/sort/by'],
    [condition('colour', 'is', 'a'), 400, 'invalid_body', '/rule/conditions/0/field'],
    [condition('customField.none', 'is', 'a'), 400, 'invalid_body', '/rule/conditions/0/field'],
    [condition('tag', 'above', 'a'), 400, 'invalid_body', '/rule/conditions/0/op'],
    [condition('createdAt', 'is', '2026-01-01'), 400, 'invalid_body', '/rule/conditions/0/op'],
    [condition('createdAt', 'above', 'yesterday'), 400, 'invalid_body', '/rule/conditions/0/value'],
    [condition('createdAt', 'within', '3'), 400, 'invalid_body', '/rule/conditions/0/value'],
    [condition('stock', 'contains', 1), 400, 'invalid_body', '/rule/conditions/0/op'],
    [condition('stock', 'is', '1'), 400, 'invalid_body', '/rule/conditions/0/value'],
    [condition('category', 'is', newId('category')), 400, 'invalid_body', '/rule/conditions/0/value'],
  ])('%j is refused with %i %s', async (body, status, code, pointer) => {
    const store = newStore();
    await create(store, { slug: 'taken' });
    const reply = await store.categories('post', '', { name: 'x', ...body });
    expect([reply.status, reply.body.code, reply.body.details?.[0].pointer ?? null]).toEqual([
      status,
      code,
      pointer,
    ]);
  });

  test('form a tree that is listed by parent and position', async () => {
    const store = newStore();
    const [a, b] = [await create(store, { name: 'A' }), await create(store, { name: 'B' })];
    const c = await create(store, { name: 'C', position: 0 });
    const [b1, b2] = [
      await create(store, { name: 'B1', parentId: b.id }),
      await create(store, { name: 'B2', parentId: b.id, position: 99 }),
    ];
    expect(await tree(store)).toEqual([
      ['C', null, 0],
      ['A', null, 1],
      ['B', null, 2],
      ['B1', b.id, 0],
      ['B2', b.id, 1],
    ]);
    const move = async (id: string, body: object) => (await store.categories('patch', `/${id}`, body)).body;
    expect((await move(b.id, { parentId: b2.id })).code).toBe('cycle_detected');
    expect((await move(b.id, { parentId: b.id })).code).toBe('cycle_detected');
    expect((await move(b2.id, { position: 0 })).category.position).toBe(0);
    expect((await move(b1.id, { parentId: null, position: 1 })).category).toMatchObject({
      parentId: null,
      position: 1,
    });
    expect(await tree(store)).toEqual([
      ['C', null, 0],
      ['B1', null, 1],
      ['A', null, 2],
      ['B', null, 3],
      ['B2', b.id, 0],
    ]);
    await create(store, { name: 'B3', parentId: b.id });
    await store.categories('delete', `/${b.id}`);
    expect((await tree(store)).map(([name, , position]) => [name, position])).toEqual([
      ['C', 0],
      ['B1', 1],
      ['A', 2],
      ['B2', 3],
      ['B3', 4],
    ]);
    // A tree never has more than eight levels, whatever is moved.
    let parentId = a.id;
    for (let level = 2; level <= 8; level++)
      parentId = (await create(store, { name: `L${level}`, parentId })).id;
    expect((await store.categories('post', '', { name: 'x', parentId })).body.code).toBe('invalid_body');
    expect((await move(a.id, { parentId: c.id })).code).toBe('invalid_body');
    const walked = [];
    for (let after = ''; ; ) {
      const { body } = await store.categories('get', `?limit=3${after}`);
      walked.push(...body.categories.map(({ id }: Listed) => id));
      if (!body.nextCursor) break;
      after = `&after=${body.nextCursor}`;
    }
    expect(new Set(walked).size).toBe(12);
  });

  test('are deleted with few statements, however many children move up', async () => {
    const store = newStore();
    const { id } = await create(store, { name: 'Root' });
    const children = Array.from({ length: 40 }, (_, i) => create(store, { name: `C${i}`, parentId: id }));
    await Promise.all(children);
    await eventually(() => store.events().length >= 41);
    expect(await countStatements(() => store.categories('delete', `/${id}`))).toBeLessThan(40);
    await eventually(() => store.events().length >= 82);
    const names = store.events().map(({ name }) => name);
    expect([names[41], new Set(names.slice(42))]).toEqual([
      'catalog.category.deleted',
      new Set(['catalog.category.updated']),
    ]);
  });

  test('form no cycle when two of them are moved below each other simultaneously', async () => {
    const store = newStore();
    const [a, b] = [await create(store, { name: 'A' }), await create(store, { name: 'B' })];
    for (let round = 0; round < 5; round++) {
      const etags = await Promise.all(
        [a, b].map(async ({ id }) => (await store.categories('get', `/${id}`)).headers.etag),
      );
      const moves = await Promise.all([
        store.categories('patch', `/${a.id}`, { parentId: b.id }, { 'if-match': etags[0] }),
        store.categories('patch', `/${b.id}`, { parentId: a.id }, { 'if-match': etags[1] }),
      ]);
      // The second move finds a cycle, or finds that the first move has shifted its category.
      const [moved, refused] = moves.map(({ status }) => status).sort();
      expect(moved).toBe(200);
      expect([409, 412]).toContain(refused);
      await Promise.all([a, b].map(({ id }) => store.categories('patch', `/${id}`, { parentId: null })));
    }
  });

  test('keep omitted parts of their rule', async () => {
    const store = newStore();
    const conditions = [{ field: 'tag', op: 'is', value: 'a' }];
    const { id } = await create(store, { kind: 'rule', rule: { match: 'all', conditions } });
    const patch = (rule: object | null, of = id) => store.categories('patch', `/${of}`, { rule });
    expect((await patch({ match: 'any' })).body.category.rule).toEqual({ match: 'any', conditions });
    const others = [{ field: 'tag', op: 'is', value: 'b' }];
    expect((await patch({ conditions: others })).body.category.rule).toEqual({
      match: 'any',
      conditions: others,
    });
    expect((await patch(null)).body.details[0].pointer).toBe('/rule');
    const manual = await create(store, { name: 'Manual' });
    expect((await patch({ match: 'any' }, manual.id)).body.details).toEqual([
      { pointer: '/rule', message: 'must be null where the kind is "manual"' },
    ]);
  });

  test('keep conditions on deleted categories and custom fields, but take no new ones', async () => {
    const store = newStore();
    const manual = await create(store, { name: 'Manual' });
    const field = { entity: 'product', key: 'season', name: 'Season', type: 'text' };
    const definition = (await store.fields('post', '', field)).body.customField;
    const conditions = [
      { field: 'category', op: 'isNot', value: manual.id },
      { field: 'customField.season', op: 'is', value: 'x' },
    ];
    const { id } = await create(store, { kind: 'rule', rule: { match: 'all', conditions } });
    await store.categories('delete', `/${manual.id}`);
    await store.fields('delete', `/${definition.id}`);
    const patch = (rule: object) => store.categories('patch', `/${id}`, { rule });
    const added = [{ field: 'tag', op: 'is', value: 'a' }, ...conditions];
    const changed = await patch({ match: 'any', conditions: added });
    expect(changed.body.category.rule).toEqual({ match: 'any', conditions: added });
    const others = conditions.map((each) => ({ ...each, op: each.op === 'is' ? 'isNot' : 'is' }));
    expect((await patch({ conditions: others })).body.details).toMatchObject([
      { pointer: '/rule/conditions/0/value' },
      { pointer: '/rule/conditions/1/field' },
    ]);
    expect((await patch({ conditions: [added[0]] })).status).toBe(200);
    expect((await patch({ conditions: added })).status).toBe(400);
  });

  test('of another store are not found', async () => {
    const store = newStore();
    const { id } = await create(store, {});
    const other = newStore();
    for (const [method, path, body] of [
      ['get', ''],
      ['patch', '', {}],
      ['delete', ''],
      ['get', '/products'],
      ['put', '/products', { productIds: [] }],
      ['post', '/products', {}],
    ] as const)
      expect((await other.categories(method, `/${id}${path}`, body)).status).toBe(404);
  });
});

describe('a manual category', () => {
  test('contains products in order, and appears in the products', async () => {
    const store = newStore();
    const { id, updatedAt } = await create(store, {});
    const [a, b, c] = (await products(store, 3)).map((product) => product.id);
    const etag = (await store.categories('get', `/${id}`)).headers.etag;
    const set = await store.categories('put', `/${id}/products`, { productIds: [c, a, c] });
    expect(set.body.category).toMatchObject({ productsCount: 2, updatedAt });
    expect(await listed(store, id)).toEqual([c, a]);
    const read = await store.categories('get', `/${id}`);
    expect([read.body.category.productsCount, read.headers.etag]).toEqual([2, etag]);
    const known = await store.categories('get', `/${id}`, undefined, { 'if-none-match': etag });
    expect([known.status, known.headers.etag]).toEqual([304, etag]);
    const member = await store.get(`/${a}`);
    expect(member.body.product.categoryIds).toEqual([id]);
    // Membership in categories is not part of a product's state.
    const left = await store.categories('post', `/${id}/products`, { remove: [a] });
    expect([left.status, (await store.get(`/${a}`)).headers.etag]).toEqual([200, member.headers.etag]);
    const renamed = await store.patch(a, { vendor: 'V' }, { 'if-match': member.headers.etag });
    expect(renamed.headers.etag).not.toBe(member.headers.etag);
    await store.categories('put', `/${id}/products`, { productIds: [c, a] });
    expect((await store.get(`/${a}`)).headers.etag).toBe(renamed.headers.etag);
    expect((await store.get(`?categoryId=${id}&sort=name`)).body).toMatchObject({
      total: 2,
      products: [{ id: a }, { id: c }],
    });
    expect((await store.get(`?categoryId=${id}&q=P0`)).body).toMatchObject({
      total: 1,
      products: [{ id: a }],
    });
    expect((await store.get(`?categoryId=${newId('category')}`)).body.total).toBe(0);
    await store.categories('post', `/${id}/products`, { add: [b, c, b], remove: [a] });
    expect(await listed(store, id)).toEqual([c, b]);
    expect(await listed(store, id, '?limit=1&offset=1')).toEqual([b]);
    const unknown = await store.categories('put', `/${id}/products`, { productIds: [newId('product')] });
    expect([unknown.status, await listed(store, id)]).toEqual([404, [c, b]]);
    await store.delete(b);
    expect(await listed(store, id)).toEqual([c]);
    await store.categories('patch', `/${id}`, { sort: { by: 'name', dir: 'desc' } });
    await store.categories('post', `/${id}/products`, { add: [a] });
    expect(await listed(store, id)).toEqual([c, a]);
    await store.categories('delete', `/${id}`);
    expect((await store.get(`/${a}`)).body.product.categoryIds).toEqual([]);
  });
});

test('the categories of a product count in the bytes of a list', async () => {
  const store = newStore();
  const product = await store.create({ name: 'P' });
  const bytes = async () =>
    Number(
      (await sql(`select ${productList.bytes} as bytes from product p where id = '${product.id}'`))[0]!.bytes,
    );
  const before = await bytes();
  for (let i = 0; i < 3; i++) {
    const { id } = await create(store, { name: `C${i}` });
    await store.categories('post', `/${id}/products`, { add: [product.id] });
  }
  const { categoryIds } = (await store.get(`/${product.id}`)).body.product;
  expect((await bytes()) - before).toBe(JSON.stringify(categoryIds).length - 1);
});

describe('a rule', () => {
  const within = (holds: () => Promise<boolean>, withinMs: number) => eventually(holds, { withinMs });

  test('finds its products when it is created, and follows their changes', async () => {
    const store = newStore();
    const [a, b] = (await products(store, 2, (i) => ({ tags: i === 0 ? ['Sale'] : [] }))).map(
      (each) => each.id,
    );
    const rule = { match: 'any', conditions: [{ field: 'tag', op: 'contains', value: 'SALE' }] };
    const { id } = await create(store, { kind: 'rule', rule });
    const contains =
      (...ids: string[]) =>
      async () =>
        (await listed(store, id)).join() === ids.join();
    await within(contains(a), 15_000);
    expect((await store.get(`/${a}`)).body.product.categoryIds).toEqual([id]);
    await store.patch(b, { tags: ['presale'] });
    await within(contains(a, b), 10_000);
    await store.patch(a, { tags: [] });
    await within(contains(b), 10_000);
    const created = await store.create({ name: 'O', tags: ['sale'] });
    await within(contains(created.id, b), 10_000);
    await store.categories('patch', `/${id}`, {
      rule: { match: 'all', conditions: [{ field: 'name', op: 'is', value: 'P0' }] },
    });
    await within(contains(a), 15_000);
    expect((await store.categories('put', `/${id}/products`, { productIds: [] })).body.code).toBe(
      'invalid_state',
    );
  });

  test('follows a changed product within a second while all rules are matched', async () => {
    const store = newStore();
    const tag = (value: string) => ({ match: 'all', conditions: [{ field: 'tag', op: 'is', value }] });
    const { id } = await create(store, { kind: 'rule', rule: tag('new') });
    const others = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        create(store, { name: `R${i}`, kind: 'rule', rule: tag(`t${i}`) }),
      ),
    );
    const product = await store.create({ name: 'Late' });
    await Promise.all(others.map((each) => store.categories('patch', `/${each.id}`, { rule: tag('other') })));
    await store.patch(product.id, { tags: ['new'] });
    const changedAt = Date.now();
    await within(async () => (await listed(store, id)).length === 1, 5_000);
    // `decisions.md 20.3` allows one second; the rest is tolerance for a busy machine.
    expect(Date.now() - changedAt).toBeLessThan(3_000);
  });

  test('of a failing store do not delay others', async () => {
    const rule = { match: 'all', conditions: [{ field: 'tag', op: 'is', value: 'x' }] };
    const [broken, sound] = [newStore(), newStore()];
    await create(broken, { kind: 'rule', rule });
    const category = await create(sound, { kind: 'rule', rule });
    await runSql(
      system,
      'catalog',
      `update category set rule = '{"match":"all","conditions":[null]}' where store_id = '${broken.storeId}'`,
    );
    await broken.create({ name: 'B', tags: ['x'] });
    const { id } = await sound.create({ name: 'S', tags: ['x'] });
    await within(async () => (await listed(sound, category.id)).join() === id, 10_000);
  });

  test('of stock follow sales, and of a manual category its content', async () => {
    const store = newStore();
    const product = await store.create({ name: 'Cup', variants: [{ priceCents: 100, stock: 1 }] });
    const manual = await create(store, { name: 'Manual' });
    const left = await create(store, {
      kind: 'rule',
      rule: { match: 'all', conditions: [{ field: 'stock', op: 'above', value: 0 }] },
    });
    const not = await create(store, {
      kind: 'rule',
      rule: { match: 'all', conditions: [{ field: 'category', op: 'isNot', value: manual.id }] },
    });
    const is = async (ids: string[]) =>
      (await store.get(`/${product.id}`)).body.product.categoryIds.join() === ids.join();
    await within(() => is([left.id, not.id]), 15_000);
    await store.post({ delta: -1 }, `/${product.id}/variants/${product.variants[0].id}/stock`);
    await within(() => is([not.id]), 15_000);
    await store.categories('put', `/${manual.id}/products`, { productIds: [product.id] });
    await within(() => is([manual.id]), 15_000);
    await store.categories('delete', `/${manual.id}`);
    await within(() => is([not.id]), 15_000);
  });

  const copyProducts = (store: Store, count: number) =>
    sql(`insert into product select copy.* from product p, generate_series(1, ${count}) as n,
           jsonb_populate_record(p, jsonb_build_object(
             'id', p.id || lpad(n::text, 6, '0'), 'slug', 'copy-' || n, 'number', 1000 + n)) as copy
         where p.store_id = '${store.storeId}' and p.number = (
           select min(number) from product where store_id = '${store.storeId}')`);
  const settled = (store: Store) =>
    within(
      async () =>
        (await sql(`select id from category where store_id = '${store.storeId}' and match_at is not null`))
          .length === 0,
      30_000,
    );
  const readVersion = async (id: string) =>
    (await sql(`select xmin::text, match_at, passes_at from category where id = '${id}'`))[0];

  test('of a store with very many rules do not delay those of others', async () => {
    const [large, small] = [newStore(), newStore()];
    const rule = { match: 'all', conditions: [{ field: 'tag', op: 'is', value: 'x' }] };
    const { id } = await create(large, { kind: 'rule', rule });
    await large.create({ name: 'L' });
    const { id: wanted } = await small.create({ name: 'S', tags: ['x'] });
    await settled(large);
    await copyProducts(large, 10_000);
    await sql(`insert into category select copy.* from category c, generate_series(1, 300) as n,
        jsonb_populate_record(c, jsonb_build_object('id', c.id || n, 'slug', 'rule-' || n, 'position', n,
          'match_at', now() - interval '1 hour')) as copy
      where c.store_id = '${large.storeId}' and c.id = '${id}'`);
    const category = await create(small, { kind: 'rule', rule });
    const madeAt = Date.now();
    await within(async () => (await listed(small, category.id)).join() === wanted, 20_000);
    expect(Date.now() - madeAt).toBeLessThan(5_000);
    // The store's rules are matched together, not one after the other.
    await settled(large);
  }, 60_000);

  test('that depends on time is matched again when time removes a product', async () => {
    const store = newStore();
    const rule = { match: 'all', conditions: [{ field: 'createdAt', op: 'within', value: 1 }] };
    const { id } = await create(store, { kind: 'rule', rule });
    await settled(store);
    expect(await readVersion(id)).toMatchObject({ match_at: null, passes_at: null });
    const product = await store.create({ name: 'New' });
    await within(async () => (await listed(store, id)).length === 1, 10_000);
    const passesAt = Date.parse(product.createdAt) + 86_400_001;
    expect(await readVersion(id)).toMatchObject({ match_at: null, passes_at: new Date(passesAt) });
    await sql(`update product set ${shiftTimes('created_at', '2 days')} where id = '${product.id}';
               update category set passes_at = now() where id = '${id}'`);
    await within(async () => (await listed(store, id)).length === 0, 10_000);
    await settled(store);
    expect(await readVersion(id)).toMatchObject({ match_at: null, passes_at: null });
  });

  test('that waits for a date of a product is matched again when it arrives', async () => {
    const store = newStore();
    const field = { entity: 'product', key: 'sale', name: 'Sale', type: 'instant' };
    const definition = (await store.fields('post', '', field)).body.customField;
    const rule = { match: 'all', conditions: [{ field: 'customField.sale', op: 'within', value: 1 }] };
    const { id } = await create(store, { kind: 'rule', rule });
    await settled(store);
    const sale = new Date(Date.now() + 86_400_000);
    const product = await store.create({ name: 'Sale', customFields: { sale: sale.toISOString() } });
    await within(async () => (await readVersion(id))!.passes_at !== null, 10_000);
    expect(await readVersion(id)).toMatchObject({ match_at: null, passes_at: sale });
    expect(await listed(store, id)).toEqual([]);
    const arrived = JSON.stringify({ [definition.id]: new Date().toISOString() });
    await sql(`update product set custom_fields = '${arrived}' where id = '${product.id}';
               update category set passes_at = now() where id = '${id}'`);
    await within(async () => (await listed(store, id)).join() === product.id, 10_000);
  });

  test('on a manual category is matched only with the products that it gains or loses', async () => {
    const store = newStore();
    const [a, b] = (await products(store, 2)).map((each) => each.id);
    const manual = await create(store, { name: 'Manual' });
    const { id } = await create(store, {
      kind: 'rule',
      rule: { match: 'all', conditions: [{ field: 'category', op: 'is', value: manual.id }] },
    });
    await settled(store);
    const isMember = async (of: string) => (await store.get(`/${of}`)).body.product.categoryIds.includes(id);
    const change = async (body: object) => store.categories('post', `/${manual.id}/products`, body);
    // Members change at once, without a scan of all products.
    await change({ add: [a] });
    expect([await isMember(a), await isMember(b)]).toEqual([true, false]);
    await store.categories('put', `/${manual.id}/products`, { productIds: [b, a] });
    expect([await isMember(a), await isMember(b)]).toEqual([true, true]);
    await change({ remove: [a] });
    expect([await isMember(a), await isMember(b)]).toEqual([false, true]);
    await store.categories('delete', `/${manual.id}`);
    expect([await isMember(a), await isMember(b)]).toEqual([false, false]);
    expect(await readVersion(id)).toMatchObject({ match_at: null });
  });

  test('follows new and deleted custom fields, and ignores changes of them', async () => {
    const store = newStore();
    const field = { entity: 'product', key: 'season', name: 'Season', type: 'text' };
    const definition = (await store.fields('post', '', field)).body.customField;
    const { id } = await create(store, {
      kind: 'rule',
      rule: { match: 'all', conditions: [{ field: 'customField.season', op: 'is', value: 'x' }] },
    });
    await settled(store);
    const before = await readVersion(id);
    const change = { name: 'Saison', visibility: 'public', isFilterable: true, rules: { max: 40 } };
    expect((await store.fields('patch', `/${definition.id}`, change)).status).toBe(200);
    expect(await readVersion(id)).toEqual(before);
    await store.fields('delete', `/${definition.id}`);
    expect(await readVersion(id)).not.toEqual(before);
  });

  test('follows very many changes in parts, without blocking other stores', async () => {
    const [large, small] = [newStore(), newStore()];
    const rule = { match: 'all', conditions: [{ field: 'tag', op: 'is', value: 'x' }] };
    const [all, one] = [
      await create(large, { kind: 'rule', rule }),
      await create(small, { kind: 'rule', rule }),
    ];
    await large.create({ name: 'L', tags: ['x'] });
    await copyProducts(large, 12_000);
    const db = await openTestDatabase<Tables>(system.databaseUrl('catalog'));
    try {
      const { byStore, next } = await findChangedProducts(db, 20_000, new Map(), '');
      expect(byStore.get(large.storeId)!.length).toBeLessThanOrEqual(1_000);
      const { since } = next.get(large.storeId)!;
      const rest = await findChangedProducts(db, 0, new Map([[large.storeId, { since, id: 'z' }]]), '');
      expect([rest.byStore.has(large.storeId), rest.upTo]).toEqual([false, null]);
    } finally {
      await db.destroy();
    }
    const { id } = await small.create({ name: 'S', tags: ['x'] });
    await within(async () => (await listed(small, one.id)).join() === id, 60_000);
    // The small store did not wait for the large one.
    const total = async () => (await large.categories('get', `/${all.id}`)).body.category.productsCount;
    expect(await total()).toBeLessThan(12_001);
    await within(async () => (await total()) === 12_001, 120_000);
  }, 200_000);

  test('contains at most the limit of a store’s rules, and says so', async () => {
    const store = newStore();
    const createRule = (value: string) => ({
      match: 'all',
      conditions: [{ field: 'tag', op: 'is', value }],
    });
    const [full, one] = [
      await create(store, { kind: 'rule', rule: createRule('none') }),
      await create(store, { kind: 'rule', rule: createRule('x') }),
    ];
    const read = async (id: string) => (await store.categories('get', `/${id}`)).body.category;
    const db = await openTestDatabase<Tables>(system.databaseUrl('catalog'));
    try {
      const isScanned = async () => {
        const due = db.selectFrom('category').select('id').where('store_id', '=', store.storeId);
        return (await due.where('match_at', 'is not', null).execute()).length === 0;
      };
      await within(isScanned, 10_000);
      await db
        .updateTable('category')
        .set({ members: storeLimits.ruleMembers - 1 })
        .where('id', '=', full.id)
        .execute();
      for (const name of ['A', 'B']) await store.create({ name, tags: ['x', name] });
      await within(async () => (await read(one.id)).truncated, 10_000);
      expect(await listed(store, one.id)).toHaveLength(1);
      const refused = await store.categories('post', '', { name: 'C', kind: 'rule', rule: createRule('y') });
      expect([refused.status, refused.body.code]).toEqual([409, 'too_many_rule_members']);
      const widened = await store.categories('patch', `/${full.id}`, { rule: createRule('y') });
      expect(widened.body.code).toBe('too_many_rule_members');
      expect((await store.categories('post', '', { name: 'By hand' })).status).toBe(201);

      // A truncated rule may be narrowed, and a deleted category makes room.
      expect((await store.categories('patch', `/${one.id}`, { rule: createRule('A') })).status).toBe(200);
      await within(async () => !(await read(one.id)).truncated, 10_000);
      expect((await store.categories('delete', `/${full.id}`)).status).toBe(204);
      expect((await store.categories('patch', `/${one.id}`, { rule: createRule('x') })).status).toBe(200);
      await within(async () => (await listed(store, one.id)).length === 2, 10_000);
      await within(isScanned, 10_000);
      const members = db.selectFrom('category').select('members').where('id', '=', one.id);
      expect(await members.executeTakeFirst()).toEqual({ members: 2 });
      expect((await read(one.id)).truncated).toBe(false);
    } finally {
      await db.destroy();
    }
  }, 60_000);

  test('reports when time ends it for a member', () => {
    const now = Date.UTC(2026, 0, 10);
    const day = 86_400_000;
    const within = (value: number): RuleCondition => ({ field: 'createdAt', op: 'within', value });
    const product = { createdAt: new Date(now - 2 * day) } as ProductFactsForRules;
    const findEnd = (...conditions: RuleCondition[]) =>
      compileNextChange({ match: 'any', conditions }, now)?.(product, true);
    expect(findEnd({ field: 'name', op: 'is', value: 'x' })).toBeUndefined();
    expect(findEnd(within(1))).toBe(Number.POSITIVE_INFINITY);
    expect(findEnd(within(1), within(5), within(3))).toBe(now + day + 1);
    const holdsUntil = now + day;
    const rule: CategoryRule = { match: 'all', conditions: [within(3)] };
    expect([compileRule(rule, holdsUntil)(product), compileRule(rule, holdsUntil + 1)(product)]).toEqual([
      true,
      false,
    ]);
  });

  test('holds for a date from that date on, and reports when it begins for a product', () => {
    const now = Date.UTC(2026, 0, 10, 12);
    const definitions = new Map([['sale', { id: 'cfd_1', type: 'date' as const }]]);
    const rule: CategoryRule = {
      match: 'all',
      conditions: [{ field: 'customField.sale', op: 'within', value: 2 }],
    };
    const ofDate = (sale: string) => ({ customFields: { cfd_1: sale } }) as unknown as ProductFactsForRules;
    const matches = (sale: string, at = now) => compileRule(rule, at, definitions)(ofDate(sale));
    expect(['2026-01-08', '2026-01-09', '2026-01-10', '2026-01-11'].map((sale) => matches(sale))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    const begins = Date.UTC(2026, 0, 11);
    expect([matches('2026-01-11', begins - 1), matches('2026-01-11', begins)]).toEqual([false, true]);
    const findNext = (sale: string, isMember: boolean) =>
      compileNextChange(rule, now, definitions)!(ofDate(sale), isMember);
    expect(findNext('2026-01-11', false)).toBe(begins);
    expect(findNext('2026-01-10', true)).toBe(Date.UTC(2026, 0, 12) + 1);
    // A member by another condition stays one while this one begins.
    expect(findNext('2026-01-11', true)).toBe(Number.POSITIVE_INFINITY);
    expect(findNext('2026-01-07', false)).toBe(Number.POSITIVE_INFINITY);
  });

  test('matches by its conditions, one by one', () => {
    const texts = fc.constantFrom('', 'Tea', 'tea', 'Café', 'cafe au lait', 'Straße');
    const numbers = fc.integer({ min: -2, max: 3 });
    const facts: fc.Arbitrary<ProductFactsForRules> = fc.record({
      id: fc.constant('prd_x'),
      name: texts,
      vendor: texts,
      tags: fc.array(texts, { maxLength: 3 }),
      priceCents: fc.option(numbers),
      stock: numbers,
      createdAt: numbers.map((days) => new Date(Date.UTC(2026, 0, 10 + days))),
      categoryIds: fc.subarray(['cat_a', 'cat_b']),
      customFields: fc.constant({}),
    });
    const now = Date.UTC(2026, 0, 10, 12);
    const conditions: fc.Arbitrary<RuleCondition> = fc.oneof(
      fc.record({
        field: fc.constantFrom('tag', 'name', 'vendor'),
        op: fc.constantFrom('is', 'isNot', 'contains', 'startsWith'),
        value: fc.constantFrom('Tea', 'te', 'CAFE', 'strasse'),
      }),
      fc.record({
        field: fc.constantFrom('priceCents', 'stock'),
        op: fc.constantFrom('is', 'isNot', 'above', 'below'),
        value: numbers,
      }),
      fc.record({
        field: fc.constant('createdAt'),
        op: fc.constantFrom('above', 'below'),
        value: numbers.map((days) => new Date(Date.UTC(2026, 0, 10 + days)).toISOString()),
      }),
      fc.record({
        field: fc.constant('createdAt'),
        op: fc.constant('within' as const),
        value: fc.integer({ min: 1, max: 3 }),
      }),
      fc.record({
        field: fc.constant('category'),
        op: fc.constantFrom('is', 'isNot'),
        value: fc.constantFrom('cat_a', 'cat_c'),
      }),
    );
    const rules: fc.Arbitrary<CategoryRule> = fc.record({
      match: fc.constantFrom('all', 'any'),
      conditions: fc.array(conditions, { minLength: 1, maxLength: 3 }),
    });
    fc.assert(
      fc.property(rules, facts, (rule, product) => {
        expect(compileRule(rule, now)(product)).toBe(holds(rule, product, now));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('indexes', () => {
  test('are rendered one after another, a few wait, and one that is too large is refused', async () => {
    const db = await openTestDatabase<Tables>(system.databaseUrl('catalog'), 2);
    try {
      const indexes = new ProductIndexes(db, 64 * 1024 * 1024);
      const results = await Promise.allSettled(
        Array.from({ length: 40 }, () => indexes.getIndex(newStore().storeId)),
      );
      const refused = results.flatMap((each) => (each.status === 'rejected' ? each.reason.code : []));
      expect(new Set(refused)).toEqual(new Set(['resource_unavailable']));
      expect(refused.length).toBeGreaterThan(10);
      const store = newStore();
      await store.create({ name: 'x', status: 'active', description: 'word '.repeat(10) });
      expect((await indexes.getIndex(store.storeId)).size).toBe(1);
      const small = new ProductIndexes(db, 500);
      await expect(small.getIndex(store.storeId)).rejects.toMatchObject({ code: 'resource_unavailable' });
    } finally {
      await db.destroy();
    }
  });
});

describe('media uses', () => {
  test('are those of categories, too', async () => {
    const store = newStore();
    const [image, seo, inText, unused] = Array.from({ length: 4 }, () => newId('mediaAsset'));
    const created = await Promise.all([
      create(store, { imageMediaId: image }),
      create(store, { seo: { imageMediaId: seo } }),
      create(store, { description: `<img src="/media/${inText}">` }),
    ]);
    // Without a media service the API would drop the pictures, so SQL sets them.
    await runSql(
      system,
      'catalog',
      `update category set image_media_id = '${image}' where id = '${created[0].id}';
       update category set seo = '{"title":"","description":"","imageMediaId":"${seo}"}' where id = '${created[1].id}'`,
    );
    const { body } = await request(system.internalUrl)
      .post('/internal/catalog/media-uses')
      .set('authorization', `Bearer ${system.serviceToken}`)
      .send({
        storeId: store.storeId,
        assetIds: [image, seo, inText, unused],
        liveOnly: true,
        limit: 5,
      });
    expect(body.uses).toEqual(
      [image, seo, inText].map((assetId, i) => ({
        assetId,
        type: 'category',
        id: created[i].id,
        name: 'Tea',
        live: true,
      })),
    );
  });
});

/** An independent implementation of rules. */
function holds({ match, conditions }: CategoryRule, product: ProductFactsForRules, now: number): boolean {
  const results = conditions.map(({ field, op, value }): boolean => {
    if (field === 'category') return (op === 'is') === product.categoryIds.includes(String(value));
    if (field === 'tag' || field === 'name' || field === 'vendor') {
      const texts = field === 'tag' ? product.tags : [product[field]];
      const folded = texts.map(foldText);
      const wanted = foldText(String(value));
      if (op === 'is') return texts.includes(String(value));
      if (op === 'isNot') return !texts.includes(String(value));
      if (op === 'contains') return folded.some((text) => text.split(wanted).length > 1);
      return folded.some((text) => text.indexOf(wanted) === 0);
    }
    if (field === 'createdAt') {
      const at = product.createdAt.getTime();
      if (op === 'within') return now - at <= Number(value) * 86_400_000;
      return op === 'above' ? at > Date.parse(String(value)) : at < Date.parse(String(value));
    }
    const number = field === 'stock' ? product.stock : product.priceCents;
    if (number === null) return op === 'isNot';
    if (op === 'is') return number === value;
    if (op === 'isNot') return number !== value;
    return op === 'above' ? number > Number(value) : number < Number(value);
  });
  return match === 'all' ? !results.includes(false) : results.includes(true);
}
