import { catalog } from '@waybill/catalog';
import { content } from '@waybill/content';
import { newId, type Principal, permissions } from '@waybill/contracts';
import { media } from '@waybill/media';
import { orders } from '@waybill/orders';
import { createStubService, eventually, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';

const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
/** The inspected part of a font: its type and its length. */
const woff2 = Buffer.alloc(200, 3);
woff2.write('wOF2', 'latin1');
woff2.writeUInt32BE(0x00010000, 4);
woff2.writeUInt32BE(woff2.length, 8);

const slugOf = (storeId: string) => storeId.slice(4).replaceAll('_', '-');
/** A stand-in of identity where every store exists. */
const identity = createStubService('identity', {
  'GET /internal/stores/{storeId}'({ params: { storeId: id } }: { params: { storeId: string } }) {
    const facts = { name: 'Tea', slug: slugOf(id), currency: 'EUR', locales: null, isDevelopment: false };
    const checkout = {
      maxQuantity: 999,
      expireUnpaidAfterMinutes: 0,
      expireManualAfterDays: 0,
      returnDays: 14,
    };
    return { store: { id, ...facts }, checkout: { ...checkout, refundLimitCents: null } };
  },
});

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([catalog, content, media, orders, identity], {
    PUBLIC_BASE_URL: 'https://shop.example',
  });
});
afterAll(() => system.stop());

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
interface Used {
  type: string;
  id: string;
  name: string;
  live: boolean;
}

async function newStore() {
  const storeId = newId('store');
  const [scopes, creatorPermissions] = [[...permissions], [...permissions]];
  const key: Principal = { kind: 'apiKey', storeId, keyId: 'key_1', scopes, creatorPermissions };
  const member: Principal = { kind: 'user', userId: 'usr_1', email: 'a@b.example', storeId, role: 'admin' };
  const as = (principal: Principal, root: string) => async (method: Method, path: string, body?: object) => {
    const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    const call = request(system.internalUrl)
      [verb](root + path)
      .set(await system.as(principal));
    const res = await (body === undefined ? call : call.send(body));
    if (res.status >= 500) throw new Error(`${method} ${path}: ${res.status} ${res.text}`);
    return res;
  };
  const api = as(key, '/api/v1');
  const edit = as(member, `/api/stores/${storeId}`);
  return {
    storeId,
    api,
    edit,
    async upload(bytes = svg): Promise<string> {
      const { body } = await request(system.internalUrl)
        .post('/api/v1/media')
        .set(await system.as(key))
        .attach('file', bytes, 'a')
        .expect(201);
      return body.media.id;
    },
    pathOf: (id: string) => `/media/${storeId}/${id}`,
    async usage(id: string): Promise<Used[]> {
      return (await edit('GET', `/media/${id}/usage`)).body.usage;
    },
    /** Creates a page with a draft. */
    async page(name: string, ...children: object[]): Promise<string> {
      const { page } = (await api('POST', '/pages', { name })).body;
      expect((await edit('PUT', `/pages/${page.id}/draft`, { document: documentOf(children) })).status).toBe(
        200,
      );
      return page.id;
    },
    publish: async (id: string) => expect((await api('POST', `/pages/${id}/publish`)).status).toBe(200),
    purge: (ids: string[], force?: boolean) => edit('POST', '/media/purge', { ids, force }),
    visit: (path: string) => request(system.internalUrl).get(`/s/${slugOf(storeId)}/${path}`),
  };
}

const image = (src: string) => ({ id: 'i', type: 'image', props: { specials: { src } } });
const documentOf = (children: object[]) => ({
  rootId: 'root',
  nodes: [
    { id: 'root', type: 'section', children: children.map((child) => (child as { id: string }).id) },
    ...children,
  ],
});

