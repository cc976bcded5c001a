import {
  CategoryCreated,
  CategoryDeleted,
  CategoryUpdated,
  type EventMessage,
  hasVisibleCharacter,
  newId,
  type Product,
  ProductCreated,
  ProductDeleted,
  ProductUpdated,
} from '@waybill/contracts';
import { sqlState } from '@waybill/kernel';
import { openTestDatabase, startSystem, type TestSystem, waitUntilBlocked } from '@waybill/testing';
import { type Kysely, sql, type Transaction } from 'kysely';
import { content } from '../src/index.ts';
import type { Tables } from '../src/tables.ts';
import { onCategoryChanges } from '../src/translations/values/categories.ts';
import { onProductChanges } from '../src/translations/values/products.ts';
import { deleteNodeTexts, nodeEntityId, replaceNodeTexts } from '../src/translations/values/translatable.ts';
import { newStore } from './store.ts';

let system: TestSystem;
let db: Kysely<Tables>;
beforeAll(async () => {
  system = await startSystem([content]);
  const url = system.databaseUrl('content');
  db = await openTestDatabase<Tables>(url, 2);
});
afterAll(async () => {
  await db.destroy();
  await system.stop();
});
const transaction = <Result>(work: (trx: Transaction<Tables>) => Promise<Result>) =>
  db.transaction().execute(work);

const path = '/api/v1/translations';
const name = { locale: 'de', entityType: 'product', entityId: 'prd_1', field: 'name', value: 'Tee' };

async function newTranslations() {
  const store = await newStore(system);
  const put = (...entries: unknown[]) => store.api('PUT', path, { entries });
  const query = (values: object) => `${path}?${new URLSearchParams(values as Record<string, string>)}`;
  return {
    ...store,
    put,
    write: async (...entries: unknown[]) => {
      expect(await put(...entries)).toMatchObject({ status: 200, body: { written: entries.length } });
    },
    get: (values: object) => store.api('GET', query(values)),
    clear: (values: object) => store.api('DELETE', query(values)),
    progress: async (locale = 'de') =>
      (await store.api('GET', `${path}/progress?locale=${locale}`)).body.progress,
  };
}
const ofProduct = { locale: 'de', entityType: 'product', entityId: 'prd_1' };

