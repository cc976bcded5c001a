import { catalog } from '@waybill/catalog';
import { newId, type Permission } from '@waybill/contracts';
import { media } from '@waybill/media';
import { startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';

const scopes: Permission[] = ['products.read', 'products.write', 'media.read', 'media.write'];
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([catalog, media], { PUBLIC_BASE_URL: 'https://shop.example/' });
});
afterAll(() => system.stop());

async function newStore() {
  const storeId = newId('store');
  const headers = await system.as({
    kind: 'apiKey',
    storeId,
    keyId: 'key_1',
    scopes,
    creatorPermissions: scopes,
  });
  const ask = () => request.agent(system.internalUrl).set(headers);
  return {
    storeId,
    ask,
    async upload(): Promise<string> {
      const { body } = await ask().post('/api/v1/media').attach('file', svg, 'a.svg').expect(201);
      return body.media.id;
    },
  };
}

describe('the media of a product', () => {
  test('are those that the store has, trashed ones too, in their order, with their URLs; others are dropped', async () => {
    const store = await newStore();
    const [a, b] = [await store.upload(), await store.upload()];
    const theirs = await (await newStore()).upload();
    await store.ask().delete(`/api/v1/media/${b}`).expect(204);
    const mediaIds = [b, newId('mediaAsset'), theirs, 'nonsense', a];
    const { body } = await store.ask().post('/api/v1/products').send({ name: 'Tea', mediaIds }).expect(201);
    const url = (id: string) => `https://shop.example/media/${store.storeId}/${id}`;
    expect(body.product).toMatchObject({
      mediaIds: [b, a],
      media: [
        { id: b, url: url(b) },
        { id: a, url: url(a) },
      ],
    });
    const path = `/api/v1/products/${body.product.id}`;
    expect((await store.ask().get(path)).body).toEqual(body);
    expect((await store.ask().get('/api/v1/products')).body.products).toEqual([body.product]);
    const replaced = await store.ask().put(path).send({ name: 'Tea' }).expect(200);
    expect(replaced.body.product).toMatchObject({ mediaIds: [], media: [] });
  });
});