describe('what uses an asset', () => {
  test('is a template and the theme, which are on every page', async () => {
    const store = await newStore();
    const [logo, font] = await Promise.all([store.upload(), store.upload(woff2)]);
    const of = { type: 'template', id: 'tpl_header', name: 'header' };
    const draft = { document: documentOf([image(logo!)]) };
    expect((await store.edit('PUT', '/templates/header/draft', draft)).status).toBe(200);
    expect(await store.usage(logo!)).toEqual([{ ...of, live: false }]);
    expect((await store.edit('POST', '/templates/header/publish')).status).toBe(200);
    expect(await store.usage(logo!)).toEqual([{ ...of, live: true }]);
    const theme = { theme: { fonts: { body: { mediaId: font } } } };
    expect((await store.edit('PUT', '/theme', theme)).status).toBe(200);
    expect(await store.usage(font!)).toEqual([{ type: 'theme', id: 'theme', name: 'theme', live: false }]);
    expect((await store.edit('POST', '/theme/publish')).status).toBe(200);
    expect(await store.usage(font!)).toEqual([{ type: 'theme', id: 'theme', name: 'theme', live: true }]);
  });

  test('is a page: its draft, what is live of it, its settings', async () => {
    const store = await newStore();
    const [inDraft, inUrl, behind, inSettings, none] = await Promise.all(
      Array.from({ length: 5 }, () => store.upload()),
    );
    const background = { backgroundImage: { src: `https://shop.example${store.pathOf(behind!)}?w=640` } };
    const box = { id: 'b', type: 'container', children: [], props: { style: { base: background } } };
    const home = await store.page('Home', image(inDraft!), box);
    const page = { type: 'page', id: home, name: 'Home' };
    expect(await store.usage(inDraft!)).toEqual([{ ...page, live: false }]);
    await store.publish(home);
    expect(await store.usage(inDraft!)).toEqual([{ ...page, live: true }]);
    expect(await store.usage(behind!)).toEqual([{ ...page, live: true }]);
    await store.edit('PUT', `/pages/${home}/draft`, { document: documentOf([image(store.pathOf(inUrl!))]) });
    expect(await store.usage(inUrl!)).toEqual([{ ...page, live: false }]);
    expect(await store.usage(inDraft!)).toEqual([{ ...page, live: true }]);
    await store.publish(home);
    expect(await store.usage(inUrl!)).toEqual([{ ...page, live: true }]);
    expect(await store.usage(inDraft!)).toEqual([]);
    await store.api('PATCH', `/pages/${home}`, { settings: { seo: { imageMediaId: inSettings } } });
    expect(await store.usage(inSettings!)).toEqual([{ ...page, live: true }]);
    await store.api('POST', `/pages/${home}/unpublish`);
    expect(await store.usage(inSettings!)).toEqual([{ ...page, live: false }]);
    expect(await store.usage(none!)).toEqual([]);
  });

  test('is a section, and every live page that holds it', async () => {
    const store = await newStore();
    const id = await store.upload();
    const { section } = (
      await store.edit('POST', '/sections', { name: 'Header', document: documentOf([image(id)]) })
    ).body;
    const used = { type: 'section', id: section.id, name: 'Header' };
    expect(await store.usage(id)).toEqual([{ ...used, live: false }]);
    const ref = { id: 'r', type: 'sectionRef', props: { specials: { sectionId: section.id } } };
    const home = await store.page('Home', ref);
    await store.publish(home);
    expect(await store.usage(id)).toEqual([
      { type: 'page', id: home, name: 'Home', live: true },
      { ...used, live: true },
    ]);
    await store.edit('PUT', `/sections/${section.id}`, { document: documentOf([]) });
    expect((await store.usage(id)).map(({ live }) => live)).toEqual([true, true]);
  });

  test('is an article: its cover, its HTML, its document', async () => {
    const store = await newStore();
    const [cover, inHtml, inDocument] = await Promise.all([store.upload(), store.upload(), store.upload()]);
    const input = {
      title: 'News',
      coverMediaId: cover,
      content: `<p><img src="${store.pathOf(inHtml)}?w=320" alt=""></p>`,
    };
    const { article } = (await store.api('POST', '/articles', input)).body;
    const used = { type: 'article', id: article.id, name: 'News' };
    for (const id of [cover, inHtml]) expect(await store.usage(id)).toEqual([{ ...used, live: false }]);
    await store.edit('PATCH', `/articles/${article.id}`, { status: 'published' });
    for (const id of [cover, inHtml]) expect(await store.usage(id)).toEqual([{ ...used, live: true }]);
    await store.edit('PUT', `/articles/${article.id}/document`, {
      document: documentOf([image(inDocument)]),
    });
    expect(await store.usage(inDocument)).toEqual([{ ...used, live: false }]);
    expect((await store.edit('POST', `/articles/${article.id}/publish`)).status).toBe(200);
    expect(await store.usage(inDocument)).toEqual([{ ...used, live: true }]);
    expect(await store.usage(inHtml)).toEqual([]);
    await store.edit('PATCH', `/articles/${article.id}`, { status: 'draft' });
    expect(await store.usage(inDocument)).toEqual([{ ...used, live: false }]);
  });

  test('is a product, by its pictures or its description, live when it is active', async () => {
    const store = await newStore();
    const [picture, inText] = await Promise.all([store.upload(), store.upload()]);
    const input = {
      name: 'Tea',
      mediaIds: [picture],
      description: `<p><img src="https://shop.example${store.pathOf(inText)}" alt=""></p>`,
    };
    const { product } = (await store.api('POST', '/products', input)).body;
    const used = { type: 'product', id: product.id, name: 'Tea' };
    for (const id of [picture, inText]) expect(await store.usage(id)).toEqual([{ ...used, live: false }]);
    await store.api('PUT', `/products/${product.id}`, { ...input, status: 'active' });
    for (const id of [picture, inText]) expect(await store.usage(id)).toEqual([{ ...used, live: true }]);
    await store.api('PUT', `/products/${product.id}`, { name: 'Tea', status: 'active' });
    for (const id of [picture, inText]) expect(await store.usage(id)).toEqual([]);
  });

  test("is never another store's, and what is unknown is 404", async () => {
    const [store, other] = [await newStore(), await newStore()];
    const id = await store.upload();
    await other.page('Theirs', image(store.pathOf(id)));
    await other.api('POST', '/products', { name: 'T', description: `<img src="${store.pathOf(id)}">` });
    expect(await store.usage(id)).toEqual([]);
    expect((await other.edit('GET', `/media/${id}/usage`)).status).toBe(404);
    expect((await store.edit('GET', `/media/${newId('mediaAsset')}/usage`)).status).toBe(404);
  });
});

