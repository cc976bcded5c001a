import { trimName } from '@waybill/contracts';
import {
  eventually,
  openTestDatabase,
  runSql,
  sampleProduct,
  sampleVariant,
  waitUntilBlocked,
} from '@waybill/testing';
import fc from 'fast-check';
import request from 'supertest';
import type { Tables } from '../src/tables.ts';
import { newStore, system, useCatalog } from './stores.ts';

useCatalog();

describe('POST /products', () => {
  test('returns the whole product with its defaults and derived fields', async () => {
    const store = newStore();
    const product = await store.create({
      name: 'Crème Tea',
      variants: [
        { sku: 'T-1', priceCents: 900, stock: 3 },
        { priceCents: 450, stock: 4, name: 'Small', id: 5 },
      ],
      number: '77',
      priceCents: -1,
      id: 'prd_mine',
      unknown: true,
    });
    expect(product).toEqual({
      id: expect.stringMatching(/^prd_[0-9a-z]{26}$/),
      number: 1,
      name: 'Crème Tea',
      slug: 'creme-tea',
      status: 'draft',
      description: '',
      tags: [],
      mediaIds: [],
      media: [],
      ...sampleProduct,
      variants: [
        {
          id: expect.stringMatching(/^var_/),
          sku: 'T-1',
          name: '',
          priceCents: 900,
          stock: 3,
          ...sampleVariant,
        },
        {
          id: expect.stringMatching(/^var_/),
          sku: null,
          name: 'Small',
          priceCents: 450,
          stock: 4,
          ...sampleVariant,
        },
      ],
      priceCents: 450,
      totalStock: 7,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: product.createdAt,
    });
    expect((await store.get(`/${product.id}`)).body).toEqual({ product });
    const bare = await store.create({ name: '☃' });
    expect(bare).toMatchObject({ number: 2, priceCents: null, totalStock: 0, slug: bare.id.slice(4) });
  });

  test('a derived slug is numbered; an existing requested one is duplicate_slug', async () => {
    const store = newStore();
    const slugs = [];
    for (let i = 0; i < 12; i++) slugs.push((await store.create({ name: 'Tea' })).slug);
    expect(slugs).toEqual(['tea', ...Array.from({ length: 11 }, (_, i) => `tea-${i + 2}`)]);
    expect((await store.post({ name: 'x', slug: 'tea-2' })).body.code).toBe('duplicate_slug');
    expect((await newStore().post({ name: 'x', slug: 'tea' })).status).toBe(201);
  });

  test('twenty simultaneous equal names get twenty slugs and the numbers 1 to 20', async () => {
    const store = newStore();
    const all = await Promise.all(Array.from({ length: 20 }, () => store.create({ name: 'Rush' })));
    expect(new Set(all.map(({ slug }) => slug)).size).toBe(20);
    expect(all.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
  });

  test('a derived slug that was just taken is derived again, and a repetition returns the same answer', async () => {
    const store = newStore();
    const other = await store.create({ name: 'Other' });
    const url = system.databaseUrl('catalog');
    const db = await openTestDatabase<Tables>(url);
    const post = () => store.post({ name: 'Tea' }, '', { 'idempotency-key': `of-${store.storeId}` });
    let created: ReturnType<typeof post> | undefined;
    try {
      await db.transaction().execute(async (quicker) => {
        await quicker.updateTable('product').set({ slug: 'tea' }).where('id', '=', other.id).execute();
        created = post();
        await waitUntilBlocked(url, 'product');
      });
    } finally {
      await db.destroy();
    }
    const { status, body, text } = (await created)!;
    expect([status, body.product?.slug]).toEqual([201, 'tea-2']);
    const again = await post();
    expect(again).toMatchObject({ status: 201, text, headers: { 'idempotent-replayed': 'true' } });
  });

  test('of many simultaneous ones each has its own answer, number and event', async () => {
    const store = newStore();
    await store.create({ name: 'First', slug: 'taken', variants: [{ sku: 'taken', priceCents: 1 }] });
    const bodies = Array.from({ length: 40 }, (_, i) => ({
      name: `Product ${i}`,
      ...(i % 10 === 3 && { slug: 'taken' }),
      variants: [{ sku: i % 10 === 7 ? 'taken' : `sku-${i}`, priceCents: i, stock: i }],
    }));
    const replies = await Promise.all(bodies.map((body) => store.post(body)));
    const codes = { 3: 'duplicate_slug', 7: 'duplicate_sku' } as Record<number, string>;
    expect(replies.map(({ body }) => body.code ?? [body.product.name, body.product.priceCents])).toEqual(
      bodies.map(({ name }, i) => codes[i % 10] ?? [name, i]),
    );
    expect((await store.get('?limit=1')).body.total).toBe(33);
    const listEmitted = () =>
      store.events().map(({ data }) => (data as { product: { id: string; number: number } }).product);
    await eventually(() => listEmitted().length >= 33);
    const numbers = listEmitted().map(({ number }) => number);
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 33 }, (_, i) => i + 1));
    for (const product of listEmitted())
      expect((await store.get(`/${product.id}`)).body).toEqual({ product });
  });

  test('a SKU that is taken, in the store or in the body, is duplicate_sku, and nothing is stored', async () => {
    const store = newStore();
    await store.create({ name: 'A', variants: [{ sku: 'S', priceCents: 1 }] });
    expect(await store.post({ name: 'B', variants: [{ sku: 'S', priceCents: 1 }] })).toMatchObject({
      status: 409,
      body: { code: 'duplicate_sku' },
    });
    const twice = await store.post({
      name: 'B',
      variants: [
        { sku: 'T', priceCents: 1 },
        { sku: 'T', priceCents: 2 },
      ],
    });
    expect(twice.body).toMatchObject({ code: 'duplicate_sku', details: [{ pointer: '/variants/1/sku' }] });
    expect((await store.get()).body.total).toBe(1);
    expect((await store.create({ name: 'C' })).number).toBe(2);
  });

  test.each([
    [{}, 'invalid_body'],
    [{ name: '' }, 'invalid_body'],
    [{ name: 'x'.repeat(201) }, 'invalid_body'],
    [{ name: null }, 'invalid_body'],
    [{ name: 'x', status: 'gone' }, 'invalid_status'],
    [{ name: 'x', status: null }, 'invalid_status'],
    [{ name: 'x', slug: 'Not A Slug' }, 'invalid_slug'],
    [{ name: 'x', slug: 'a--b' }, 'invalid_slug'],
    [{ name: 'x', slug: 'a'.repeat(121) }, 'invalid_slug'],
    [{ name: 'x', slug: 5 }, 'invalid_slug'],
    [{ name: 'x', variants: [{ priceCents: -1 }] }, 'invalid_price'],
    [{ name: 'x', variants: [{ priceCents: 1.5 }] }, 'invalid_price'],
    [{ name: 'x', variants: [{ priceCents: '12' }] }, 'invalid_price'],
    [{ name: 'x', variants: [{ priceCents: null }] }, 'invalid_price'],
    [{ name: 'x', variants: [{ priceCents: 1e300 }] }, 'invalid_price'],
    [{ name: 'x', variants: [{}] }, 'invalid_body'],
    [{ name: 'x', variants: [{ priceCents: 1, stock: -1 }] }, 'invalid_body'],
    [{ name: 'x', variants: [{ priceCents: 1, sku: '' }] }, 'invalid_body'],
    [{ name: 'x', variants: Array.from({ length: 2_049 }, () => ({ priceCents: 1 })) }, 'invalid_body'],
    [{ name: 'x', tags: Array.from({ length: 51 }, () => 'a') }, 'invalid_body'],
    [{ name: 'x', tags: [''] }, 'invalid_body'],
    [{ name: '', status: 'gone' }, 'invalid_status'],
  ])('400 for %j: %s', async (body, code) => {
    expect(await newStore().post(body)).toMatchObject({ status: 400, body: { code } });
  });

  test('a write reports what was removed from the description, and its ETag is that of the stored state', async () => {
    const store = newStore();
    const description = '<p onclick="a()">hi<script>alert(1)</script></p>';
    const warnings = [{ code: 'script_removed', message: expect.any(String), count: 2 }];
    const created = await store.post({ name: 'Tea', description });
    expect(created).toMatchObject({ status: 201, body: { warnings } });
    const path = `/${created.body.product.id}`;
    const read = await store.get(path);
    expect(read.body).toEqual({ product: created.body.product });
    expect(created.headers.etag).toBe(read.headers.etag);
    expect((await store.patch(created.body.product.id, { description })).body).toEqual({
      ...read.body,
      warnings,
    });
    const clean = await store.put(created.body.product.id, {
      ...created.body.product,
      description: '<section>hi</section>',
    });
    expect(clean.body).not.toHaveProperty('warnings');
    expect(clean.body.product.description).toBe('<p>hi</p>');
  });

  test('a description is stored without executable content', async () => {
    const product = await newStore().create({
      name: 'x',
      description: '<p onclick="a()">hi<script>alert(1)</script></p>',
    });
    expect(product.description).toBe('<p>hi</p>');
  });

  test('any JSON is a 201 or a documented 400 or 409, and the stored state can be read', async () => {
    const store = newStore();
    const value = fc.oneof(
      fc.jsonValue(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('__proto__', 'constructor'),
    );
    const body = fc.record(
      {
        name: fc.oneof(value, fc.string({ unit: 'grapheme' })),
        tags: fc.oneof(value, fc.array(fc.string({ unit: 'grapheme' }))),
        variants: value,
        slug: value,
        description: value,
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(body, async (input) => {
        const res = await store.post(input);
        expect([201, 400, 409]).toContain(res.status);
        if (res.status !== 201) return void expect(res.body.code).toMatch(/^(invalid_|duplicate_)/);
        const { product } = res.body;
        expect(product.name).toBe(trimName(input.name as string));
        expect((await store.get(`/${product.id}`)).body).toEqual({ product });
      }),
      { numRuns: 150 },
    );
  });
});

