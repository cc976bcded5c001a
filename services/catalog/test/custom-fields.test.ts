import { newId } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import request from 'supertest';
import { newStore, system, useCatalog } from './stores.ts';

useCatalog();

type Store = ReturnType<typeof newStore>;

async function define(store: Store, body: object) {
  const created = await store.fields('post', '', { entity: 'product', type: 'text', name: 'Field', ...body });
  expect([created.status, created.body.code, created.body.details]).toEqual([201, undefined, undefined]);
  return created.body.customField;
}
const getStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];

describe('definitions', () => {
  test('are made with defaults, changed, listed by entity, and deleted', async () => {
    const store = newStore();
    const field = await define(store, { key: 'material', name: ' Material ' });
    expect(field).toEqual({
      id: expect.stringMatching(/^cfd_[0-9a-z]{26}$/),
      entity: 'product',
      key: 'material',
      name: 'Material',
      type: 'text',
      options: [],
      rules: { required: false, min: null, max: null, pattern: null },
      visibility: 'private',
      isFilterable: false,
      appId: null,
      createdAt: expect.any(String),
      updatedAt: field.createdAt,
    });
    await define(store, { key: 'material', entity: 'variant' });
    const path = `/${field.id}`;
    const patched = await store.fields('patch', path, { rules: { max: 5 }, visibility: 'public' });
    expect(patched.body.customField).toMatchObject({
      name: 'Material',
      rules: { required: false, min: null, max: 5, pattern: null },
      visibility: 'public',
    });
    expect((await store.fields('get', path)).body).toEqual(patched.body);
    const stale = await store.fields('patch', path, { name: 'X' }, { 'if-match': '"stale"' });
    expect(stale.status).toBe(412);
    const listed = await store.fields('get', '?entity=variant');
    expect(listed.body).toMatchObject({ total: 1, customFields: [{ entity: 'variant' }] });
    expect((await store.fields('delete', path)).status).toBe(204);
    expect((await store.fields('get', path)).status).toBe(404);
    expect((await store.fields('get')).body.total).toBe(1);
    await define(store, { key: 'material' });
  });

  test('are refused with an invalid key, type, or change of a fixed field', async () => {
    const store = newStore();
    const field = await define(store, { key: 'a' });
    const post = (body: object) =>
      store.fields('post', '', { entity: 'product', type: 'text', name: 'F', ...body });
    for (const key of ['A', '1a', 'a-b', '', 'a'.repeat(41), undefined])
      expect(getStatusAndCode(await post({ key }))).toEqual([400, 'invalid_key']);
    expect(getStatusAndCode(await post({ key: 'a' }))).toEqual([409, 'duplicate_key']);
    for (const wrong of [
      { type: 'html' },
      { entity: 'shop' },
      { type: 'select' },
      { rules: { pattern: '(' } },
      { name: ' ' },
      { entity: 'order', isFilterable: true },
    ])
      expect(getStatusAndCode(await post({ key: 'b', ...wrong }))).toEqual([400, 'invalid_body']);
    for (const type of ['longText', 'richText']) {
      const unfit = await post({ key: 'long', type, visibility: 'public', isFilterable: true });
      expect([getStatusAndCode(unfit), unfit.body.details]).toEqual([
        [400, 'invalid_body'],
        [{ pointer: '/isFilterable', message: `has no use where the type is "${type}"` }],
      ]);
    }
    const long = await define(store, { key: 'long', type: 'longText' });
    expect(getStatusAndCode(await store.fields('patch', `/${long.id}`, { isFilterable: true }))).toEqual([
      400,
      'invalid_body',
    ]);
    for (const change of [{ key: 'b' }, { type: 'list' }, { entity: 'variant' }])
      expect(getStatusAndCode(await store.fields('patch', `/${field.id}`, change))).toEqual([
        400,
        'invalid_body',
      ]);
    expect(
      (await store.fields('patch', `/${field.id}`, { key: 'a', type: 'text', entity: 'product' })).status,
    ).toBe(200);
  });

  test('are at most 250 of an entity', async () => {
    const store = newStore();
    for (let at = 0; at < 250; at += 25)
      await Promise.all(Array.from({ length: 25 }, (_, i) => define(store, { key: `k${at + i}` })));
    const more = () => store.fields('post', '', { entity: 'product', type: 'text', name: 'F', key: 'more' });
    expect(getStatusAndCode(await more())).toEqual([409, 'too_many_custom_fields']);
    await define(store, { key: 'more', entity: 'page' });
  });
});