/** Creates one thing of each entity with a custom field `file` of media, which is required and names an asset. */
async function nameInFields(store: Awaited<ReturnType<typeof newStore>>, file: string) {
  const { storeId, api } = store;
  const readCreated = async (reply: ReturnType<typeof api>) => {
    const { status, body } = await reply;
    expect([status, body.code, body.details]).toEqual([201, undefined, undefined]);
    return Object.values(body)[0] as { id: string; variants: { id: string }[] };
  };
  const entities = ['product', 'variant', 'category', 'page', 'article', 'customer', 'order'];
  for (const entity of entities) {
    const field = { entity, key: 'file', name: 'File', type: 'media', rules: { required: true } };
    await readCreated(api('POST', '/custom-fields', field));
  }
  const customFields = { file };
  const variant = { priceCents: 100, stock: 5, customFields };
  const product = await readCreated(
    api('POST', '/products', { name: 'Tea', status: 'active', customFields, variants: [variant] }),
  );
  const category = await readCreated(api('POST', '/categories', { name: 'Teas', customFields }));
  const page = await readCreated(api('POST', '/pages', { name: 'Home', customFields }));
  const article = await readCreated(api('POST', '/articles', { title: 'News', customFields }));
  const customer = await readCreated(api('POST', '/customers', { email: 'ann@b.example', customFields }));
  const order = await readCreated(
    request(system.internalUrl)
      .post(`/storefront/${storeId}/orders`)
      .set('idempotency-key', newId('event'))
      .send({
        items: [{ variantId: product.variants[0]!.id, quantity: 1 }],
        customer: { name: 'Bob', email: 'bob@b.example' },
      }),
  );
  expect((await api('PUT', `/orders/${order.id}/custom-fields`, { customFields })).status).toBe(200);
  return {
    paths: [
      `/products/${product.id}`,
      `/categories/${category.id}`,
      `/pages/${page.id}`,
      `/articles/${article.id}`,
      `/customers/${customer.id}`,
      `/orders/${order.id}`,
    ],
    product: product.id,
    used: [
      { type: 'product', id: product.id, name: 'Tea', live: true },
      { type: 'category', id: category.id, name: 'Teas', live: true },
      { type: 'page', id: page.id, name: 'Home', live: false },
      { type: 'article', id: article.id, name: 'News', live: false },
      { type: 'customer', id: customer.id, name: customer.id, live: false },
      { type: 'order', id: order.id, name: '#1', live: false },
    ],
  };
}

const byType = (a: Used, b: Used) => (a.type < b.type ? -1 : 1);

