import { eventually } from '@waybill/testing';
import { expectStatus, newKey, newPerson, newStore, type Person } from '../../testing/accounts.ts';
import { type Caller, createCaller, send } from '../../testing/client.ts';
import { formOf, noisyPng, upload } from '../../testing/uploads.ts';
import { type SharedSystem, topologies } from './topologies.ts';

const scopes = ['pages.write', 'pages.read', 'products.read', 'products.write', 'media.read', 'media.write'];

describe.each(topologies)('$name', ({ share }) => {
  let system: SharedSystem;
  let owner: Person;
  let storeId: string;
  let slug: string;
  let key: Caller;
  beforeAll(async () => {
    system = await share();
    owner = await newPerson(system.baseUrl);
    storeId = await newStore(owner);
    slug = expectStatus(await owner.call('GET', `/api/stores/${storeId}`), 200).body.store.slug;
    key = createCaller(system.baseUrl, (await newKey(owner, storeId, scopes)).secret);
  });

  const member: Caller = (method, path, json) => owner.call(method, `/api/stores/${storeId}${path}`, json);
  const newAsset = async (width: number) => {
    const form = formOf([noisyPng(width, 300)], 'photo.png');
    const path = `/api/stores/${storeId}/media`;
    return (await upload(system.baseUrl, owner.accessToken, form, { path })).body.media;
  };
  const quotaNow = async () => expectStatus(await member('GET', '/media/quota'), 200).body.quota;
  const home = async () => (await send(system.baseUrl, 'GET', `/s/${slug}/`)).text;

  test('folders are changed and deleted through both APIs', async () => {
    const doors: [Caller, string][] = [
      [key, '/api/v1/media-folders'],
      [member, '/media-folders'],
    ];
    for (const [call, path] of doors) {
      const postCreated = async (name: string, parentId?: string) =>
        expectStatus(await call('POST', path, { name, parentId }), 201).body.mediaFolder;
      const outer = await postCreated('outer');
      const inner = await postCreated('inner', outer.id);
      const ring = await call('PATCH', `${path}/${outer.id}`, { parentId: inner.id });
      expect([ring.status, ring.body.code]).toEqual([409, 'cycle_detected']);
      const full = await call('DELETE', `${path}/${outer.id}`);
      expect([full.status, full.body.code]).toEqual([409, 'folder_not_empty']);
      const moved = await call('PATCH', `${path}/${inner.id}`, { name: 'free', parentId: null });
      expect(expectStatus(moved, 200).body.mediaFolder).toMatchObject({ name: 'free', parentId: null });
      for (const { id } of [inner, outer]) expectStatus(await call('DELETE', `${path}/${id}`), 204);
    }
  });

  test('a store’s own picture is one of its library, or none', async () => {
    const { id } = await newAsset(64);
    const choose = async (faviconMediaId: unknown) => {
      const { status, body } = await member('PATCH', '', { faviconMediaId });
      return status === 200 ? body.store.faviconMediaId : body.details;
    };
    expect(await choose(id)).toBe(id);
    for (const wrong of ['', 'mda_00000000000000000000000000', 7])
      expect(await choose(wrong)).toEqual([{ pointer: '/faviconMediaId', message: expect.any(String) }]);
    expect(await choose(null)).toBeNull();
  });

  test('a picture emits one event, is served at all of its URLs, and is purged when it is unused', async () => {
    const [asset, spare] = [await newAsset(700), await newAsset(500)];
    const described = { alt: 'A cup of tea', focalPoint: { x: 0.25, y: 1 } };
    expect(
      expectStatus(await member('PATCH', `/media/${asset.id}`, described), 200).body.media,
    ).toMatchObject(described);
    const path = `/media/${storeId}/${asset.id}`;
    const port = new URL(system.baseUrl).port;
    const urls = [asset.id, `${path}?w=320`, asset.url, `http://${slug}.localhost:${port}${path}`];
    const config = { base: { ratio: '1/1' } };
    const images = urls.map((src, i) => ({
      id: `i${i}`,
      type: 'image',
      props: { config, specials: { src } },
    }));
    const root = { id: 'root', type: 'section', children: images.map(({ id }) => id) };
    const { page } = expectStatus(await key('POST', '/api/v1/pages', { name: 'Home' }), 201).body;
    const draft = { document: { rootId: 'root', nodes: [root, ...images] } };
    expectStatus(await member('PUT', `/pages/${page.id}/draft`, draft), 200);
    expectStatus(await key('POST', `/api/v1/pages/${page.id}/publish`), 200);
    const product = { name: 'Tea', status: 'active', mediaIds: [asset.id, spare.id] };
    const { id: productId } = expectStatus(await key('POST', '/api/v1/products', product), 201).body.product;
    const html = await home();
    expect(html.split('alt="A cup of tea"')).toHaveLength(urls.length + 1);
    expect(html.split(`${path}?w=320&amp;format=webp 320w`)).toHaveLength(urls.length + 1);
    expect(html).toContain('object-position:25% 100%');
    expectStatus(await key('PATCH', `/api/v1/media/${asset.id}`, { alt: 'A pot of tea' }), 200);
    await eventually(async () => (await home()).includes('alt="A pot of tea"'), {
      what: 'the page to follow',
    });

    const usage = [
      { type: 'page', id: page.id, name: 'Home', live: true },
      { type: 'product', id: productId, name: 'Tea', live: true },
    ];
    expect(expectStatus(await member('GET', `/media/${asset.id}/usage`), 200).body).toEqual({ usage });
    const before = await quotaNow();
    expectStatus(await member('DELETE', `/media/${asset.id}`), 204);
    expect(await quotaNow()).toEqual({ ...before, trashed: asset.sizeBytes });
    const ids = [asset.id];
    const refused = await member('POST', '/media/purge', { ids });
    expect([refused.status, refused.body.code, refused.body.usage]).toEqual([409, 'media_in_use', usage]);
    expectStatus(await member('POST', '/media/purge', { ids, force: true }), 204);
    expect(await quotaNow()).toEqual({ ...before, used: before.used - asset.sizeBytes });
    expect((await send(system.baseUrl, 'GET', path)).status).toBe(404);
    await eventually(async () => !(await home()).includes('srcset'), {
      what: 'the page without the picture',
    });
    const shown = async () =>
      expectStatus(await key('GET', `/api/v1/products/${productId}`), 200).body.product;
    await eventually(async () => (await shown()).mediaIds.length === 1, { what: 'the product without it' });
    expect((await shown()).media).toEqual([{ id: spare.id, url: spare.url }]);
  });
});
