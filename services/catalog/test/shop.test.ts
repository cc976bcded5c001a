import { hash } from 'node:crypto';
import type { ShopList } from '@waybill/contracts';
import { openTestDatabase } from '@waybill/testing';
import { sql } from 'kysely';
import request from 'supertest';
import { buildShopListStatement } from '../src/shop/queries.ts';
import type { Tables } from '../src/tables.ts';
import { newStore, system, useCatalog } from './stores.ts';

useCatalog();

const ask = async (path: string, body: object) =>
  (
    await request(system.internalUrl)
      .post(path)
      .set('authorization', `Bearer ${system.serviceToken}`)
      .send(body)
  ).body;

describe('what a list of a page shows', () => {
  const store = newStore();
  const ids: string[] = [];
  beforeAll(async () => {
    for (const [name, priceCents, status, tag] of [
      ['Sencha', 900, 'active', 'green'],
      ['Assam', 700, 'active', 'black'],
      ['Draft tea', 100, 'draft', 'green'],
      ['Gone tea', 100, 'archived', 'green'],
      ['Hojicha 50%', 800, 'active', 'green'],
    ] as const) {
      ids.push((await store.create({ name, status, tags: [tag], variants: [{ priceCents, stock: 1 }] })).id);
    }
  });
  const list = async (query: Partial<ShopList>) => {
    const whole = { source: { kind: 'all' }, sort: 'number', dir: 'asc', limit: 12, offset: 0, ...query };
    const { products, total } = await ask('/internal/shop/products', { storeId: store.storeId, ...whole });
    return [total, ...products.map(({ name }: { name: string }) => name)];
  };

  test.each<[string, Partial<ShopList>, unknown[]]>([
    ['all that are active', {}, [3, 'Sencha', 'Assam', 'Hojicha 50%']],
    ['in an order', { sort: 'price', dir: 'desc' }, [3, 'Sencha', 'Hojicha 50%', 'Assam']],
    ['a page of them', { sort: 'name', limit: 1, offset: 1 }, [3, 'Hojicha 50%']],
    ['past the end', { offset: 3 }, [3]],
    ['those of a tag', { source: { kind: 'tag', tag: 'green' } }, [2, 'Sencha', 'Hojicha 50%']],
    ['none of no tag', { source: { kind: 'tag', tag: 'gree' } }, [0]],
    ['those searched for', { source: { kind: 'search', q: 'CHA  0%' } }, [1, 'Hojicha 50%']],
    ['all to an empty search', { source: { kind: 'search', q: ' ' } }, [3, 'Sencha', 'Assam', 'Hojicha 50%']],
  ])('is %s', async (_what, query, expected) => {
    expect(await list(query)).toEqual(expected);
  });

  test('contains the named ones in that order, without inactive ones', async () => {
    const named = [ids[4]!, ids[2]!, ids[0]!, 'prd_unknown'];
    expect(await list({ source: { kind: 'ids', ids: named } })).toEqual([2, 'Hojicha 50%', 'Sencha']);
  });

  test('is found by an index when visitors search for a rare property', async () => {
    const { storeId } = newStore();
    const db = await openTestDatabase<Tables>(system.databaseUrl('catalog'));
    try {
      await sql`insert into product (store_id, id, number, name, name_key, slug, status, description, tags, media_ids,
          total_stock, search, created_at, updated_at)
        select ${storeId}, 'prd_' || i, i, name, name, name, 'active', '', '{}', '{}', 0, name || E'\n' || md5(name), now(), now()
        from (select i, 'tea ' || i as name from generate_series(1, 6000) i) tea`.execute(db);
      // Until then, new rows are only in the pending list of the index.
      await sql`vacuum analyze product`.execute(db);
      const query = { storeId, sort: 'name', dir: 'asc', limit: 24, offset: 0 } as const;
      for (const q of ['zebra', `tea ${hash('md5', 'tea 777')}`]) {
        const statement = await buildShopListStatement(db, { ...query, source: { kind: 'search', q } });
        const { rows } = await db.executeQuery<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>({
          ...statement,
          sql: `explain (analyze, buffers, timing off, format json) ${statement.sql}`,
        });
        const { Plan } = rows[0]!['QUERY PLAN'][0];
        expect(Plan['Shared Hit Blocks']! + Plan['Shared Read Blocks']!).toBeLessThan(200);
      }
    } finally {
      await db.destroy();
    }
  });

  test('is nothing of another store', async () => {
    const query = { sort: 'number', dir: 'asc', limit: 12, offset: 0, storeId: newStore().storeId };
    const all = { ...query, source: { kind: 'all' } };
    expect(await ask('/internal/shop/products', all)).toEqual({ products: [], total: 0 });
    const byId = { ...query, source: { kind: 'ids', ids } };
    expect((await ask('/internal/shop/products', byId)).products).toEqual([]);
  });
});

test('an address shows a product while it is active', async () => {
  const store = newStore();
  const product = await store.create({ name: 'Tea', status: 'active' });
  const find = async (slug: string) =>
    (await ask('/internal/shop/product', { storeId: store.storeId, slug })).product;
  expect(await find('tea')).toEqual(product);
  expect(await find('none')).toBeNull();
  await store.create({ name: 'Draft' });
  expect(await find('draft')).toBeNull();
});