describe('values', () => {
  test('are written, kept by a write without them, and removed by null', async () => {
    const store = newStore();
    await define(store, { key: 'material' });
    await define(store, { key: 'weight', type: 'decimal' });
    await define(store, { key: 'care', type: 'list', entity: 'variant' });
    const product = await store.create({
      name: 'Shirt',
      customFields: { material: 'Linen', weight: 1.5 },
      variants: [{ sku: 'S', priceCents: 100, customFields: { care: ['cold', 'gentle'] } }],
    });
    expect(product.customFields).toEqual({ material: 'Linen', weight: 1.5 });
    expect(product.variants[0].customFields).toEqual({ care: ['cold', 'gentle'] });
    const put = await store.put(product.id, { name: 'Shirt', variants: [{ sku: 'S', priceCents: 100 }] });
    expect(put.body.product).toMatchObject({
      customFields: product.customFields,
      variants: [{ customFields: product.variants[0].customFields }],
    });
    const patched = await store.patch(product.id, { customFields: { weight: null, material: 'Silk' } });
    expect(patched.body.product.customFields).toEqual({ material: 'Silk' });
    const variant = await store.patch(`${product.id}/variants/${product.variants[0].id}`, {
      customFields: { care: null },
    });
    expect(variant.body.product.variants[0].customFields).toEqual({});
    expect((await store.get(`/${product.id}`)).body).toEqual(variant.body);
    expect((await store.get()).body.products).toEqual([variant.body.product]);
    await eventually(() => store.events().length >= 3);
    expect(store.events().at(-1)!.data).toEqual(variant.body);
    const same = await store.patch(product.id, { customFields: { material: 'Silk', weight: null } });
    expect(same.body).toEqual(variant.body);
  });

  test('that are invalid are refused with all pointers', async () => {
    const store = newStore();
    await define(store, { key: 'count', type: 'integer' });
    await define(store, { key: 'photo', type: 'media' });
    await define(store, { key: 'other', type: 'product' });
    await define(store, { key: 'count', type: 'integer', entity: 'variant' });
    const wrong = await store.post({
      name: 'Shirt',
      customFields: { count: 'many', photo: newId('mediaAsset'), other: newId('product'), 'a/b': 1 },
      variants: [{ priceCents: 1, customFields: { count: 0.5 } }],
    });
    expect(getStatusAndCode(wrong)).toEqual([400, 'invalid_custom_field']);
    expect(wrong.body.details.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
      '/customFields/a~1b',
      '/customFields/count',
      '/customFields/other',
      '/customFields/photo',
      '/variants/0/customFields/count',
    ]);
    const whole = await store.post({ name: 'Shirt', customFields: [1] });
    expect(getStatusAndCode(whole)).toEqual([400, 'invalid_custom_field']);
    const product = await store.create({ name: 'Known' });
    await store.create({ name: 'Shirt', customFields: { other: product.id, count: 3 } });
  });

  test('that are required are checked on creation and when the value is removed, not otherwise', async () => {
    const store = newStore();
    const before = await store.create({ name: 'Old', variants: [{ sku: 'A', priceCents: 1 }] });
    await define(store, { key: 'material', rules: { required: true } });
    await define(store, { key: 'care', entity: 'variant', rules: { required: true } });
    expect((await store.patch(before.id, { name: 'Older' })).status).toBe(200);
    expect((await store.patch(before.id, { variants: [{ sku: 'A', priceCents: 2 }] })).status).toBe(200);
    const created = await store.post({ name: 'New' });
    expect(getStatusAndCode(created)).toEqual([400, 'invalid_custom_field']);
    expect(created.body.details).toEqual([{ pointer: '/customFields/material', message: 'is required' }]);
    const added = await store.patch(before.id, { variants: [{ sku: 'B', priceCents: 2 }] });
    expect(getStatusAndCode(added)).toEqual([400, 'invalid_custom_field']);
    expect(added.body.details[0].pointer).toBe('/variants/0/customFields/care');
    const product = await store.create({ name: 'New', customFields: { material: 'Linen' } });
    for (const empty of [null, ' ', '\u200b']) {
      const removed = await store.patch(product.id, { customFields: { material: empty } });
      expect([getStatusAndCode(removed), removed.body.details]).toEqual([
        [400, 'invalid_custom_field'],
        [{ pointer: '/customFields/material', message: 'is required' }],
      ]);
      const none = await store.post({ name: 'None', customFields: { material: empty } });
      expect([getStatusAndCode(none), none.body.details]).toEqual([
        getStatusAndCode(removed),
        removed.body.details,
      ]);
      const emptied = await store.patch(before.id, { customFields: { material: empty } });
      expect(emptied.status).toBe(empty === null ? 200 : 400);
    }
    const variant = { id: before.variants[0].id, customFields: { care: null } };
    expect((await store.patch(before.id, { variants: [variant] })).status).toBe(200);
    await define(store, { key: 'story', type: 'richText', rules: { required: true } });
    const blank = await store.patch(product.id, { customFields: { story: '<p></p>' } });
    expect(getStatusAndCode(blank)).toEqual([400, 'invalid_custom_field']);
  });

  test('that are required are checked for each of many simultaneous products, while the definition exists', async () => {
    const store = newStore();
    await store.create({ name: 'Before' });
    const field = await define(store, { key: 'care', entity: 'variant', rules: { required: true } });
    const without = { variants: [{ priceCents: 1 }] };
    const withCare = { variants: [{ priceCents: 1, customFields: { care: 'Cold' } }] };
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          store.post({ name: `Shirt ${i}`, ...[{ variants: [] }, without, withCare][i % 3] }),
        ),
      );
      const codes = answers.map(getStatusAndCode);
      expect(codes).toEqual(
        codes.map((_, i) => (i % 3 === 1 ? [400, 'invalid_custom_field'] : [201, undefined])),
      );
    }
    await store.fields('patch', `/${field.id}`, { rules: { required: false } });
    await store.create({ name: 'Freed', ...without });
    await store.fields('patch', `/${field.id}`, { rules: { required: true } });
    expect(getStatusAndCode(await store.post({ name: 'Bound', ...without }))).toEqual([
      400,
      'invalid_custom_field',
    ]);
    await store.fields('delete', `/${field.id}`);
    await store.create({ name: 'After', ...without });
  });

  test('disappear from every answer with their definition, and do not return with a new one of the same key', async () => {
    const store = newStore();
    const field = await define(store, { key: 'material' });
    const product = await store.create({ name: 'Shirt', customFields: { material: 'Linen' } });
    const { category } = (await store.categories('post', '', { name: 'Shirts' })).body;
    expect(category.customFields).toEqual({});
    await store.fields('delete', `/${field.id}`);
    expect((await store.get(`/${product.id}`)).body.product.customFields).toEqual({});
    expect((await store.get()).body.products[0].customFields).toEqual({});
    await define(store, { key: 'material', type: 'integer' });
    expect((await store.get(`/${product.id}`)).body.product.customFields).toEqual({});
    const again = await store.patch(product.id, { customFields: { material: 3 } });
    expect(again.body.product.customFields).toEqual({ material: 3 });
  });

  test('of categories follow the same rules', async () => {
    const store = newStore();
    await define(store, { key: 'season', entity: 'category', type: 'select', options: ['Summer', 'Winter'] });
    const created = await store.categories('post', '', {
      name: 'Shirts',
      customFields: { season: 'Summer' },
    });
    expect(created.body.category.customFields).toEqual({ season: 'Summer' });
    const path = `/${created.body.category.id}`;
    const renamed = await store.categories('patch', path, { name: 'Blouses' });
    expect(renamed.body.category.customFields).toEqual({ season: 'Summer' });
    const wrong = await store.categories('patch', path, { customFields: { season: 'Autumn' } });
    expect(getStatusAndCode(wrong)).toEqual([400, 'invalid_custom_field']);
    const none = await store.categories('patch', path, { customFields: { season: null } });
    expect(none.body.category.customFields).toEqual({});
    expect((await store.categories('get')).body.categories[0].customFields).toEqual({});
  });
});

