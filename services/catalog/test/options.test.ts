import { isGtin, newId } from '@waybill/contracts';
import {
  eventually,
  keptConnections,
  openTestDatabase,
  runSql,
  sampleVariant,
  shiftTimes,
} from '@waybill/testing';
import fc from 'fast-check';
import request from 'supertest';
import { purgePrices } from '../src/products/price-queries.ts';
import type { Tables } from '../src/tables.ts';
import { newStore, system, useCatalog } from './stores.ts';

useCatalog();

const sizes = { name: 'Size', values: ['S', 'M'] };
const colours = { name: 'Colour', values: ['Red', '__proto__'] };
const shirt = {
  name: 'Shirt',
  status: 'active',
  options: [sizes, colours],
  vendor: ' Ridge & Sons ',
  taxCategory: 'clothes',
  seo: { title: 'A shirt', description: 'Of wool' },
  variants: [
    { priceCents: 2_000, options: { Colour: 'Red', Size: 'S' }, sku: 'S-RED' },
    { priceCents: 2_500, options: { Size: 'M', Colour: '__proto__' }, sku: 'M-PROTO' },
  ],
};

describe('options and further fields of a product', () => {
  test('are trimmed, in the product and in its variants', async () => {
    const store = newStore();
    const spaced = { options: [{ name: ' Size ', values: ['S ', '\u3000M'] }] };
    const product = await store.create({
      name: 'Shirt',
      ...spaced,
      variants: [
        { priceCents: 1, options: { ' Size ': 'S ' } },
        { priceCents: 2, options: { Size: '\u3000M' } },
      ],
    });
    expect(product.options).toEqual([{ name: 'Size', values: ['S', 'M'] }]);
    expect(product.variants.map(({ options }: { options: object }) => options)).toEqual([
      { Size: 'S' },
      { Size: 'M' },
    ]);
  });

  test('are stored with defaults, and kept by a replacement without them', async () => {
    const store = newStore();
    const product = await store.create(shirt);
    expect(product).toMatchObject({
      options: [sizes, colours],
      vendor: 'Ridge & Sons',
      taxCategory: 'clothes',
      seo: { title: 'A shirt', description: 'Of wool', imageMediaId: null },
      categoryIds: [],
    });
    expect(product.variants.map(({ options }: { options: object }) => Object.entries(options))).toEqual([
      [
        ['Size', 'S'],
        ['Colour', 'Red'],
      ],
      [
        ['Size', 'M'],
        ['Colour', '__proto__'],
      ],
    ]);
    const seo = (await store.patch(product.id, { seo: { title: 'New' } })).body.product.seo;
    expect(seo).toEqual({ title: 'New', description: 'Of wool', imageMediaId: null });
    const same = await store.put(product.id, { ...product, seo });
    expect(same.body.product.variants).toEqual(product.variants);
    // Clients from before options send such bodies.
    const [small, medium] = product.variants;
    const { body } = await store.put(product.id, {
      name: 'Shirt',
      seo: { description: 'Of cotton' },
      variants: [
        { sku: 'S-RED', priceCents: 1 },
        { id: medium.id, priceCents: 2 },
      ],
    });
    expect(body.product).toMatchObject({
      status: 'draft',
      options: [sizes, colours],
      vendor: 'Ridge & Sons',
      taxCategory: 'clothes',
      seo: { title: 'New', description: 'Of cotton' },
      variants: [
        { id: small.id, priceCents: 1, options: small.options },
        { id: medium.id, priceCents: 2, options: medium.options, sku: null },
      ],
    });
    await eventually(() => store.events().length >= 3);
    expect(
      store.events().map(({ data }) => (data as { product: { vendor: string } }).product.vendor),
    ).toEqual(['Ridge & Sons', 'Ridge & Sons', 'Ridge & Sons']);
  });

  const variant = (options: object) => ({ priceCents: 1, options });
  test.each([
    ['a value twice', [{ ...sizes, values: ['S', 'S '] }], [], '/options/0/values/1'],
    ['a name twice', [sizes, { ...colours, name: 'Size' }], [], '/options/1/name'],
    ['six options', Array.from({ length: 6 }, (_, i) => ({ name: `${i}`, values: ['a'] })), [], '/options'],
    [
      '251 values',
      [{ name: 'N', values: Array.from({ length: 251 }, (_, i) => `${i}`) }],
      [],
      '/options/0/values',
    ],
    ['an option that a variant lacks', [sizes], [variant({})], '/variants/0/options'],
    ['an unknown value', [sizes], [variant({ Size: 'L' })], '/variants/0/options'],
    ['an unknown option', [sizes], [variant({ Size: 'S', Colour: 'Red' })], '/variants/0/options'],
    ['options of a product without', [], [variant({ Size: 'S' })], '/variants/0/options'],
    ['a combination twice', [sizes], [variant({ Size: 'S' }), variant({ Size: 'S' })], '/variants/1/options'],
    [
      'a value that is inherited',
      [{ name: 'toString', values: ['S'] }],
      [variant({})],
      '/variants/0/options',
    ],
  ])('%s is invalid_body', async (_, options, variants, pointer) => {
    const { status, body } = await newStore().post({ name: 'x', options, variants });
    expect([status, body.code, body.details[0].pointer]).toEqual([400, 'invalid_body', pointer]);
  });

  test('cannot change without those of the variants, and variants keep their ids where both do', async () => {
    const store = newStore();
    const { id, variants } = await store.create({
      ...shirt,
      options: [sizes],
      variants: [variant({ Size: 'S' })],
    });
    const renamed = [{ name: 'Fit', values: ['S', 'M'] }];
    const alone = await store.patch(id, { options: renamed });
    expect([alone.status, alone.body.code, alone.body.details[0].pointer]).toEqual([
      400,
      'invalid_body',
      '/options',
    ]);
    const both = await store.patch(id, {
      options: renamed,
      variants: [{ id: variants[0].id, options: { Fit: 'M' } }],
    });
    expect(both.body.product.variants).toEqual([{ ...variants[0], options: { Fit: 'M' } }]);
  });

  test('may make 2,048 variants; more, and a product of over 4 MiB, are refused', async () => {
    const store = newStore();
    const options = [
      { name: 'A', values: Array.from({ length: 64 }, (_, i) => `${i}`) },
      { name: 'B', values: Array.from({ length: 32 }, (_, i) => `${i}`) },
    ];
    const all = Array.from({ length: 2_048 }, (_, i) => ({
      priceCents: i,
      sku: `sku-${i}`,
      options: { A: `${i % 64}`, B: `${i >> 6}` },
    }));
    const created = await store.create({
      name: 'Many',
      options,
      variants: all,
      description: 'x'.repeat(400_000),
    });
    expect(created.variants).toHaveLength(2_048);
    const changed = await store.patch(created.id, { variants: [{ sku: 'sku-7', priceCents: 1 }] });
    expect(changed.body.product.variants[7]).toMatchObject({ id: created.variants[7].id, priceCents: 1 });
    expect(changed.body.product.variants.map(({ id }: { id: string }) => id)).toEqual(
      created.variants.map(({ id }: { id: string }) => id),
    );
    expect((await store.patch(created.id, { variants: [{ priceCents: 1 }] })).body.code).toBe('invalid_body');
    // Lists are sent in parts.
    const second = await store.create({
      name: 'More',
      variants: all.map(({ priceCents }) => ({ priceCents })),
    });
    const list = await store.get();
    expect(list.body.products.map((product: { id: string }) => product.id)).toEqual([created.id, second.id]);
    const long = all.map((one, i) => ({ ...one, sku: null, name: `${i}${'n'.repeat(190)}` }));
    const values = (n: number) => Array.from({ length: n }, (_, i) => `${i}${'v'.repeat(190)}`);
    const wide = ['A', 'B', 'C', 'D', 'E'].map((name) => ({ name: name.repeat(200), values: values(64) }));
    const choose = (i: number) =>
      Object.fromEntries(wide.map(({ name, values }, at) => [name, values[at === 0 ? i % 64 : i >> 6]!]));
    const half = (from: number) =>
      long.slice(from, from + 1_024).map((one, i) => ({ ...one, options: choose(from + i) }));
    const large = await store.create({ name: 'Large', options: wide, variants: half(0) });
    // The texts of these options count once, as they stand in the body.
    const fits = await store.patch(large.id, { variants: half(1_024).slice(0, 600) });
    expect(fits.body.product.variants).toHaveLength(1_624);
    const tooLarge = await store.patch(large.id, { variants: half(1_024).slice(600) });
    expect([tooLarge.status, tooLarge.body.code]).toEqual([400, 'invalid_body']);
    const body = { name: 'x', description: 'é'.repeat(2 * 1024 * 1024) };
    expect((await store.post(body)).body.code).toBe('body_too_large');
  });
});