describe('what names an asset in a custom field', () => {
  test('uses it, alone or in a rich text, and loses the value when it is purged by force', async () => {
    const store = await newStore();
    const [file, unused, inText] = await Promise.all([store.upload(), store.upload(), store.upload()]);
    const { paths, product, used } = await nameInFields(store, file!);
    expect((await store.usage(file!)).sort(byType)).toEqual(used.toSorted(byType));

    await store.api('POST', '/custom-fields', {
      entity: 'product',
      key: 'care',
      name: 'C',
      type: 'richText',
    });
    await store.api('POST', '/custom-fields', { entity: 'product', key: 'other', name: 'O', type: 'media' });
    const care = `<p><img src="${store.pathOf(inText!)}" alt="" /></p>`;
    const input = { name: 'Tea', status: 'active', customFields: { care, other: unused } };
    const put = await store.api('PUT', `/products/${product}`, input);
    expect([put.status, put.body.details]).toEqual([200, undefined]);
    expect(await store.usage(inText!)).toEqual([used[0]]);

    await store.api('DELETE', `/media/${file}`);
    const refused = await store.purge([file!]);
    expect([refused.status, refused.body.code, refused.body.usage.sort(byType)]).toEqual([
      409,
      'media_in_use',
      used.filter(({ live }) => live).sort(byType),
    ]);
    expect((await store.purge([file!], true)).status).toBe(204);
    for (const path of paths)
      await eventually(async () => !(await store.api('GET', path)).text.includes(file!), {
        what: `${path} to lose the asset`,
      });
    const after = (await store.api('GET', `/products/${product}`)).body.product;
    expect(after.customFields).toEqual({ care: expect.stringContaining(inText!), other: unused });
    expect((await store.api('PUT', `/products/${product}`, after)).status).toBe(200);
  });

  test('in a variant, uses it and loses it too', async () => {
    const store = await newStore();
    const file = await store.upload();
    const field = { entity: 'variant', key: 'file', name: 'File', type: 'media' };
    expect((await store.api('POST', '/custom-fields', field)).status).toBe(201);
    const variants = ['S', 'M'].map((sku) => ({ sku, priceCents: 100, customFields: { file } }));
    const { product } = (await store.api('POST', '/products', { name: 'Tea', variants })).body;
    expect(await store.usage(file)).toEqual([{ type: 'product', id: product.id, name: 'Tea', live: false }]);
    await store.api('DELETE', `/media/${file}`);
    expect((await store.purge([file])).status).toBe(204);
    const after = await eventually(async () => {
      const { body } = await store.api('GET', `/products/${product.id}`);
      return !JSON.stringify(body).includes(file) && body.product;
    });
    expect(after.updatedAt > product.updatedAt).toBe(true);
  });
});

describe('a purge', () => {
  test('refuses a live asset, and by force leaves pages and products without it', async () => {
    const store = await newStore();
    const [shown, unused] = await Promise.all([store.upload(), store.upload()]);
    const otherFile = await store.upload();
    const home = await store.page('Home', image(shown), {
      id: 'j',
      type: 'image',
      props: image(otherFile).props,
    });
    await store.publish(home);
    const input = { name: 'Tea', status: 'active', mediaIds: [shown, otherFile] };
    const { product } = (await store.api('POST', '/products', input)).body;
    for (const id of [shown, unused]) await store.api('DELETE', `/media/${id}`);
    const refused = await store.purge([unused, shown]);
    expect([refused.status, refused.body.code, refused.body.usage]).toEqual([
      409,
      'media_in_use',
      [
        { type: 'page', id: home, name: 'Home', live: true },
        { type: 'product', id: product.id, name: 'Tea', live: true },
      ],
    ]);
    expect((await store.api('GET', `/media/${unused}`)).status).toBe(200);
    expect((await store.purge([unused, shown], true)).status).toBe(204);
    expect((await request(system.internalUrl).get(store.pathOf(shown))).status).toBe(404);
    await eventually(async () => !(await store.visit('')).text.includes(shown), {
      what: 'the page to follow',
    });
    const page = await store.visit('');
    expect([page.status, page.text.includes(otherFile)]).toEqual([200, true]);
    const after = await eventually(async () => {
      const { body } = await store.api('GET', `/products/${product.id}`);
      return body.product.mediaIds.length === 1 && body.product;
    });
    expect(after).toMatchObject({
      mediaIds: [otherFile],
      media: [{ id: otherFile }],
      number: product.number,
    });
  });
});