describe('rules of categories', () => {
  test('compare custom fields by their type, and match nothing after the definition is deleted', async () => {
    const store = newStore();
    const field = await define(store, { key: 'material', type: 'select', options: ['Linen', 'Silk'] });
    await define(store, { key: 'weight', type: 'decimal' });
    await define(store, { key: 'organic', type: 'boolean' });
    await define(store, { key: 'care', type: 'list' });
    await define(store, { key: 'since', type: 'date' });
    const createWith = (name: string, customFields: object) => store.create({ name, customFields });
    await createWith('A', {
      material: 'Linen',
      weight: 1.5,
      organic: true,
      care: ['cold'],
      since: '2026-01-01',
    });
    await createWith('B', { material: 'Silk', weight: 2, organic: false, since: '2025-01-01' });
    await createWith('C', {});
    const rule = (key: string, op: string, value: unknown) => ({
      name: 'Rule',
      kind: 'rule',
      rule: { match: 'all', conditions: [{ field: `customField.${key}`, op, value }] },
    });
    const ids: string[] = [];
    const holdsFor = async (...condition: Parameters<typeof rule>) => {
      const { category } = (await store.categories('post', '', rule(...condition))).body;
      ids.push(category.id);
      return category.id as string;
    };
    const namesIn = async (id: string) =>
      (await store.categories('get', `/${id}/products`)).body.products
        .map((p: { name: string }) => p.name)
        .join('');
    for (const [condition, names] of [
      [['material', 'is', 'Linen'], 'A'],
      [['material', 'isNot', 'Linen'], 'BC'],
      [['material', 'contains', 'IL'], 'B'],
      [['weight', 'above', 1.6], 'B'],
      [['organic', 'is', true], 'A'],
      [['organic', 'isNot', true], 'BC'],
      [['care', 'is', 'cold'], 'A'],
      [['since', 'below', '2025-06-01'], 'B'],
      [['since', 'is', '2026-01-01'], 'A'],
    ] as [Parameters<typeof rule>, string][]) {
      const id = await holdsFor(...condition);
      await eventually(async () => (await namesIn(id)) === names);
    }
    for (const wrong of [
      rule('nowhere', 'is', 'x'),
      rule('weight', 'contains', 'x'),
      rule('organic', 'is', 'x'),
    ])
      expect(getStatusAndCode(await store.categories('post', '', wrong))).toEqual([400, 'invalid_body']);
    await store.fields('delete', `/${field.id}`);
    await eventually(async () => (await namesIn(ids[0]!)) === '' && (await namesIn(ids[1]!)) === 'ABC');
    // The rule names a deleted field, but the category can still be changed.
    expect((await store.categories('patch', `/${ids[0]}`, { name: 'Renamed' })).status).toBe(200);
  });
});

