import { newId } from '@waybill/contracts';
import { eventually, sampleVariant } from '@waybill/testing';
import fc from 'fast-check';
import request from 'supertest';
import { newStore, system, useCatalog } from './stores.ts';

useCatalog();

const tea = {
  name: 'Tea',
  slug: 'my-tea',
  status: 'active',
  tags: ['a'],
  description: '<p>x</p>',
  variants: [
    { sku: 'A', name: 'Small', priceCents: 100, stock: 10 },
    { sku: 'B', name: 'Large', priceCents: 200, stock: 20 },
  ],
};
/** Reserves stock as the orders service does. */
const reserve = async (storeId: string, variantId: string, quantity = 1, forMs = 60_000) => {
  const expiresAt = new Date(Date.now() + forMs).toISOString();
  const { body } = await request(system.internalUrl)
    .post('/internal/reservations')
    .set('authorization', `Bearer ${system.serviceToken}`)
    .send({ storeId, orderId: newId('order'), expiresAt, items: [{ variantId, quantity }] });
  return body.outcome as string;
};

describe('POST /products/{id}/variants/{variantId}/stock', () => {
  test('adds the difference to the totals, and emits the change with its reason', async () => {
    const store = newStore();
    const { id, variants, updatedAt } = await store.create(tea);
    const path = `/${id}/variants/${variants[1].id}/stock`;
    const res = await store.post({ delta: -3, reason: 'Broken' }, path);
    expect(res.status).toBe(200);
    expect(res.body.product.variants).toEqual([variants[0], { ...variants[1], stock: 17 }]);
    expect(res.body.product.totalStock).toBe(27);
    expect(res.body.product.updatedAt > updatedAt).toBe(true);
    const read = await store.get(`/${id}`);
    expect(read.body).toEqual(res.body);
    expect(res.headers.etag).toBe(read.headers.etag);
    const added = await store.post({ delta: 5 }, path);
    expect(added.body.product.totalStock).toBe(32);
    expect(await store.names('sort=stock')).toEqual(['Tea']);
    await eventually(() => store.events().length >= 3);
    expect(store.events().slice(1)).toEqual([
      {
        name: 'catalog.product.updated',
        data: { ...res.body, stockChange: { variantId: variants[1].id, delta: -3, reason: 'Broken' } },
      },
      {
        name: 'catalog.product.updated',
        data: { ...added.body, stockChange: { variantId: variants[1].id, delta: 5, reason: null } },
      },
    ]);
  });

  test('a difference of 0 changes nothing and emits nothing', async () => {
    const store = newStore();
    const product = await store.create(tea);
    const path = `/${product.id}/variants/${product.variants[0].id}/stock`;
    const res = await store.post({ delta: 0, reason: 'Counted' }, path);
    expect([res.status, res.body]).toEqual([200, { product }]);
    await store.post({ delta: 1 }, path);
    await eventually(() => store.events().length >= 2);
    expect(store.events()).toMatchObject([
      { name: 'catalog.product.created' },
      { data: { stockChange: { delta: 1 } } },
    ]);
  });

  test('never goes below 0 or above the maximum', async () => {
    const store = newStore();
    const { id, variants } = await store.create(tea);
    const [{ id: variantId }] = variants;
    const path = `/${id}/variants/${variantId}/stock`;
    const short = (available: boolean) => ({
      status: 409,
      body: {
        code: 'out_of_stock',
        details: [{ pointer: '/delta', message: expect.any(String) }],
        variants: [{ variantId, available }],
      },
    });
    expect(await store.post({ delta: -11 }, path)).toMatchObject(short(true));
    expect((await store.post({ delta: -10 }, path)).body.product.variants[0].stock).toBe(0);
    expect(await store.post({ delta: -1 }, path)).toMatchObject(short(false));
    expect((await store.post({ delta: 1_000_000_000 }, path)).status).toBe(200);
    expect(await store.post({ delta: 1 }, path)).toMatchObject({
      status: 400,
      body: { code: 'invalid_body', details: [{ pointer: '/delta' }] },
    });
    expect((await store.get(`/${id}`)).body.product.totalStock).toBe(1_000_000_020);
  });

  test.each([
    [{}, '/delta'],
    [{ delta: null }, '/delta'],
    [{ delta: '1' }, '/delta'],
    [{ delta: 0.5 }, '/delta'],
    [{ delta: 1e300 }, '/delta'],
    [{ delta: -1_000_000_001 }, '/delta'],
    [{ delta: 1, reason: 'x'.repeat(201) }, '/reason'],
    [{ delta: 1, reason: null }, '/reason'],
  ])('invalid_body for %j', async (body, pointer) => {
    const store = newStore();
    const { id, variants } = await store.create(tea);
    expect(await store.post(body, `/${id}/variants/${variants[0].id}/stock`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_body', details: [{ pointer }] },
    });
  });

  test('404 for a variant of another product, of another store, or of none', async () => {
    const [store, other] = [newStore(), newStore()];
    const product = await store.create(tea);
    const another = await store.create({ name: 'Other', variants: [{ priceCents: 1, stock: 5 }] });
    const change = (client: typeof store, productId: string, variantId: string) =>
      client.post({ delta: 1 }, `/${productId}/variants/${variantId}/stock`);
    const [{ id: variantId }] = product.variants;
    for (const reply of [
      await change(store, product.id, another.variants[0].id),
      await change(store, another.id, variantId),
      await change(other, product.id, variantId),
      await change(store, product.id, newId('variant')),
      await change(store, newId('product'), variantId),
      await change(store, product.id, 'nonsense'),
    ]) {
      expect(reply).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    expect((await store.get(`/${product.id}`)).body).toEqual({ product });
  });

  test('of 50 simultaneous takers, exactly as many as there are units get one', async () => {
    const store = newStore();
    const { id, variants } = await store.create(tea);
    const path = `/${id}/variants/${variants[1].id}/stock`;
    const replies = await Promise.all(Array.from({ length: 50 }, () => store.post({ delta: -1 }, path)));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 409)).toHaveLength(30);
    const left = replies.flatMap(({ status, body }) =>
      status === 200 ? [body.product.variants[1].stock] : [],
    );
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect((await store.get(`/${id}`)).body.product).toMatchObject({ totalStock: 10 });
  });

  test('of simultaneous reservations as many as there are units succeed, and an expired one takes nothing', async () => {
    const store = newStore();
    const { id, variants } = await store.create({ ...tea, variants: [{ priceCents: 100, stock: 30 }] });
    const [{ id: variantId }] = variants;
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, i) => reserve(store.storeId, variantId, 1, i < 10 ? -1 : 60_000)),
    );
    const count = (outcome: string) => outcomes.slice(10).filter((each) => each === outcome).length;
    expect([count('reserved'), count('out_of_stock')]).toEqual([30, 10]);
    // A late request may learn that the stock is taken before it learns that it has expired.
    for (const outcome of outcomes.slice(0, 10)) expect(['expired', 'out_of_stock']).toContain(outcome);
    expect((await store.get(`/${id}`)).body.product).toMatchObject({ totalStock: 0 });
  });

  test('loses nothing during simultaneous orders, patches and other changes of the product', async () => {
    const store = newStore();
    const { id, variants } = await store.create({
      ...tea,
      variants: [
        { sku: 'A', priceCents: 100, stock: 1_000 },
        { sku: 'B', priceCents: 200, stock: 1_000 },
      ],
    });
    const [a, b] = variants.map((variant: { id: string }) => variant.id);
    const done = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => [
        (await store.post({ delta: -2 }, `/${id}/variants/${a}/stock`)).status,
        (await store.post({ delta: 5 }, `/${id}/variants/${b}/stock`)).status,
        await reserve(store.storeId, a, 3),
        (
          await store.patch(id, {
            name: `Tea ${i}`,
            variants: [
              { sku: 'A', priceCents: i },
              { id: b, name: `${i}` },
            ],
          })
        ).status,
      ]),
    );
    expect(new Set(done.map(String))).toEqual(new Set(['200,200,reserved,200']));
    const { product } = (await store.get(`/${id}`)).body;
    expect(product.variants).toMatchObject([
      { id: a, stock: 1_000 - 20 * 5 },
      { id: b, stock: 1_000 + 20 * 5 },
    ]);
    expect(product.totalStock).toBe(2_000);
  });
});

