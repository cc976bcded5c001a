import { newId, type Principal } from '@waybill/contracts';
import { checkWalks, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import { catalog } from '../src/index.ts';
import { sorts } from '../src/products/routes.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([catalog]);
});
afterAll(() => system.stop());

const path = '/api/v1/products';
const statuses = ['draft', 'active', 'archived'] as const;
let names = 0;

/** Returns a product that differs from others only in its slug. Products of value 0 have no price. */
const createProduct = (value: number) => ({
  name: `Tea ${value}`,
  status: statuses[value],
  variants: value === 0 ? [] : [{ priceCents: value, stock: value }],
});

async function open() {
  const scopes: Extract<Principal, { kind: 'apiKey' }>['scopes'] = ['products.read', 'products.write'];
  const headers = await system.as({
    kind: 'apiKey',
    storeId: newId('store'),
    keyId: 'key_1',
    scopes,
    creatorPermissions: scopes,
  });
  const ask = request(system.internalUrl);
  return {
    async page(query: string) {
      const { body } = await ask.get(`${path}?${query}`).set(headers).expect(200);
      return { ids: body.products.map(({ id }: { id: string }) => id), nextCursor: body.nextCursor };
    },
    async add(value: number) {
      const product = { ...createProduct(value), slug: `tea-${++names}` };
      return (await ask.post(path).set(headers).send(product).expect(201)).body.product.id;
    },
    async remove(id: string) {
      await ask.delete(`${path}/${id}`).set(headers).expect(204);
    },
    change: (id: string, value: number) =>
      ask.put(`${path}/${id}`).set(headers).send(createProduct(value)).expect(200),
  };
}

test('paging through products returns every unchanged one once', () =>
  checkWalks(
    open,
    sorts.flatMap((sort) =>
      ['asc', 'desc'].flatMap((dir) =>
        ['', '&status=active', '&q=tea'].map((filter) => `sort=${sort}&dir=${dir}${filter}`),
      ),
    ),
  ));
