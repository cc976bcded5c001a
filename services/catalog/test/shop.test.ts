import type { ShopList } from '@waybill/contracts';
import request from 'supertest';
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
  const list = async (asked: Partial<ShopList>) => {
    const whole = { source: { kind: 'all' }, sort: 'number', dir: 'asc', limit: 12, offset: 0, ...asked };
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
  ])('is %s', async (_what, asked, expected) => {
    expect(await list(asked)).toEqual(expected);
  });

  test('is those that are named, in their own order, without what is not active', async () => {
    const named = [ids[4]!, ids[2]!, ids[0]!, 'prd_unknown'];
    expect(await list({ source: { kind: 'ids', ids: named } })).toEqual([2, 'Hojicha 50%', 'Sencha']);
  });

  test('is nothing of another store', async () => {
    const asked = { sort: 'number', dir: 'asc', limit: 12, offset: 0, storeId: newStore().storeId };
    const all = { ...asked, source: { kind: 'all' } };
    expect(await ask('/internal/shop/products', all)).toEqual({ products: [], total: 0 });
    const byId = { ...asked, source: { kind: 'ids', ids } };
    expect((await ask('/internal/shop/products', byId)).products).toEqual([]);
  });
});

test('an address has a product while it is active', async () => {
  const store = newStore();
  const product = await store.create({ name: 'Tea', status: 'active' });
  const find = async (slug: string) =>
    (await ask('/internal/shop/product', { storeId: store.storeId, slug })).product;
  expect(await find('tea')).toEqual(product);
  expect(await find('none')).toBeNull();
  await store.create({ name: 'Draft' });
  expect(await find('draft')).toBeNull();
});