describe('PATCH /products/{id}', () => {
  test('keeps omitted fields, and creates nothing without any', async () => {
    const store = newStore();
    const product = await store.create(tea);
    const unchanged = await store.patch(product.id, { unknown: 1, id: 'prd_mine', totalStock: 99 });
    expect([unchanged.status, unchanged.body]).toEqual([200, { product }]);
    const { body } = await store.patch(product.id, { status: 'archived', priceCents: 1, tags: [] });
    expect(body.product).toEqual({
      ...product,
      status: 'archived',
      tags: [],
      updatedAt: body.product.updatedAt,
    });
    expect((await store.get(`/${product.id}`)).body).toEqual(body);
    expect((await store.get('?status=archived')).body.total).toBe(1);
    await eventually(() => store.events().length >= 2);
    expect(store.events().slice(1)).toEqual([{ name: 'catalog.product.updated', data: body }]);
  });

  test('an inventory sync by SKU does not overwrite sales since it read', async () => {
    const store = newStore();
    const { id, variants } = await store.create(tea);
    expect(await reserve(store.storeId, variants[0].id, 4)).toBe('reserved');
    const { body } = await store.patch(id, { variants: [{ sku: 'A', priceCents: 90 }] });
    expect(body.product).toMatchObject({
      priceCents: 90,
      totalStock: 26,
      variants: [{ ...variants[0], priceCents: 90, lowestPriceCents30Days: 100, stock: 6 }, variants[1]],
    });
  });

  test('variants are matched by id, then by SKU, stay in their place, and new ones follow', async () => {
    const store = newStore();
    const { id, variants } = await store.create(tea);
    const [a, b] = variants;
    const { body } = await store.patch(id, {
      variants: [
        { sku: 'C', priceCents: 50 },
        { sku: 'B', stock: 1 },
        { id: a.id, sku: null, name: '' },
      ],
    });
    expect(body.product.variants).toEqual([
      { ...a, sku: null, name: '' },
      { ...b, stock: 1 },
      { id: expect.stringMatching(/^var_/), sku: 'C', name: '', priceCents: 50, stock: 0, ...sampleVariant },
    ]);
    expect(body.product).toMatchObject({ priceCents: 50, totalStock: 11 });
    expect(await store.names('q=c')).toEqual(['Tea']);
    expect(
      (
        await store.patch(id, {
          variants: [
            { id: a.id, sku: 'B' },
            { id: b.id, sku: 'A' },
          ],
        })
      ).status,
    ).toBe(200);
  });

  test.each([
    [{ name: '' }, 400, 'invalid_body', '/name'],
    [{ name: null }, 400, 'invalid_body', '/name'],
    [{ slug: 'No Slug' }, 400, 'invalid_slug', '/slug'],
    [{ slug: 'taken' }, 409, 'duplicate_slug', null],
    [{ status: 'gone' }, 400, 'invalid_status', '/status'],
    [{ variants: [{ sku: 'A', priceCents: -1 }] }, 400, 'invalid_price', '/variants/0/priceCents'],
    [{ variants: [{ sku: 'A', priceCents: null }] }, 400, 'invalid_price', '/variants/0/priceCents'],
    [{ variants: [{ sku: 'A', stock: null }] }, 400, 'invalid_body', '/variants/0/stock'],
    [{ variants: [{ sku: 'A' }, { sku: 'new' }] }, 400, 'invalid_body', '/variants/1/priceCents'],
    [{ variants: [{ id: 'var_x', stock: 1 }] }, 400, 'invalid_body', '/variants/0/priceCents'],
    [{ variants: [{ sku: 'A' }, { sku: 'A' }] }, 409, 'duplicate_sku', '/variants/1/sku'],
    [{ variants: [{ sku: 'taken', priceCents: 1 }] }, 409, 'duplicate_sku', null],
    [
      { variants: Array.from({ length: 2_047 }, () => ({ priceCents: 1 })) },
      400,
      'invalid_body',
      '/variants',
    ],
  ])('%j is refused with %i %s, and changes nothing', async (patch, status, code, pointer) => {
    const store = newStore();
    const product = await store.create(tea);
    await store.create({ name: 'x', slug: 'taken', variants: [{ sku: 'taken', priceCents: 1 }] });
    const details = pointer === null ? undefined : [expect.objectContaining({ pointer })];
    const { status: answered, body } = await store.patch(product.id, patch);
    expect([answered, body.code, body.details]).toEqual([status, code, details]);
    expect((await store.get(`/${product.id}`)).body).toEqual({ product });
  });

  test('a SKU of a variant that stays is taken', async () => {
    const store = newStore();
    const { id, variants } = await store.create(tea);
    const res = await store.patch(id, { variants: [{ id: variants[0].id, sku: 'B' }] });
    expect([res.status, res.body.code]).toEqual([409, 'duplicate_sku']);
  });

  test('404 for another store and an unknown id; 412 for who has read another state', async () => {
    const store = newStore();
    const { id } = await store.create(tea);
    expect((await newStore().patch(id, {})).status).toBe(404);
    expect((await store.patch(newId('product'), {})).status).toBe(404);
    const { headers } = await store.get(`/${id}`);
    expect((await store.patch(id, { name: 'y' }, { 'if-match': headers.etag })).status).toBe(200);
    expect((await store.patch(id, { name: 'z' }, { 'if-match': headers.etag })).status).toBe(412);
    expect((await store.get(`/${id}`)).body.product.name).toBe('y');
  });

  test('any sequence of patches has the result of a model', async () => {
    const skus = fc.constantFrom('A', 'B', 'C', null);
    const optional = { requiredKeys: [] as [] };
    const entry = fc.record(
      {
        // The position of a present variant, or a position beyond the last one.
        place: fc.nat({ max: 4 }),
        sku: skus,
        name: fc.constantFrom('', 'Small', 'Large'),
        priceCents: fc.nat({ max: 9 }),
        stock: fc.nat({ max: 9 }),
      },
      optional,
    );
    const patches = fc.array(
      fc.record(
        {
          name: fc.constantFrom('Tea', 'Coffee'),
          slug: fc.constantFrom('tea', 'coffee'),
          status: fc.constantFrom('draft', 'active', 'archived'),
          tags: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
          description: fc.constantFrom('', '<p>x</p>', '<p onclick="a()">x</p>'),
          variants: fc.array(entry, { maxLength: 4 }),
        },
        optional,
      ),
      { minLength: 1, maxLength: 6 },
    );
    const first = { name: 'Tea', variants: [{ sku: 'A', priceCents: 3, stock: 3 }] };
    await fc.assert(
      fc.asyncProperty(patches, async (run) => {
        const store = newStore();
        let product: Product = await store.create(first);
        for (const { variants, ...patch } of run) {
          const named = variants?.map(({ place, ...rest }) =>
            place === undefined ? rest : { ...rest, id: product.variants[place]?.id ?? 'var_none' },
          );
          const body = { ...patch, ...(named && { variants: named }) };
          const expected = predictResult(product, body);
          const reply = await store.patch(product.id, body);
          if (typeof expected === 'string') expect(reply.body.code).toBe(expected);
          else {
            // The price history depends on the clock and has its own tests.
            expect(reply.body.product).toEqual({
              ...expected,
              updatedAt: expect.any(String),
              variants: expected.variants.map((variant, i) => ({
                ...variant,
                lowestPriceCents30Days: reply.body.product.variants[i]?.lowestPriceCents30Days,
              })),
            });
            expect(reply.body.product.updatedAt === product.updatedAt).toBe(
              JSON.stringify(expected) === JSON.stringify(product),
            );
            product = reply.body.product;
          }
          expect((await store.get(`/${product.id}`)).body).toEqual({ product });
        }
      }),
      { numRuns: 60 },
    );
  });
});