test('a cart learns whether enough units of each variant exist, and not how many', async () => {
  const store = newStore();
  const created = await store.create({
    name: 'Tea',
    status: 'active',
    variants: [
      { name: 'a', priceCents: 100, stock: 12 },
      { name: 'b', priceCents: 100, stock: 0 },
    ],
  });
  const [some, none] = created.variants as { id: string }[];
  const read = async (quantities?: number[]) => {
    const variantIds = [some!.id, none!.id];
    const { variants } = await ask('/internal/shop/cart', {
      storeId: store.storeId,
      variantIds,
      ...(quantities && { quantities }),
    });
    const found = new Map(variants.map((variant: { variantId: string }) => [variant.variantId, variant]));
    return variantIds.map((id) => found.get(id));
  };
  expect(await read([12, 1])).toMatchObject([{ isEnough: true }, { isEnough: false, isAvailable: false }]);
  expect(await read()).toMatchObject([{ titleOptions: [] }, { titleOptions: [] }]);
  const [short] = await read([13, 1]);
  expect(short).toMatchObject({ isEnough: false, isAvailable: true });
  expect(Object.values(short as object)).not.toContain(12);
  // The previous version of the calling service sends no quantities.
  expect(await read()).toMatchObject([{ isEnough: true }, { isEnough: false }]);
  expect(await ask('/internal/shop/cart', { storeId: newStore().storeId, variantIds: [some!.id] })).toEqual({
    variants: [],
    gone: [],
  });
});

test('a cart shows what happened to products that are no longer sold', async () => {
  const store = newStore();
  const options = [{ name: 'Size', values: ['S', 'M'] }];
  const variants = ['S', 'M'].map((Size) => ({ options: { Size }, priceCents: 100 }));
  const make = (name: string) => store.create({ name, status: 'active', options, variants });
  const [draft, deleted, smaller] = [await make('Draft'), await make('Deleted'), await make('Smaller')];
  await store.patch(draft.id, { status: 'draft' });
  await store.delete(deleted.id);
  await store.put(smaller.id, { name: 'Smaller', status: 'active', variants: smaller.variants.slice(1) });
  const variantIds = [draft, deleted, smaller].map((product) => product.variants[0].id);
  const query = { storeId: store.storeId, variantIds: [...variantIds, smaller.variants[1].id] };
  const { variants: sold, gone } = await ask('/internal/shop/cart', query);
  expect(sold).toMatchObject([{ productName: 'Smaller', variantName: 'M', titleOptions: options }]);
  const offSale = gone.find(({ reason }: { reason: string }) => reason === 'offSale');
  expect(offSale).toMatchObject({ productId: draft.id, titleOptions: options, options: { Size: 'S' } });
  const about = (each: { productName: string; variantName: string; reason: string }) => [
    each.productName,
    each.variantName,
    each.reason,
  ];
  expect(gone.map(about).sort()).toEqual([
    ['Deleted', 'S', 'deleted'],
    ['Draft', 'S', 'offSale'],
    ['Smaller', 'S', 'variantDeleted'],
  ]);
});

test('a category is browsed with filters and facets, and read with those around it', async () => {
  const store = newStore();
  const category = async (body: object) => (await store.categories('post', '', body)).body.category;
  const root = await category({ name: 'Root' });
  const child = await category({ name: 'Child', parentId: root.id });
  const [a, b] = [
    await store.create({ name: 'A', status: 'active', vendor: 'V', variants: [{ priceCents: 1 }] }),
    await store.create({ name: 'B', status: 'active', vendor: 'W', variants: [{ priceCents: 2 }] }),
  ];
  await store.categories('put', `/${child.id}/products`, { productIds: [b.id, a.id] });
  const browse = async (change: object) => {
    const whole = { categoryId: child.id, filters: [], limit: 10, offset: 0, facets: true };
    const reply = await ask('/internal/shop/browse', { storeId: store.storeId, ...whole, ...change });
    return [reply.total, ...reply.products.map(({ name }: { name: string }) => name)];
  };
  expect(await browse({})).toEqual([2, 'B', 'A']);
  expect(await browse({ sort: 'name', offset: 1 })).toEqual([2, 'B']);
  expect(await browse({ filters: [{ name: 'filter[vendor]', value: 'V' }] })).toEqual([1, 'A']);
  expect(await browse({ categoryId: 'cat_none' })).toEqual([0]);
  const list = { source: { kind: 'category', id: child.id }, dir: 'asc', limit: 10, offset: 0 };
  const listed = await ask('/internal/shop/products', { storeId: store.storeId, ...list, sort: 'category' });
  expect(listed.products.map(({ name }: { name: string }) => name)).toEqual(['B', 'A']);
  const found = await ask('/internal/shop/category', { storeId: store.storeId, category: 'child' });
  expect(found.category).toMatchObject({ id: child.id, trail: [{ slug: 'root' }], children: [], fields: {} });
  const first = await ask('/internal/shop/category', { storeId: store.storeId });
  expect(first.category).toMatchObject({ id: root.id, trail: [], children: [{ slug: 'child' }] });
  const feed = await ask('/internal/shop/feed', {
    storeId: store.storeId,
    productId: '',
    position: 0,
    limit: 1,
  });
  expect(feed.items).toMatchObject([{ name: 'A', category: 'Root > Child', variants: 1 }]);
  const { productId, position } = feed.items[0];
  const rest = await ask('/internal/shop/feed', { storeId: store.storeId, productId, position, limit: 5 });
  expect(rest.items.map(({ name }: { name: string }) => name)).toEqual(['B']);
});