describe('PUT /products/{id}', () => {
  test('replaces: omitted fields fall back, the slug stays, variants keep their ids by id, then by SKU', async () => {
    const store = newStore();
    const before = await store.create({
      name: 'Tea',
      slug: 'my-tea',
      status: 'active',
      tags: ['a'],
      description: 'x',
      variants: [
        { sku: 'A', priceCents: 1 },
        { sku: 'B', priceCents: 2 },
        { sku: 'C', priceCents: 3 },
      ],
    });
    const [a, b] = before.variants;
    const res = await store.put(before.id, {
      name: 'Tea 2',
      variants: [
        { sku: 'B', priceCents: 20, stock: 5 },
        { id: a.id, sku: 'C', priceCents: 10 },
        { sku: 'D', priceCents: 7 },
      ],
    });
    expect(res.status).toBe(200);
    expect(res.body.product).toMatchObject({
      name: 'Tea 2',
      slug: 'my-tea',
      status: 'draft',
      tags: [],
      description: '',
      number: 1,
      priceCents: 7,
      totalStock: 5,
    });
    expect(res.body.product.variants.map((v: { id: string }) => v.id)).toEqual([
      b.id,
      a.id,
      expect.not.stringMatching(before.variants[2].id),
    ]);
    expect(res.body.product.updatedAt >= before.updatedAt).toBe(true);
    expect((await store.get('?status=draft')).body.total).toBe(1);
    expect((await store.get('?status=active')).body.total).toBe(0);
  });

  test('changes nothing: no event, the same updatedAt', async () => {
    const store = newStore();
    const body = { name: 'Tea', tags: ['x'], variants: [{ sku: 'A', priceCents: 1, stock: 2 }] };
    const { id, updatedAt } = await store.create(body);
    const res = await store.put(id, body);
    expect(res.body.product.updatedAt).toBe(updatedAt);
    await store.put(id, { ...body, name: 'Other' });
    await eventually(() => store.events().length >= 2);
    expect(store.events().map(({ name }) => name)).toEqual([
      'catalog.product.created',
      'catalog.product.updated',
    ]);
  });

  test('404 for another store, an unknown id, no id at all', async () => {
    const { id } = await newStore().create({ name: 'x' });
    const other = newStore();
    for (const wrong of [id, 'prd_00000000000000000000000000', 'nonsense', '%00', '%zz', '..%2f..']) {
      expect(await other.put(wrong, { name: 'y' })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
      expect((await other.get(`/${wrong}`)).status).toBe(404);
      expect((await other.delete(wrong)).status).toBe(404);
    }
  });

  test('duplicate_slug and duplicate_sku of another product change nothing', async () => {
    const store = newStore();
    await store.create({ name: 'A', slug: 'a', variants: [{ sku: 'A', priceCents: 1 }] });
    const b = await store.create({ name: 'B', slug: 'b', variants: [{ sku: 'B', priceCents: 1 }] });
    expect((await store.put(b.id, { name: 'B', slug: 'a' })).body.code).toBe('duplicate_slug');
    expect((await store.put(b.id, { name: 'B', variants: [{ sku: 'A', priceCents: 1 }] })).body.code).toBe(
      'duplicate_sku',
    );
    expect((await store.get(`/${b.id}`)).body.product).toEqual(b);
  });
});

describe('updatedAt', () => {
  test('is later than before, even if the clock of the last change was ahead', async () => {
    const store = newStore();
    const { id } = await store.create({ name: 'Tea' });
    await runSql(
      system,
      'catalog',
      `update product set updated_at = '2100-01-01T00:00:00Z' where id = '${id}'`,
    );
    expect((await store.put(id, { name: 'Green tea' })).body.product.updatedAt).toBe(
      '2100-01-01T00:00:00.001Z',
    );
  });
});

describe('DELETE /products/{id}', () => {
  test('deletes it with an event; the number is not reused', async () => {
    const store = newStore();
    const { id, slug } = await store.create({ name: 'A', variants: [{ sku: 'A', priceCents: 1 }] });
    expect((await store.delete(id)).status).toBe(204);
    expect((await store.get(`/${id}`)).status).toBe(404);
    expect((await store.get()).body).toEqual({ products: [], total: 0, nextCursor: null });
    expect(await store.create({ name: 'A', variants: [{ sku: 'A', priceCents: 1 }] })).toMatchObject({
      number: 2,
      slug,
    });
    await eventually(() => store.events().length >= 3);
    expect(store.events()[1]).toEqual({
      name: 'catalog.product.deleted',
      data: { product: { id, number: 1, slug } },
    });
  });
});

describe('events', () => {
  test('carry the product as the API shows it', async () => {
    const store = newStore();
    const product = await store.create({ name: 'Told', variants: [{ priceCents: 5 }] });
    await eventually(() => store.events().length > 0);
    expect(store.events()).toEqual([{ name: 'catalog.product.created', data: { product } }]);
  });
});

test('a list of products with long descriptions is complete and in order, in parts', async () => {
  const store = newStore();
  const description = `<p>${'é'.repeat(499_000)}</p>`;
  const names = Array.from({ length: 11 }, (_, i) => `No. ${i}`);
  for (const name of names) await store.create({ name, description });
  for (const query of ['', '?sort=created&limit=200', '?status=draft', '?q=no']) {
    const list = await store.get(query);
    expect(list.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
    expect(list.body.total).toBe(11);
    expect(list.body.products.map((product: { name: string }) => product.name)).toEqual(names);
    for (const product of list.body.products) expect(product.description === description).toBe(true);
  }
});

test('other services get the product data that they show, only of that store', async () => {
  const [store, other] = [newStore(), newStore()];
  const variants = [
    { sku: 'a', priceCents: 300 },
    { sku: 'b', priceCents: 200 },
  ];
  const { id, name, slug, priceCents, variants: stored } = await store.create({ name: 'Tea', variants });
  const lookUp = async (storeId: string) =>
    (
      await request(system.internalUrl)
        .post('/internal/products/lookup')
        .set('authorization', `Bearer ${system.serviceToken}`)
        .send({ storeId, ids: [id, 'prd_unknown'] })
    ).body;
  expect(await lookUp(store.storeId)).toEqual({
    products: [{ id, name, slug, priceCents, options: [], variants: stored, mediaIds: [], fields: {} }],
  });
  expect(await lookUp(other.storeId)).toEqual({ products: [] });
});

describe('GET /products', () => {
  const store = newStore();
  beforeAll(async () => {
    for (const [name, price, stock, status, tag] of [
      ['banana', 300, 5, 'active', 'fruit'],
      ['Apple', 200, 1, 'draft', 'fruit'],
      ['Äther 100%', null, 0, 'archived', 'a_b'],
      ['cherry', 100, 9, 'active', 'Red fruit'],
    ] as const) {
      await store.create({
        name,
        status,
        tags: [tag],
        variants: price === null ? [] : [{ priceCents: price, stock, sku: `SKU-${name}` }],
      });
    }
  });

  test.each([
    ['', ['banana', 'Apple', 'Äther 100%', 'cherry']],
    ['dir=desc', ['cherry', 'Äther 100%', 'Apple', 'banana']],
    ['sort=name', ['Apple', 'Äther 100%', 'banana', 'cherry']],
    ['sort=price', ['cherry', 'Apple', 'banana', 'Äther 100%']],
    ['sort=price&dir=desc', ['banana', 'Apple', 'cherry', 'Äther 100%']],
    ['sort=stock&dir=desc', ['cherry', 'banana', 'Apple', 'Äther 100%']],
    ['sort=created&dir=desc', ['cherry', 'Äther 100%', 'Apple', 'banana']],
    ['sort=updated', ['banana', 'Apple', 'Äther 100%', 'cherry']],
    ['sort=nonsense&dir=up', ['banana', 'Apple', 'Äther 100%', 'cherry']],
    ['status=active', ['banana', 'cherry']],
    ['status=nonsense', ['banana', 'Apple', 'Äther 100%', 'cherry']],
    ['limit=2&offset=1', ['Apple', 'Äther 100%']],
    ['limit=0&offset=-1', ['banana', 'Apple', 'Äther 100%', 'cherry']],
    ['offset=10', []],
    ['q=FRUIT', ['banana', 'Apple', 'cherry']],
    ['q=fruit%20red', ['cherry']],
    ['q=sku-app', ['Apple']],
    ['q=%C3%84THER', ['Äther 100%']],
    ['q=%25', ['Äther 100%']],
    ['q=_', ['Äther 100%']],
    ['q=%5C', []],
    ['q=%00', []],
    ['q=%20%20', ['banana', 'Apple', 'Äther 100%', 'cherry']],
    ['q=fruit&status=active&sort=price', ['cherry', 'banana']],
    ['q=a%20a%20a%20a%20a%20fruit%20zzz', []],
    ['q=%E0%A4%A', []],
  ])('?%s', async (query, names) => {
    expect(await store.names(query)).toEqual(names);
  });

  test('a search finds the same in a store that has little of the table', async () => {
    const queries = [
      'q=FRUIT',
      'q=sku-app',
      'q=_',
      'q=fruit%20red&status=active',
      'q=fruit&sort=name&limit=2',
    ];
    const found = await Promise.all(queries.map(store.names));
    expect(found.map(({ length }) => length)).toEqual([3, 1, 1, 1, 2]);
    await runSql(
      system,
      'catalog',
      "update pg_class set reltuples = 1000000 where oid = 'product'::regclass",
    );
    expect(await Promise.all(queries.map(store.names))).toEqual(found);
    expect((await newStore().get('?q=fruit')).body.total).toBe(0);
  });

  test('total counts before paging, with and without filters', async () => {
    expect((await store.get('?limit=1')).body.total).toBe(4);
    expect((await store.get('?limit=1&status=active')).body.total).toBe(2);
    expect((await store.get('?limit=1&q=fruit')).body.total).toBe(3);
    expect((await newStore().get()).body).toEqual({ products: [], total: 0, nextCursor: null });
  });

  test('pages of equal keys do not overlap', async () => {
    const equal = newStore();
    for (let i = 0; i < 9; i++) await equal.create({ name: 'Same', variants: [{ priceCents: 1 }] });
    for (const sort of ['name', 'price', 'stock']) {
      for (const dir of ['asc', 'desc']) {
        const ids = [];
        for (let offset = 0; offset < 9; offset += 2) {
          ids.push(
            ...(await equal.get(`?sort=${sort}&dir=${dir}&limit=2&offset=${offset}`)).body.products.map(
              (p: { id: string }) => p.id,
            ),
          );
        }
        expect(new Set(ids).size).toBe(9);
      }
    }
  });
});

test('a store has at most 1,000,000 products, even with simultaneous creates; a deletion makes room', async () => {
  const { storeId, post, delete: remove } = newStore();
  await runSql(
    system,
    'catalog',
    `insert into product_total (store_id, last_number, active) values ('${storeId}', 999999, 999999)`,
  );
  const all = await Promise.all(Array.from({ length: 5 }, (_, i) => post({ name: `Tea ${i}` })));
  expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  const refused = all.find(({ status }) => status === 409)!;
  expect(refused.body.code).toBe('too_many_products');
  const { product } = all.find(({ status }) => status === 201)!.body;
  expect((await remove(product.id)).status).toBe(204);
  expect((await post({ name: 'Tea' })).status).toBe(201);
});

test('a list that is read again shows each change of an item: of itself, its stock, its categories and its fields', async () => {
  const store = newStore();
  const field = { entity: 'variant', type: 'text', key: 'cut', name: 'Cut' };
  const { customField } = (await store.fields('post', '', field)).body;
  const product = await store.create({
    name: 'Shirt',
    variants: [{ sku: 's', priceCents: 100, customFields: { cut: 'slim' } }],
  });
  await store.create({ name: 'Other', variants: [] });
  const shown = async () => {
    const { products } = (await store.get('?limit=10')).body;
    expect((await store.get('?limit=10')).body.products).toEqual(products);
    return products.find(({ id }: { id: string }) => id === product.id);
  };
  expect(await shown()).toEqual(product);
  const { body } = await store.patch(product.id, { variants: [{ sku: 's', stock: 7 }] });
  expect(await shown()).toEqual(body.product);
  const { category } = (await store.categories('post', '', { name: 'Clothes' })).body;
  await store.categories('put', `/${category.id}/products`, { productIds: [product.id] });
  expect((await shown()).categoryIds).toEqual([category.id]);
  await store.categories('delete', `/${category.id}`);
  expect((await shown()).categoryIds).toEqual([]);
  expect((await shown()).variants[0].customFields).toEqual({ cut: 'slim' });
  await store.fields('delete', `/${customField.id}`);
  expect((await shown()).variants[0].customFields).toEqual({});
});