interface Variant {
  id: string;
  sku: string | null;
  name: string;
  priceCents: number;
  stock: number;
}
interface Product {
  id: string;
  updatedAt: string;
  description: string;
  priceCents: number | null;
  totalStock: number;
  variants: Variant[];
}
type Patch = Partial<Omit<Product, 'variants'>> & { variants?: Partial<Variant>[] };

/** Returns the product that a patch should produce, or the expected error code. */
function predictResult(product: Product, { variants: entries = [], ...fields }: Patch): Product | string {
  const given = entries.flatMap(({ sku }) => sku ?? []);
  if (new Set(given).size < given.length) return 'duplicate_sku';
  const meant = new Map<Partial<Variant>, string>();
  for (const how of ['id', 'sku'] as const) {
    for (const entry of entries) {
      const isFree = ({ id }: Variant) => !meant.has(entry) && ![...meant.values()].includes(id);
      const found = product.variants.find((variant) => isFree(variant) && variant[how] === entry[how]);
      if (found && entry[how]) meant.set(entry, found.id);
    }
  }
  const added = entries.filter((entry) => !meant.has(entry));
  if (added.some(({ priceCents }) => priceCents === undefined)) return 'invalid_body';
  const variants = [
    ...product.variants.map((variant) => {
      const entry = entries.find((each) => meant.get(each) === variant.id);
      return { ...variant, ...entry, id: variant.id };
    }),
    ...added.map((entry) => ({
      sku: null,
      name: '',
      priceCents: 0,
      stock: 0,
      ...sampleVariant,
      ...entry,
      id: expect.stringMatching(/^var_/) as unknown as string,
    })),
  ];
  const left = variants.flatMap(({ sku }) => sku ?? []);
  if (new Set(left).size < left.length) return 'duplicate_sku';
  return {
    ...product,
    ...fields,
    description: (fields.description ?? product.description).replace(' onclick="a()"', ''),
    variants,
    priceCents: variants.length === 0 ? null : Math.min(...variants.map(({ priceCents }) => priceCents)),
    totalStock: variants.reduce((sum, { stock }) => sum + stock, 0),
  };
}