describe('further fields of a variant', () => {
  test('are stored, and changed one by one', async () => {
    const store = newStore();
    const given = {
      priceCents: 350,
      compareAtCents: 400,
      barcode: '4006381333931',
      weightGrams: 120,
      requiresShipping: false,
      unit: { amount: 100, measure: 'g', perAmount: 1000, other: 1 },
      mediaId: newId('mediaAsset'),
      unitPriceCents: 1,
      lowestPriceCents30Days: 1,
    };
    const { id, variants } = await store.create({ name: 'Tea', variants: [given, { priceCents: 1 }] });
    const expected = {
      ...sampleVariant,
      ...given,
      id: variants[0].id,
      sku: null,
      name: '',
      stock: 0,
      unit: { amount: 100, measure: 'g', perAmount: 1000 },
      unitPriceCents: 3_500,
      mediaId: null,
      lowestPriceCents30Days: null,
      customFields: {},
    };
    expect(variants[0]).toEqual(expected);
    const path = `/${id}/variants/${variants[0].id}`;
    const { status, body } = await store.patch(`${id}/variants/${variants[0].id}`, {
      stock: 4,
      priceCents: 390,
    });
    expect([status, body.product.variants]).toEqual([
      200,
      [{ ...expected, stock: 4, priceCents: 390, unitPriceCents: 3_900 }, variants[1]],
    ]);
    const patchUnit = async (unit: object | null, to = variants[0].id) => {
      const answer = await store.patch(`${id}/variants/${to}`, { unit });
      if (answer.status !== 200) return [answer.body.code, answer.body.details];
      return answer.body.product.variants.find((each: { id: string }) => each.id === to).unit;
    };
    expect(await patchUnit({ amount: 200 })).toEqual({ amount: 200, measure: 'g', perAmount: 1000 });
    expect(await patchUnit({ amount: 1 }, variants[1].id)).toEqual([
      'invalid_body',
      ['measure', 'perAmount'].map((name) => ({ pointer: `/unit/${name}`, message: 'is required' })),
    ]);
    const [, tooLarge] = await patchUnit({ amount: 1_000_000_001 });
    expect(tooLarge).toEqual([{ pointer: '/unit/amount', message: expect.stringContaining('1000000000') }]);
    expect((await patchUnit({ amount: 0.0001 }))[1][0].message).toBe('must have at most three decimals');
    const put = await store.put(id, {
      name: 'Tea',
      variants: [
        { id: variants[0].id, priceCents: 390, unit: { amount: 100 } },
        { id: variants[1].id, priceCents: 1 },
      ],
    });
    expect(put.body.product.variants[0].unit).toEqual({ amount: 100, measure: 'g', perAmount: 1000 });
    const raised = await store.patch(id, { variants: [{ id: variants[0].id, priceCents: 400 }] });
    expect(raised.body.product.variants[0].compareAtCents).toBeNull();
    const strict = { prefer: 'handling=strict' };
    const shown = raised.body.product.variants[0];
    expect((await store.patch(`${id}/variants/${shown.id}`, shown, strict)).status).toBe(200);
    const unknown = await store.patch(`${id}/variants/${shown.id}`, { ...shown, tags: [] }, strict);
    expect(unknown.body.details.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/tags']);
    const other = await store.create({ name: 'Other', variants: [{ priceCents: 1, sku: 'O' }] });
    expect((await store.patch(`${other.id}/variants/${variants[0].id}`, {})).status).toBe(404);
    expect((await store.patch(`${id}/variants/${variants[1].id}`, { sku: 'O' })).body.code).toBe(
      'duplicate_sku',
    );
    expect((await newStore().patch(`${path.slice(1)}`, {})).status).toBe(404);
    const stale = await store.patch(`${id}/variants/${variants[1].id}`, { stock: 9 }, { 'if-match': '"x"' });
    expect([stale.status, stale.headers.etag]).toEqual([412, (await store.get(`/${id}`)).headers.etag]);
    const nothing = await store.patch(`${id}/variants/${variants[1].id}`, { stock: 0 });
    expect(nothing.body.product.updatedAt).toBe(raised.body.product.updatedAt);
  });

  test('stay where a replacement does not have them', async () => {
    const store = newStore();
    const later = {
      compareAtCents: 900,
      barcode: '4006381333931',
      weightGrams: 250,
      requiresShipping: false,
      unit: { amount: 100, measure: 'g', perAmount: 100 },
    };
    const { id, variants } = await store.create({
      name: 'Tea',
      variants: [{ sku: 'T', name: 'Tin', priceCents: 500, stock: 3, ...later }],
    });
    const put = async (variant: object) =>
      (await store.put(id, { name: 'Tea', variants: [{ id: variants[0].id, ...variant }] })).body.product
        .variants[0];
    expect(await put({ priceCents: 600 })).toMatchObject({
      ...later,
      name: '',
      stock: 0,
      priceCents: 600,
      unitPriceCents: 600,
    });
    // An omitted comparison price becomes null when it is no longer above the price.
    expect(await put({ priceCents: 1_000, barcode: null })).toMatchObject({
      ...later,
      compareAtCents: null,
      barcode: null,
    });
  });

  test.each([
    [{ compareAtCents: 100 }, 'invalid_price'],
    [{ compareAtCents: 1.5 }, 'invalid_price'],
    [{ compareAtCents: '200' }, 'invalid_price'],
    [{ barcode: '4006381333932' }, 'invalid_barcode'],
    [{ barcode: '123456789' }, 'invalid_barcode'],
    [{ barcode: 4006381333931 }, 'invalid_barcode'],
    [{ weightGrams: 1_000_001 }, 'invalid_body'],
    [{ weightGrams: 1.5 }, 'invalid_body'],
    [{ requiresShipping: null }, 'invalid_body'],
    [{ unit: { amount: 0, measure: 'g', perAmount: 1 } }, 'invalid_body'],
    [{ unit: { amount: 1.0001, measure: 'g', perAmount: 1 } }, 'invalid_body'],
    [{ unit: { amount: 1, measure: 'oz', perAmount: 1 } }, 'invalid_body'],
    [{ unit: { amount: 1, measure: 'g' } }, 'invalid_body'],
  ])('%j is %s, in every write', async (wrong, code) => {
    const store = newStore();
    const { id, variants } = await store.create({ name: 'Tea', variants: [{ priceCents: 100 }] });
    const written = { ...wrong, priceCents: 100 };
    const all = await Promise.all([
      store.post({ name: 'x', variants: [written] }),
      store.put(id, { name: 'x', variants: [written] }),
      store.patch(id, { variants: [{ ...wrong, id: variants[0].id }] }),
      store.patch(`${id}/variants/${variants[0].id}`, wrong),
    ]);
    expect(all.map(({ status, body }) => [status, body.code])).toEqual(all.map(() => [400, code]));
  });

  test('that are wrong are reported all at once, with the first specific code', async () => {
    const store = newStore();
    const options = [{ name: 'Size', values: ['M'] }];
    const wrong = [
      { unit: { amount: 1, measure: 'g' } },
      { compareAtCents: 50 },
      { barcode: '4006381333932', options: { Size: 'M' } },
    ].map((each) => ({ priceCents: 100, ...each }));
    const found = [
      '/variants/0/unit/perAmount',
      '/variants/1/compareAtCents',
      '/variants/2/barcode',
      '/variants/0/options',
      '/variants/1/options',
    ];
    const { id } = await store.create({ name: 'Tea' });
    for (const reply of [
      await store.post({ name: 'x', options, variants: wrong }),
      await store.put(id, { name: 'x', options, variants: wrong }),
      await store.patch(id, { options, variants: wrong }),
    ]) {
      expect([reply.status, reply.body.code]).toEqual([400, 'invalid_price']);
      expect(reply.body.details.map(({ pointer }: { pointer: string }) => pointer)).toEqual(found);
    }
    const unpriced = await store.patch(id, { variants: [{ barcode: '4006381333932' }, {}] });
    expect(unpriced.body.code).toBe('invalid_barcode');
    expect(unpriced.body.details.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/variants/0/priceCents',
      '/variants/0/barcode',
      '/variants/1/priceCents',
    ]);
  });

  test('the check digit of a GTIN finds every wrong digit', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(7, 11, 12, 13).chain((n) => fc.array(fc.nat(9), { minLength: n, maxLength: n })),
        fc.nat(12),
        fc.integer({ min: 1, max: 9 }),
        (digits, at, by) => {
          const body = digits.join('');
          const right = Array.from({ length: 10 }, (_, i) => `${body}${i}`).filter(isGtin);
          expect(right).toHaveLength(1);
          const wrong = digits
            .map((digit, i) => (i === at % digits.length ? (digit + by) % 10 : digit))
            .join('');
          expect(isGtin(wrong + right[0]!.at(-1))).toBe(false);
        },
      ),
    );
  });
});