describe('apps', () => {
  const [app, other] = [newId('app'), newId('app')];

  test('have their own definitions, which other apps do not see', async () => {
    const store = newStore();
    await define(store, { key: 'note' });
    const created = await store.asApp(app, 'post', 'custom-fields', {
      entity: 'product',
      key: 'note',
      type: 'text',
      name: 'Note',
    });
    expect([created.status, created.body.customField.appId]).toEqual([201, app]);
    const path = `custom-fields/${created.body.customField.id}`;
    expect((await store.asApp(app, 'get', path)).status).toBe(200);
    expect((await store.asApp(app, 'get', 'custom-fields')).body.total).toBe(1);
    for (const method of ['get', 'delete'] as const)
      expect((await store.asApp(other, method, path)).status).toBe(404);
    expect((await store.asApp(other, 'patch', path, { name: 'X' })).status).toBe(404);
    expect((await store.fields('get')).body.total).toBe(2);
  });

  test('see their own and public values, and write only their own', async () => {
    const store = newStore();
    await define(store, { key: 'secret' });
    await define(store, { key: 'shown', visibility: 'public' });
    await define(store, { key: 'secret', entity: 'variant' });
    await store.asApp(app, 'post', 'custom-fields', {
      entity: 'product',
      key: 'own',
      type: 'text',
      name: 'Own',
    });
    const customFields = { secret: 'a', shown: 'b', [`${app}/own`]: 'c' };
    const product = await store.create({
      name: 'Tea',
      customFields,
      variants: [{ priceCents: 1, customFields: { secret: 'd' } }],
    });
    expect(product.customFields).toEqual(customFields);
    const seen = { shown: 'b', [`${app}/own`]: 'c' };
    const path = `products/${product.id}`;
    const got = await store.asApp(app, 'get', path);
    expect(got.body.product).toMatchObject({ name: 'Tea', variants: [{ customFields: {} }] });
    expect(got.body.product.customFields).toEqual(seen);
    expect((await store.asApp(app, 'get', 'products')).body.products[0].customFields).toEqual(seen);
    expect((await store.asApp(other, 'get', path)).body.product.customFields).toEqual({ shown: 'b' });
    const written = await store.asApp(app, 'patch', path, { customFields: { [`${app}/own`]: 'e' } });
    expect(written.body.product.customFields).toEqual({ ...seen, [`${app}/own`]: 'e' });
    const read = await store.asApp(app, 'get', path);
    const adjusted = await store.asApp(app, 'post', `${path}/variants/${product.variants[0].id}/stock`, {
      delta: 0,
    });
    expect(adjusted.body).toEqual(read.body);
    expect(adjusted.headers.etag).toBe(read.headers.etag);
    const refused = await store.asApp(app, 'patch', path, { customFields: { secret: 'x' } });
    expect(getStatusAndCode(refused)).toEqual([400, 'invalid_custom_field']);
    expect((await store.get(`/${product.id}`)).body.product.customFields.secret).toBe('a');
  });

  test('are hidden before an uninstall is answered, and a late call hides no reinstalled ones', async () => {
    const store = newStore();
    await store.asApp(app, 'post', 'custom-fields', {
      entity: 'product',
      key: 'own',
      type: 'text',
      name: 'Own',
    });
    const name = `${app}/own`;
    const { id } = await store.create({ name: 'Tea', customFields: { [name]: 'a' } });
    const values = async () => (await store.get(`/${id}`)).body.product.customFields;
    const hide = (uninstalledAt: Date) =>
      request(system.internalUrl)
        .post('/internal/custom-fields/apps')
        .set('authorization', `Bearer ${system.serviceToken}`)
        .send({ storeId: store.storeId, appId: app, uninstalledAt: uninstalledAt.toISOString() })
        .expect(204);
    await hide(new Date(Date.now() - 60_000));
    expect(await values()).toEqual({ [name]: 'a' });
    await hide(new Date());
    expect(await values()).toEqual({});
  });
});
