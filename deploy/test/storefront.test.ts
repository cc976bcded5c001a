import { catalog } from '@waybill/catalog';
import { newId, type Permission } from '@waybill/contracts';
import { gateway } from '@waybill/gateway';
import { identity } from '@waybill/identity';
import { startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';

const scopes: Permission[] = ['products.read', 'products.write', 'integrations.read', 'integrations.write'];

let system: TestSystem;
let storeId: string;
let key: Record<string, string>;
beforeAll(async () => {
  system = await startSystem([catalog, identity, gateway], { SITES_DOMAIN: 'off' });
  const registration = { email: 'ada@example.com', password: 'a long password', name: 'Ada' };
  const { body } = await request(system.url).post('/api/auth/register').send(registration).expect(201);
  const created = await request(system.url)
    .post('/api/stores')
    .set('authorization', `Bearer ${body.accessToken}`)
    .send({ name: 'Tea', currency: 'GBP' })
    .expect(201);
  storeId = created.body.store.id;
  key = await system.as({ kind: 'apiKey', storeId, keyId: 'key_1', scopes, creatorPermissions: scopes });
});
afterAll(() => system.stop());

const make = async (product: object) => {
  const reply = await request(system.internalUrl).post('/api/v1/products').set(key).send(product).expect(201);
  return reply.body.product;
};
const ask = (path: string) => request(system.url).get(path);
const products = () => `/storefront/${storeId}/products`;

describe('a shop front of somebody’s own', () => {
  let tea: { id: string; slug: string };
  beforeAll(async () => {
    tea = await make({
      name: 'Earl Grey',
      status: 'active',
      description: '<p>Black.</p>',
      variants: [
        { sku: 'EG-1', priceCents: 890, stock: 12 },
        { sku: 'EG-2', priceCents: 1500, stock: 0 },
      ],
    });
    await make({ name: 'Sold out', status: 'active', variants: [{ priceCents: 100 }] });
    await make({ name: 'Draft', variants: [{ priceCents: 1, stock: 1 }] });
    await make({ name: 'Archived', status: 'archived', variants: [{ priceCents: 1, stock: 1 }] });
  });

  test('shows what is active, whether any is left, and no figure of stock', async () => {
    const { body, headers, text } = await ask(products()).expect(200);
    expect(body).toMatchObject({
      products: [
        {
          id: tea.id,
          slug: 'earl-grey',
          priceCents: 890,
          available: true,
          variants: [
            { sku: 'EG-1', priceCents: 890, available: true },
            { sku: 'EG-2', priceCents: 1500, available: false },
          ],
        },
        { name: 'Sold out', available: false },
      ],
      total: 2,
      nextCursor: null,
      currency: 'GBP',
    });
    expect(text).not.toMatch(/stock|description|"status"/i);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=60',
      'access-control-allow-origin': '*',
    });
    const one = await ask(`${products()}/earl-grey`).expect(200);
    expect(one.body).toEqual({
      product: { ...body.products[0], description: '<p>Black.</p>' },
      currency: 'GBP',
    });
  });

  test('is walked by cursors, in each order', async () => {
    for (const sort of ['number', 'name', 'price', 'created']) {
      for (const dir of ['asc', 'desc']) {
        const query = `?limit=1&sort=${sort}&dir=${dir}`;
        const first = await ask(products() + query).expect(200);
        const second = await ask(`${products()}${query}&after=${first.body.nextCursor}`).expect(200);
        const found = [...first.body.products, ...second.body.products].map(({ name }) => name);
        expect([sort, dir, found.sort(), second.body.nextCursor]).toEqual([
          sort,
          dir,
          ['Earl Grey', 'Sold out'],
          null,
        ]);
      }
    }
    const wrong = await ask(`${products()}?after=nonsense`);
    expect([wrong.status, wrong.body.code]).toEqual([400, 'invalid_cursor']);
    // Two errors at once cause one refusal, and no unhandled rejection, which would end the process.
    const nowhere = await ask(`/storefront/${newId('store')}/products?after=nonsense`);
    expect(nowhere.status).toBeGreaterThanOrEqual(400);
    await ask(products()).expect(200);
  });

  test('shows public custom fields, and is filtered and counted by those that are filterable', async () => {
    const api = (method: 'post' | 'patch' | 'delete', path: string, body: object = {}) =>
      request(system.internalUrl)[method](`/api/v1/${path}`).set(key).send(body);
    const define = async (body: object) =>
      (
        await api('post', 'custom-fields', {
          entity: 'product',
          type: 'text',
          name: 'Field',
          ...body,
        }).expect(201)
      ).body.customField;
    const material = await define({
      key: 'material',
      name: 'Material',
      type: 'multiSelect',
      options: ['Linen', 'Silk'],
      visibility: 'public',
      isFilterable: true,
    });
    await define({ key: 'origin', visibility: 'public' });
    await define({ key: 'secret', isFilterable: true });
    await define({ key: 'care', entity: 'variant', visibility: 'public' });
    await define({ key: 'secret', entity: 'variant' });
    const shared = { status: 'active', tags: ['fields'] };
    const linen = await make({
      ...shared,
      name: 'Linen',
      customFields: { material: ['Linen', 'Silk'], origin: 'Wales', secret: 'a' },
      variants: [{ priceCents: 1, customFields: { care: 'cold', secret: 'b' } }],
    });
    const silk = await make({ ...shared, name: 'Silk', customFields: { material: ['Silk'] } });
    const list = async (query: string) =>
      (await ask(`${products()}?filter[tag]=fields&${query}`).expect(200)).body;
    const found = async (query: string) => (await list(query)).products.map(({ id }: { id: string }) => id);
    expect((await list('')).products[0]).toMatchObject({
      customFields: { material: ['Linen', 'Silk'], origin: 'Wales' },
      variants: [{ customFields: { care: 'cold' } }],
    });
    expect((await ask(`${products()}/${linen.slug}`).expect(200)).text).not.toContain('secret');
    expect(await found('filter[field.material]=Linen')).toEqual([linen.id]);
    expect(await found('filter[field.material]=Linen&filter[field.material]=Silk')).toEqual([
      linen.id,
      silk.id,
    ]);
    // Private or unfilterable fields are ignored as filters, so nothing about them can be found out.
    expect(await found('filter[field.secret]=x&filter[field.origin]=x')).toEqual([linen.id, silk.id]);
    const { facets } = await list('facets=true');
    expect(facets.filter((facet: { key: string }) => facet.key.startsWith('field.'))).toEqual([
      {
        key: 'field.material',
        name: 'Material',
        values: [
          { value: 'Silk', count: 2 },
          { value: 'Linen', count: 1 },
        ],
      },
    ]);
    await api('patch', `custom-fields/${material.id}`, { visibility: 'private' }).expect(200);
    expect((await list('facets=true')).facets[0].key).toBe('tag');
    expect((await list('')).products[0].customFields).toEqual({ origin: 'Wales' });
  });

  test('is searched, filtered, counted, and narrowed to a category', async () => {
    const options = [{ name: 'Size', values: ['M', 'L'] }];
    const variants = [
      { priceCents: 100, stock: 1, options: { Size: 'M' }, barcode: '4006381333931', compareAtCents: 150 },
      { priceCents: 200, options: { Size: 'L' }, unit: { amount: 1, measure: 'kg', perAmount: 2 } },
    ];
    const shared = { status: 'active', tags: ['searched'], vendor: 'Ridge' };
    const shirt = await make({ ...shared, name: 'Breeze shirt', options, variants });
    const scarf = await make({ ...shared, name: 'Scarf', vendor: 'Vale', variants: [{ priceCents: 150 }] });
    const found = async (query: string) => {
      const { body } = await ask(`${products()}?${query}`).expect(200);
      return body.products.map(({ id }: { id: string }) => id);
    };
    const tag = 'filter[tag]=searched';
    expect(await found('q=breze')).toEqual([shirt.id]);
    expect(await found('q=400638')).toEqual([shirt.id]);
    expect(await found(`${tag}&sort=name&dir=desc`)).toEqual([scarf.id, shirt.id]);
    expect(await found(`${tag}&filter[option.Size]=L&filter[available]=true`)).toEqual([]);
    // Simultaneous requests with different options get different answers.
    const sizes = Array.from({ length: 8 }, (_, i) => 'SM'[i % 2]!);
    const queries = sizes.map((size) => found(`${tag}&filter[option.Size]=${size}`));
    expect(await Promise.all(queries)).toEqual(sizes.map((size) => (size === 'M' ? [shirt.id] : [])));
    const tooMany = Array.from({ length: 11 }, (_, i) => `filter[option.O${i}]=x`).join('&');
    expect((await ask(`${products()}?${tooMany}`).expect(400)).body).toMatchObject({
      code: 'invalid_body',
      details: [{ pointer: '/filter[option.O10]' }],
    });
    const counted = (await ask(`${products()}?${tag}&filter[vendor]=Ridge&facets=true`).expect(200)).body;
    expect(counted).toMatchObject({
      total: 1,
      products: [
        {
          options,
          vendor: 'Ridge',
          compareAtCents: 150,
          variants: [
            { options: { Size: 'M' }, compareAtCents: 150, barcode: '4006381333931', mediaUrl: null },
            { options: { Size: 'L' }, unitPriceCents: 400 },
          ],
        },
      ],
      facets: [
        {
          key: 'option.Size',
          name: 'Size',
          values: [
            { value: 'L', count: 1 },
            { value: 'M', count: 1 },
          ],
        },
        {
          key: 'vendor',
          values: [
            { value: 'Ridge', count: 1 },
            { value: 'Vale', count: 1 },
          ],
        },
        { key: 'tag', values: [{ value: 'searched', count: 1 }] },
        { key: 'available', values: [{ value: 'true', count: 1 }] },
        { key: 'price', min: 100, max: 200 },
      ],
    });
    // Facets are no filter: a cursor leads on with and without them.
    for (const [first, next] of [
      ['&facets=true', ''],
      ['', '&facets=true'],
    ]) {
      const { body: all } = await ask(`${products()}?limit=3`).expect(200);
      const { body: page } = await ask(`${products()}?limit=1${first}`).expect(200);
      const { body: rest } = await ask(`${products()}?limit=2${next}&after=${page.nextCursor}`).expect(200);
      expect([...page.products, ...rest.products]).toEqual(all.products);
      const { facets } = first ? page : rest;
      expect(facets.find((facet: { key: string }) => facet.key === 'vendor').values).toHaveLength(2);
    }
    const category = await request(system.internalUrl)
      .post('/api/v1/categories')
      .set(key)
      .send({ name: 'Worn' })
      .expect(201);
    const { id, slug } = category.body.category;
    expect(await found(`category=${slug}`)).toEqual([]);
    const productIds = [scarf.id, shirt.id];
    await request(system.internalUrl)
      .put(`/api/v1/categories/${id}/products`)
      .set(key)
      .send({ productIds })
      .expect(200);
    expect([await found(`category=${slug}`), await found(`category=${id}&q=scarf`)]).toEqual([
      productIds,
      [scarf.id],
    ]);
    expect(await found('category=nowhere')).toEqual([]);
    const shown = await found('limit=100');
    expect(await found('limit=100&category=')).toEqual(shown);
    expect((await found(`category=nowhere&category=${slug}&category=`)).toSorted()).toEqual(
      productIds.toSorted(),
    );
    const other = await request(system.internalUrl)
      .post('/api/v1/categories')
      .set(key)
      .send({ name: 'Other' })
      .expect(201);
    await request(system.internalUrl)
      .put(`/api/v1/categories/${other.body.category.id}/products`)
      .set(key)
      .send({ productIds: [scarf.id] })
      .expect(200);
    expect(await found(`category=${other.body.category.slug}&category=${slug}&sort=name`)).toEqual([
      shirt.id,
      scarf.id,
    ]);
    const first = (await ask(`${products()}?category=${slug}&limit=1`).expect(200)).body;
    expect(first).toMatchObject({ total: 2, products: [{ id: scarf.id }] });
    expect(await found(`category=${slug}&limit=1&after=${first.nextCursor}`)).toEqual([shirt.id]);
    await request(system.internalUrl)
      .patch(`/api/v1/products/${shirt.id}`)
      .set(key)
      .send({ status: 'draft' })
      .expect(200);
    await request(system.internalUrl).delete(`/api/v1/products/${scarf.id}`).set(key).expect(204);
    expect([await found(tag), await found('q=scarf')]).toEqual([[], []]);
  });

  test('is answered 304 until something changes that it shows', async () => {
    for (const path of [products(), `${products()}/earl-grey`]) {
      const { etag } = (await ask(path)).headers;
      await ask(path).set('if-none-match', etag!).expect(304);
      await request(system.internalUrl)
        .patch(`/api/v1/products/${tea.id}`)
        .set(key)
        .send({ tags: [path.slice(-8)] })
        .expect(200);
      await ask(path).set('if-none-match', etag!).expect(200);
    }
  });

  test('shows no draft by its slug, no other store, and nothing of a store that there is not', async () => {
    for (const path of [
      `${products()}/draft`,
      `${products()}/archived`,
      `${products()}/nothing`,
      `/storefront/${newId('store')}/products`,
      `/storefront/${newId('store')}/products/earl-grey`,
      '/storefront/nonsense/products',
    ]) {
      const { status, body, headers } = await ask(path);
      expect([path, status, body.code]).toEqual([path, 404, 'not_found']);
      expect(headers['access-control-allow-origin']).toBe('*');
    }
  });
});

test('an id that is nobody’s is answered with the kind of thing that it stands for', async () => {
  const reply = await request(system.internalUrl)
    .get(`/api/v1/products/${newId('product')}`)
    .set(key);
  expect([reply.status, reply.body]).toEqual([
    404,
    { error: 'This product does not exist.', code: 'not_found' },
  ]);
});

describe('a page of another origin', () => {
  const preflight = (path: string, method: string) =>
    request(system.url)
      .options(path)
      .set({ origin: 'https://shop.example', 'access-control-request-method': method });

  test('may ask a shop front, and never with cookies', async () => {
    const { status, headers } = await preflight(`/storefront/${storeId}/orders`, 'POST');
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': 'Content-Type, Idempotency-Key, If-None-Match, Prefer',
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    await ask('/.well-known/jwks.json').expect(200).expect('access-control-allow-origin', '*');
  });

  test('may ask nothing of the API', async () => {
    for (const path of [
      '/api/v1/products',
      `/api/stores/${storeId}/products`,
      '/api/auth/login',
      '/oauth/token',
      '/api/me',
    ]) {
      for (const reply of [
        await preflight(path, 'POST'),
        await ask(path).set('origin', 'https://shop.example'),
      ]) {
        expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      }
    }
  });
});