describe('the lowest price of 30 days', () => {
  const lowest = (body: { product: { variants: { lowestPriceCents30Days: number | null }[] } }) =>
    body.product.variants[0]!.lowestPriceCents30Days;
  const past = (storeId: string, days: number) =>
    runSql(
      system,
      'catalog',
      `update price_period set ${shiftTimes('started_at', `${days} days`)},
         ${shiftTimes('ended_at', `${days} days`)} where store_id = '${storeId}'`,
    );

  test('is of the prices in force while the product was active, before the present one began', async () => {
    const store = newStore();
    const { id, variants } = await store.create({ name: 'Tea', variants: [{ priceCents: 500 }] });
    const price = async (priceCents: number) =>
      lowest((await store.patch(`${id}/variants/${variants[0].id}`, { priceCents })).body);
    expect(variants[0].lowestPriceCents30Days).toBeNull();
    // The prices of a draft were never in force.
    expect(await price(300)).toBeNull();
    await store.patch(id, { status: 'active' });
    expect(await price(900)).toBe(300);
    expect(await price(800)).toBe(300);
    expect((await store.patch(id, { name: 'Other tea' })).body.product.variants[0]).toMatchObject({
      lowestPriceCents30Days: 300,
    });
    await past(store.storeId, 31);
    expect(await price(850)).toBe(800);
    // A price counts that ended when the product was archived; prices after that do not.
    await store.patch(id, { status: 'archived' });
    expect(await price(100)).toBe(800);
    expect(await price(700)).toBe(800);
  });

  test('forgets prices of more than 400 days ago', async () => {
    const store = newStore();
    const { id, variants } = await store.create({
      name: 'Tea',
      status: 'active',
      variants: [{ priceCents: 1 }],
    });
    await store.patch(`${id}/variants/${variants[0].id}`, { priceCents: 2 });
    const db = await openTestDatabase<Tables>(system.databaseUrl('catalog'));
    const count = async () =>
      (await db.selectFrom('price_period').select('store_id').where('store_id', '=', store.storeId).execute())
        .length;
    try {
      await past(store.storeId, 399);
      await purgePrices(db);
      expect(await count()).toBe(1);
      await past(store.storeId, 2);
      await purgePrices(db);
      expect(await count()).toBe(0);
    } finally {
      await db.destroy();
    }
  });
});