describe('PUT /translations', () => {
  test('allows at most 100 locales a store, including empty values; existing ones can always be written', async () => {
    const store = await newTranslations();
    const inLocale = (i: number, value = 'x') => ({ ...name, locale: `de-x-a${i}`, value });
    const all = Array.from({ length: 100 }, (_, i) => inLocale(i, i % 2 ? '' : 'x'));
    await store.write(...all);
    const refused = await store.put(inLocale(0, 'y'), inLocale(100));
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_translation']);
    expect((await store.get({ ...ofProduct, locale: 'de-x-a0' })).body.translations[0].value).toBe('x');
    await store.write(inLocale(99, 'y'));
    expect((await store.put(...Array.from({ length: 101 }, (_, i) => inLocale(1000 + i)))).status).toBe(400);
    // Clearing a value makes room.
    await store.clear({ ...ofProduct, locale: 'de-x-a0', field: 'name' });
    await store.write(inLocale(100));
    const other = await newTranslations();
    const at = (from: number) => Array.from({ length: 60 }, (_, i) => inLocale(from + i));
    const statuses = (await Promise.all([other.put(...at(0)), other.put(...at(60))])).map(
      (res) => res.status,
    );
    expect(statuses.sort()).toEqual([200, 400]);
  });

  test('writes, and writing again replaces; the locale is stored in canonical form', async () => {
    const store = await newTranslations();
    await store.write(
      { ...name, locale: 'PT-br' },
      { ...name, locale: 'pt-BR', field: 'description', value: '' },
    );
    await store.write({ ...name, locale: 'pt-BR', value: 'Chá', source: 'human', updatedAt: 1 });
    expect((await store.get({ ...ofProduct, locale: 'pt-br' })).body).toEqual({
      translations: [
        {
          ...name,
          locale: 'pt-BR',
          field: 'description',
          value: '',
          source: 'machine',
          updatedAt: expect.any(String),
        },
        { ...name, locale: 'pt-BR', value: 'Chá', source: 'human', updatedAt: expect.any(String) },
      ],
      total: 2,
    });
    expect((await store.get({ ...ofProduct, locale: 'pt' })).body).toEqual({ translations: [], total: 0 });
  });

  test.each([
    ['human', 'human'],
    ['machine', 'machine'],
    ['Human', 'machine'],
    [null, 'machine'],
    [5, 'machine'],
    [undefined, 'machine'],
  ])('source %j is stored as %s', async (sent, stored) => {
    const store = await newTranslations();
    await store.write({ ...name, source: sent });
    expect((await store.get(ofProduct)).body.translations[0].source).toBe(stored);
  });

  test('an entry that changes nothing keeps its updatedAt', async () => {
    const store = await newTranslations();
    await store.write(name);
    const before = (await store.get(ofProduct)).body;
    await store.write(name);
    expect((await store.get(ofProduct)).body).toEqual(before);
  });

  test('of two entries for one field the later one counts', async () => {
    const store = await newTranslations();
    await store.write(name, { ...name, value: 'Kaffee', locale: 'DE' });
    expect((await store.get(ofProduct)).body.translations).toMatchObject([{ value: 'Kaffee' }]);
  });

  test.each([
    [{ locale: 'not a locale' }, '/entries/1/locale'],
    [{ locale: 'en_US' }, '/entries/1/locale'],
    [{ locale: '' }, '/entries/1/locale'],
    [{ locale: undefined }, '/entries/1/locale'],
    [{ locale: 5 }, '/entries/1/locale'],
    [{ entityType: 'order' }, '/entries/1/entityType'],
    [{ entityType: undefined }, '/entries/1/entityType'],
    [{ entityId: '' }, '/entries/1/entityId'],
    [{ entityId: 'x'.repeat(201) }, '/entries/1/entityId'],
    [{ field: undefined }, '/entries/1/field'],
    [{ field: null }, '/entries/1/field'],
    [{ value: undefined }, '/entries/1/value'],
    [{ value: 7 }, '/entries/1/value'],
    [{ value: 'x'.repeat(65_537) }, '/entries/1/value'],
    [{ value: 'é'.repeat(32_769) }, '/entries/1/value'],
  ])('%j is invalid_translation, and none of the request’s entries is written', async (wrong, pointer) => {
    const store = await newTranslations();
    expect(await store.put(name, { ...name, field: 'description', ...wrong })).toMatchObject({
      status: 400,
      body: { code: 'invalid_translation', details: [{ pointer }] },
    });
    expect((await store.get(ofProduct)).body.total).toBe(0);
  });

  test('all problems are reported at once', async () => {
    const store = await newTranslations();
    const { details } = (await store.put({ ...name, locale: 'x' }, name, { ...name, locale: 'y' })).body;
    expect(details.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/entries/0/locale',
      '/entries/2/locale',
    ]);
  });

  test('64 KiB of value, 500 entries, none at all are fine; 501 entries and no list are not', async () => {
    const store = await newTranslations();
    await store.write({ ...name, value: 'é'.repeat(32_768) });
    const entries = Array.from({ length: 501 }, (_, i) => ({ ...name, entityId: `prd_${i}` }));
    expect((await store.put(...entries)).body.code).toBe('invalid_translation');
    await store.write(...entries.slice(1));
    await store.write();
    for (const body of [{}, { entries: null }, { entries: {} }, { entries: [null] }, { entries: ['x'] }]) {
      expect(await store.api('PUT', path, body)).toMatchObject({
        status: 400,
        body: { code: 'invalid_translation' },
      });
    }
  });

  test('twenty requests at once for the same fields, in any order, are all written', async () => {
    const store = await newTranslations();
    const entries = Array.from({ length: 50 }, (_, i) => ({ ...name, entityId: `prd_${i}` }));
    const orders = Array.from({ length: 20 }, (_, i) => (i % 2 ? entries : [...entries].reverse()));
    const statuses = await Promise.all(
      orders.map(
        async (order, i) => (await store.put(...order.map((e) => ({ ...e, value: `${i}` })))).status,
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test('a writer that PostgreSQL aborts because of a deadlock retries', async () => {
    const store = await newTranslations();
    const [first, last] = [
      { ...name, entityId: 'prd_1' },
      { ...name, entityId: 'prd_2' },
    ];
    await store.write(first, last);
    const touch = (trx: Transaction<Tables>, { entityId }: { entityId: string }) =>
      trx
        .updateTable('translation')
        .set({ source: 'human' })
        .where('store_id', '=', store.storeId)
        .where('entity_id', '=', entityId)
        .execute();
    let written: ReturnType<typeof store.put> | undefined;
    // Takes the rows in the other order. Its deadlock check starts later, so that the other writer is the victim.
    const other = transaction(async (trx) => {
      await sql`set local deadlock_timeout = '5s'`.execute(trx);
      await touch(trx, last);
      written = store.put({ ...first, value: 'Tee 1' }, { ...last, value: 'Tee 2' });
      await waitUntilBlocked(system.databaseUrl('content'), 'insert into translation');
      await touch(trx, first);
    });
    // On a machine too busy for that, it may become the victim itself.
    await other.catch((error) => expect(sqlState(error)).toBe('40P01'));
    expect(await written).toMatchObject({ status: 200, body: { written: 2 } });
    const { translations } = (await store.get({ locale: 'de', entityType: 'product', entityId: 'prd_2' }))
      .body;
    expect(translations[0].value).toBe('Tee 2');
  });
});

describe('GET /translations', () => {
  test('with entityId a list, by field; of the other types only without entityType', async () => {
    const store = await newTranslations();
    const other = { ...name, entityType: 'category', field: 'about' };
    await store.write(name, { ...name, field: 'description' }, other, { ...name, locale: 'fr' });
    const fields = async (query: object) =>
      (await store.get(query)).body.translations.map(({ field }: { field: string }) => field);
    expect(await fields(ofProduct)).toEqual(['description', 'name']);
    expect(await fields({ ...ofProduct, limit: 1, offset: 1 })).toEqual(['name']);
    expect((await store.get({ ...ofProduct, limit: 1 })).body.total).toBe(2);
    expect(await fields({ locale: 'de', entityId: 'prd_1' })).toEqual(['about', 'description', 'name']);
    expect((await (await newTranslations()).get(ofProduct)).body.total).toBe(0);
  });

  test('with entityIds an object by id', async () => {
    const store = await newTranslations();
    await store.write(name, { ...name, entityId: '__proto__', value: 'p' });
    const { body } = await store.get({
      locale: 'de',
      entityType: 'product',
      entityIds: 'prd_1,prd_2,,__proto__,prd_1',
    });
    expect(Object.keys(body.byEntity).sort()).toEqual(['__proto__', 'prd_1', 'prd_2']);
    expect(body.byEntity.prd_1).toMatchObject([name]);
    expect(body.byEntity.prd_2).toEqual([]);
  });

  test.each([
    { entityType: 'product', entityId: 'prd_1' },
    { entityType: 'product', entityId: 'prd_1', locale: 'no locale' },
    { entityType: 'product', locale: 'de' },
    { entityType: 'product', locale: 'de', entityIds: ',' },
    { entityType: 'product', locale: 'de', entityIds: Array.from({ length: 201 }, (_, i) => `p${i}`).join() },
  ])('invalid_translation for %j', async (query) => {
    expect(await (await newTranslations()).get(query)).toMatchObject({
      status: 400,
      body: { code: 'invalid_translation' },
    });
  });

  test('200 ids are fine, more bytes than an answer can hold are refused', async () => {
    const store = await newTranslations();
    const ids = Array.from({ length: 200 }, (_, i) => `p${i}`);
    const value = 'x'.repeat(65_536);
    for (let i = 0; i < 4 * 200; i += 15) {
      const entries = Array.from({ length: 15 }, (_, j) => i + j).filter((n) => n < 4 * 200);
      await store.write(...entries.map((n) => ({ ...name, entityId: ids[n % 200], field: `f${n}`, value })));
    }
    const some = await store.get({
      locale: 'de',
      entityType: 'product',
      entityIds: ids.slice(0, 100).join(),
    });
    expect(Object.keys(some.body.byEntity)).toHaveLength(100);
    const all = await store.get({ locale: 'de', entityType: 'product', entityIds: ids.join() });
    expect(all.body.code).toBe('invalid_translation');
  });
});

describe('DELETE /translations', () => {
  test('clears one field in one locale, and succeeds where there is none', async () => {
    const store = await newTranslations();
    await store.write(name, { ...name, field: 'description' }, { ...name, locale: 'fr' });
    for (let i = 0; i < 2; i++) expect((await store.clear({ ...ofProduct, field: 'name' })).status).toBe(204);
    expect((await store.get(ofProduct)).body.translations).toMatchObject([{ field: 'description' }]);
    expect((await store.get({ ...ofProduct, locale: 'fr' })).body.total).toBe(1);
  });

  test.each([
    { ...ofProduct },
    { ...ofProduct, field: 'name', locale: '' },
    { ...ofProduct, field: 'name', entityType: 'order' },
    { ...ofProduct, field: 'name', entityId: '' },
  ])('invalid_translation for %j', async (query) => {
    expect(await (await newTranslations()).clear(query)).toMatchObject({
      status: 400,
      body: { code: 'invalid_translation' },
    });
  });
});

const nothing = { translated: 0, total: 0 };

test('the database finds the characters visible that the services do', async () => {
  const characters = Array.from({ length: 0x110000 - 1 }, (_, i) => i + 1)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((char) => /^[^\p{Cn}\p{Co}]$/u.test(char));
  const { rows } = await sql<{ text: string; shows: boolean }>`
    select text, shows(text) as shows from unnest(${characters}::text[]) text`.execute(db);
  expect(rows.filter(({ text, shows }) => shows !== hasVisibleCharacter(text))).toEqual([]);
});

describe('GET /translations/progress', () => {
  test('of an empty store is nought; without a locale it is invalid_translation', async () => {
    const store = await newTranslations();
    expect(await store.progress('de-at')).toEqual({
      locale: 'de-AT',
      translated: 0,
      total: 0,
      byEntityType: {
        product: nothing,
        category: nothing,
        article: nothing,
        blogCategory: nothing,
        node: nothing,
      },
    });
    expect((await store.api('GET', `${path}/progress`)).body.code).toBe('invalid_translation');
  });

  test.each(['', '  ', '\u00a0\u200b', '\u3164', '\ufeff\t'])(
    'does not count a translation that shows nothing: %j',
    async (value) => {
      const store = await newTranslations();
      const { article } = (await store.api('POST', '/api/v1/articles', { title: 'x' })).body;
      const of = { locale: 'de', entityType: 'article', entityId: article.id };
      await store.write({ ...of, field: 'title', value });
      const { byEntityType } = await store.progress('de');
      expect(byEntityType.article).toEqual({ translated: 0, total: 1 });
      expect((await store.get(of)).body.translations).toMatchObject([{ value }]);
      await store.write({ ...of, field: 'title', value: `${value}y` });
      expect((await store.progress('de')).byEntityType.article).toEqual({ translated: 1, total: 1 });
    },
  );

  test('follows articles and blog categories as they are written, translated and deleted', async () => {
    const store = await newTranslations();
    const { article } = (
      await store.api('POST', '/api/v1/articles', { title: 'x', excerpt: ' ', content: '<p>hi</p>' })
    ).body;
    const { blogCategory } = (await store.api('POST', '/api/v1/blog-categories', { name: 'c', slug: 'c' }))
      .body;
    const entry = { locale: 'de', entityType: 'article', entityId: article.id, value: 'y' };
    await store.write(
      { ...entry, field: 'title' },
      { ...entry, field: 'excerpt' },
      { ...entry, field: 'content', value: '' },
    );
    await store.write({ ...entry, entityType: 'blogCategory', entityId: blogCategory.id, field: 'name' });
    const counts = async (locale?: string) => (await store.progress(locale)).byEntityType;
    expect(await counts()).toMatchObject({
      article: { translated: 1, total: 2 },
      blogCategory: { translated: 1, total: 1 },
    });
    expect(await counts('fr')).toMatchObject({
      article: { translated: 0, total: 2 },
      blogCategory: { translated: 0, total: 1 },
    });
    await store.api('PUT', `/api/v1/articles/${article.id}`, { title: 'x', excerpt: 'e', content: '<hr>' });
    expect((await counts()).article).toEqual({ translated: 2, total: 2 });
    await store.api('DELETE', `/api/v1/articles/${article.id}`);
    await store.api('DELETE', `/api/v1/blog-categories/${blogCategory.id}`);
    expect(await store.progress()).toMatchObject({ translated: 0, total: 0 });
    expect((await store.get({ locale: 'de', entityId: article.id })).body.total).toBe(0);
  });

  test('of categories counts their fields that hold text', async () => {
    const store = await newTranslations();
    const category = {
      id: newId('category'),
      name: 'Tea',
      slug: 'tea',
      description: '<p>Leaves</p>',
      seo: { title: '', description: 'All teas', imageMediaId: null },
      updatedAt: new Date().toISOString(),
    };
    const tell = (name: string, change: object = {}) => {
      const changed = { ...category, ...change };
      const data = JSON.stringify({ category: changed });
      const event = { id: newId('event'), name, storeId: store.storeId, data };
      return onCategoryChanges({ transaction }, [{ ...event, createdAt: new Date().toISOString() } as never]);
    };
    await tell(CategoryCreated.name);
    const entry = { ...name, entityType: 'category', entityId: category.id };
    // A field that categories do not have counts nowhere.
    await store.write(entry, { ...entry, field: 'about' }, { ...entry, field: 'seo.description' });
    expect((await store.progress()).byEntityType.category).toEqual({ translated: 2, total: 3 });
    await tell(CategoryUpdated.name, { description: '', updatedAt: new Date(Date.now() + 5).toISOString() });
    expect((await store.progress()).byEntityType.category).toEqual({ translated: 2, total: 2 });
    await tell(CategoryDeleted.name);
    expect((await store.progress()).byEntityType.category).toEqual({ translated: 0, total: 0 });
  });

  test('follows the texts of documents', async () => {
    const store = await newTranslations();
    const texts = (ownerId: string, ...nodeIds: string[]) =>
      transaction((trx) =>
        replaceNodeTexts(
          trx,
          store.storeId,
          ownerId,
          nodeIds.map((nodeId) => ({ nodeId, field: 'text' })),
        ),
      );
    await texts('pag_1', 'a', 'b', 'a');
    await texts('pag_10', 'a');
    const node = { locale: 'de', entityType: 'node', field: 'text', value: 'x' };
    await store.write({ ...node, entityId: nodeEntityId('pag_1', 'a') });
    const count = async () => (await store.progress()).byEntityType.node;
    expect(await count()).toEqual({ translated: 1, total: 3 });
    await store.write({ ...node, entityId: 'b' });
    expect(await count()).toEqual({ translated: 2, total: 3 });
    await texts('pag_1', 'c');
    expect(await count()).toEqual({ translated: 0, total: 2 });
    await texts('pag_1', 'a');
    expect(await count()).toEqual({ translated: 1, total: 2 });
    await transaction((trx) => deleteNodeTexts(trx, store.storeId, 'pag_1'));
    expect(await count()).toEqual({ translated: 0, total: 1 });
    await texts('pag_1', 'a');
    expect(await count()).toEqual({ translated: 0, total: 2 });
  });
});

describe('products', () => {
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();
  const createProductEvent = (
    storeId: string,
    event: { name: string },
    product: Partial<Product> & { id: string },
  ): EventMessage => ({
    id: newId('event'),
    name: event.name,
    storeId,
    createdAt: product.updatedAt ?? at(0),
    data: JSON.stringify({ product }),
  });
  const handle = (...events: EventMessage[]) =>
    transaction((trx) => onProductChanges(trx, events[0]!.storeId, events));
  const count = async (store: Awaited<ReturnType<typeof newTranslations>>) =>
    (await store.progress()).byEntityType.product;

  test('are counted by their events, which come in any order and more than once', async () => {
    const store = await newTranslations();
    const created = createProductEvent(store.storeId, ProductCreated, {
      id: 'prd_1',
      name: 'Tea',
      description: '',
      updatedAt: at(1),
    });
    const updated = createProductEvent(store.storeId, ProductUpdated, {
      id: 'prd_1',
      name: 'Tea',
      description: '<p>x</p>',
      updatedAt: at(2),
    });
    const emptied = createProductEvent(store.storeId, ProductUpdated, {
      id: 'prd_1',
      name: 'Tea',
      description: '<hr />',
      updatedAt: at(3),
    });
    const deleted = createProductEvent(store.storeId, ProductDeleted, { id: 'prd_1' });
    await store.write(name);
    await handle(updated, created);
    expect(await count(store)).toEqual({ translated: 1, total: 2 });
    await handle(emptied);
    await handle(updated);
    expect(await count(store)).toEqual({ translated: 1, total: 1 });
    await handle(deleted);
    await handle(
      createProductEvent(store.storeId, ProductUpdated, { id: 'prd_1', name: 'Late', updatedAt: at(9) }),
    );
    expect(await count(store)).toEqual(nothing);
    expect((await store.get(ofProduct)).body.total).toBe(0);
  });

  test('a deletion that comes first holds, also within one batch', async () => {
    const store = await newTranslations();
    await handle(createProductEvent(store.storeId, ProductDeleted, { id: 'prd_1' }));
    await handle(
      createProductEvent(store.storeId, ProductCreated, { id: 'prd_1', name: 'x', updatedAt: at(1) }),
    );
    await handle(
      createProductEvent(store.storeId, ProductDeleted, { id: 'prd_2' }),
      createProductEvent(store.storeId, ProductCreated, { id: 'prd_2', name: 'x', updatedAt: at(1) }),
      createProductEvent(store.storeId, ProductCreated, { id: 'prd_3', name: 'x', updatedAt: at(1) }),
    );
    expect(await count(store)).toEqual({ translated: 0, total: 1 });
  });
});

test('reading needs translations.read, writing translations.write', async () => {
  const { withScopes } = await newTranslations();
  const query = `${path}?${new URLSearchParams(ofProduct)}`;
  expect((await withScopes(['translations.read'])('GET', query)).status).toBe(200);
  expect((await withScopes(['translations.read'])('PUT', path, { entries: [] })).status).toBe(403);
  expect((await withScopes(['translations.read'])('DELETE', query)).status).toBe(403);
  expect((await withScopes(['translations.write'])('GET', query)).status).toBe(403);
  expect((await withScopes(['translations.write'])('GET', `${path}/progress?locale=de`)).status).toBe(403);
});