test('a reservation and a cart contain the facts that a line’s price depends on', async () => {
  const store = newStore();
  const { id, variants } = await store.create({
    ...shirt,
    tags: ['wool'],
    variants: [{ ...shirt.variants[0], weightGrams: 250, compareAtCents: 2_100, stock: 5 }],
  });
  const facts = {
    options: { Size: 'S', Colour: 'Red' },
    tags: ['wool'],
    taxCategory: 'clothes',
    categoryIds: [],
    weightGrams: 250,
    requiresShipping: true,
    compareAtCents: 2_100,
  };
  const send = async (path: string, body: object) =>
    (
      await request(system.internalUrl)
        .post(path)
        .agent(keptConnections)
        .set('authorization', `Bearer ${system.serviceToken}`)
        .send({ storeId: store.storeId, ...body })
    ).body;
  const reservation = {
    orderId: newId('order'),
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
    items: [{ variantId: variants[0].id, quantity: 2 }],
  };
  const first = await send('/internal/reservations', reservation);
  expect(first).toMatchObject({ outcome: 'reserved', lines: [{ productId: id }], facts: [facts] });
  expect(await send('/internal/reservations', reservation)).toEqual(first);
  const cart = await send('/internal/shop/cart', { variantIds: [variants[0].id] });
  expect(cart.variants).toMatchObject([{ variantId: variants[0].id, ...facts }]);
});
