import { rolePermissions } from '@waybill/contracts';
import { type Receiver, startReceiver } from '@waybill/testing';
import { expectStatus, newKey, newPerson, newStore } from '../../testing/accounts.ts';
import { type Caller, createCaller, type Reply, send } from '../../testing/client.ts';
import { boundary, formOf, jpegOf } from '../../testing/uploads.ts';
import { customer, newStock, order, product, recipes, type Shop, type Try, unique, v1 } from './recipes.ts';
import { type SharedSystem, topologies } from './topologies.ts';

interface Operation {
  parameters?: { in: string; name: string }[];
  responses: Record<string, { headers?: object; content?: object }>;
}

/**
 * Requests that need an approved version, an app's token, a failed delivery or a binary body; the kernel treats them
 * like all others.
 */
const untried =
  /payment-sessions\/|stores\/\{storeId\}\/apps\/|\/app-data|redeliver$|withdraw$|islands\/module$|^PUT .*\/icon$|^DELETE .*translations$|^POST .*\/media$/;

/** Operations that also write rows shared by all writes of a store: counts, orders of pages, taken slugs. */
const changedByMany = [
  'PATCH /api/v1/orders/{id}',
  'PATCH /api/v1/pages/{id}',
  'PUT /api/v1/articles/{id}',
  'PUT /api/stores/{storeId}/pages/{pageId}/draft',
];

/** A recipe of each service: with these, the headers of safe writes pass the way to it in every topology. */
const ofEachService = [
  `DELETE ${v1}/products/{id}`,
  `PUT ${v1}/customers/{id}`,
  `POST ${v1}/pages/{id}/publish`,
  `POST ${v1}/webhooks`,
  `PATCH ${v1}/media/{id}`,
  'PATCH /api/stores/{storeId}',
  'PATCH /api/orgs/{orgId}/apps/{appId}',
  'POST /api/stores/{storeId}/payment-methods',
];

describe.each(topologies)('$name', ({ share, inOneTopology }) => {
  let system: SharedSystem;
  let receiver: Receiver;
  let operations: Record<string, Record<string, Operation>>;
  let shop: Shop;
  beforeAll(async () => {
    receiver = await startReceiver();
    system = await share();
    operations = (await send(system.baseUrl, 'GET', '/openapi.json')).body.paths;
    const owner = await newPerson(system.baseUrl);
    const storeId = await newStore(owner);
    const { secret } = await newKey(owner, storeId, rolePermissions.owner);
    const key = createCaller(system.baseUrl, secret);
    const { org } = expectStatus(await owner.call('POST', '/api/orgs', { name: 'Acme' }), 201).body;
    shop = {
      owner,
      storeId,
      key,
      org: org.id,
      receiverUrl: receiver.url,
      baseUrl: system.baseUrl,
      upload: (file, name, headers = {}) =>
        send(system.baseUrl, 'POST', `${v1}/media`, {
          headers: {
            authorization: `Bearer ${secret}`,
            'content-type': `multipart/form-data; boundary=${boundary}`,
            ...headers,
          },
          body: Buffer.concat([...formOf([file], name)]),
        }),
      async create(path, json) {
        const [created] = Object.values(expectStatus(await key('POST', `${v1}/${path}`, json), 201).body);
        return (created as { id: string }).id;
      },
    };
  });
  afterAll(() => receiver.close());

  const callAs = (path: string, { key, owner }: Shop) => (path.startsWith(`${v1}/`) ? key : owner.call);
  const takes = ({ parameters = [] }: Operation, header: string) =>
    parameters.some((parameter) => parameter.in === 'header' && parameter.name === header);

  describe.each(Object.keys(recipes))('%s', (title) => {
    const [method, path] = title.split(' ') as [string, string];
    const operation = () => operations[path]![method.toLowerCase()]!;
    const ask = (attempt: Try, headers: Record<string, string> = {}): Promise<Reply> =>
      callAs(attempt.path, shop)(method, attempt.path, attempt.json, headers);

    const define = ofEachService.includes(title) ? test : inOneTopology;
    define(
      'gets the same answer again, has the ETag of its state, and refuses a write with another ETag',
      async () => {
        const attempt = await recipes[title]!(shop);
        const read = async () =>
          attempt.read && (await callAs(attempt.read, shop)('GET', attempt.read)).headers.etag;
        const before = await read();
        expect(takes(operation(), 'Idempotency-Key')).toBe(true);
        if (method !== 'POST') {
          expect(takes(operation(), 'If-Match')).toBe(true);
          const stale = await ask(attempt, { 'if-match': '"stale"' });
          expect([stale.status, stale.body?.code, stale.headers.etag]).toEqual([
            412,
            'precondition_failed',
            before,
          ]);
          expect(await read()).toBe(before);
        }
        const headers = {
          'idempotency-key': unique(),
          ...(method !== 'POST' && before && { 'if-match': before }),
        };
        const first = await ask(attempt, headers);
        expect(`${first.status} ${first.status < 300 ? '' : first.text}`).toMatch(/^20\d $/);
        const { headers: declared } = operation().responses[first.status]!;
        expect(first.headers.etag !== undefined).toBe(declared !== undefined);
        const state = await read();
        if (state && first.headers.etag) expect(first.headers.etag).toBe(state);
        const again = await ask(attempt, headers);
        expect([again.status, again.text, again.headers['idempotent-replayed'], again.headers.etag]).toEqual([
          first.status,
          first.text,
          'true',
          first.headers.etag,
        ]);
        expect(await read()).toBe(state);
      },
    );
  });

  inOneTopology('every write operation accepts a key, and is tested here or excluded with a reason', () => {
    const all = Object.entries(operations).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        title: `${method.toUpperCase()} ${path}`,
        operation,
      })),
    );
    const isTwin = (title: string) =>
      all.some((other) => other.title === title.replace('/api/stores/{storeId}/', `${v1}/`));
    const keyed = all.filter(({ operation }) => takes(operation, 'Idempotency-Key'));
    const missing = keyed
      .map(({ title }) => title)
      .filter((title) => !(title in recipes) && !untried.test(title))
      .filter((title) => title.includes(v1) || !isTwin(title));
    expect(missing).toEqual([]);
    const unkeyed = all
      .filter(({ title }) => /^(?:POST|PUT|PATCH|DELETE) \/api\/(?:v1|stores|orgs)(?:\/|$)/.test(title))
      .filter(({ operation }) => !takes(operation, 'Idempotency-Key'));
    expect(unkeyed.map(({ title }) => title).sort()).toEqual([
      'POST /api/stores/{storeId}/articles/{articleId}/canvas',
      'POST /api/stores/{storeId}/articles/{articleId}/preview',
      'POST /api/stores/{storeId}/categories/preview',
      'POST /api/stores/{storeId}/mail-templates/{kind}/preview',
      'POST /api/stores/{storeId}/pages/{pageId}/canvas',
      'POST /api/stores/{storeId}/pages/{pageId}/preview',
      'POST /api/stores/{storeId}/quotes',
      'POST /api/stores/{storeId}/reports/discounts',
      'POST /api/stores/{storeId}/sections/{sectionId}/canvas',
      'POST /api/stores/{storeId}/templates/{kind}/canvas',
      'POST /api/stores/{storeId}/templates/{kind}/preview',
    ]);
  });

  test('an upload is compared by its bytes, and stored once', async () => {
    const [bytes, other] = [Buffer.concat([...jpegOf(2000)]), Buffer.concat([...jpegOf(2000)])];
    const upload = (file: Buffer, name: string) => shop.upload(file, name, { 'idempotency-key': 'upload' });
    const { total } = (await shop.key('GET', `${v1}/media`)).body;
    const replies = await Promise.all(Array.from({ length: 10 }, () => upload(bytes, 'a.jpg')));
    const created = replies.filter(({ status }) => status === 201);
    expect(new Set(created.map(({ text }) => text)).size).toBe(1);
    expect(created.filter(({ headers }) => !headers['idempotent-replayed'])).toHaveLength(1);
    for (const { status, body } of replies)
      if (status !== 201) expect(body.code).toBe('idempotency_in_progress');
    expect((await upload(bytes, 'a.jpg')).headers['idempotent-replayed']).toBe('true');
    for (const changed of [await upload(other, 'a.jpg'), await upload(bytes, 'b.jpg')]) {
      expect([changed.status, changed.body.code]).toEqual([422, 'idempotency_key_reused']);
    }
    expect((await shop.key('GET', `${v1}/media`)).body.total).toBe(total + 1);
  });

  inOneTopology('of 50 writers with one ETag exactly one wins', async () => {
    const path = `${v1}/products/${await shop.create('products', product())}`;
    const { headers } = await shop.key('GET', path);
    const inputs = Array.from({ length: 50 }, product);
    const replies = await Promise.all(
      inputs.map((input) => shop.key('PUT', path, input, { 'if-match': headers.etag! })),
    );
    const statuses = replies.map(({ status }) => status);
    expect([
      statuses.filter((status) => status === 200).length,
      statuses.filter((status) => status === 412).length,
    ]).toEqual([1, 49]);
    expect((await shop.key('GET', path)).body.product.name).toBe(inputs[statuses.indexOf(200)]!.name);
  });

  inOneTopology.each(changedByMany)(
    '%s is made of what was read, however much else changes meanwhile',
    async (title) => {
      const method = title.split(' ')[0]!;
      const change = async (isAsRead: boolean) => {
        const { path, json, read } = await recipes[title]!(shop);
        const call = callAs(path, shop);
        const { etag } = isAsRead ? (await call('GET', read!)).headers : {};
        return call(method, path, json, etag ? { 'if-match': etag } : {});
      };
      let isDone = false;
      const others = Array.from({ length: 6 }, async () => {
        while (!isDone) expectStatus(await change(false), 200);
      });
      for (let i = 0; i < 3; i++) expectStatus(await change(true), 200);
      isDone = true;
      await Promise.all(others);
    },
  );

  inOneTopology(
    'of 50 that reserve stock through both APIs, no more succeed than there is stock',
    async () => {
      const { item, stock } = await newStock(shop.key);
      const asMember = stock.replace(v1, `/api/stores/${shop.storeId}`);
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          i % 2
            ? shop.key('POST', stock, { delta: -40, reason: 'Damaged' })
            : shop.owner.call('POST', asMember, { delta: -40 }),
        ),
      );
      const refused = replies.filter(({ status }) => status !== 200);
      expect(refused).toHaveLength(25);
      for (const { status, body } of refused) expect([status, body.code]).toEqual([409, 'out_of_stock']);
      const patch = { name: 'Renamed', variants: [{ id: stock.split('/').at(-2), priceCents: 300 }] };
      const renamed = expectStatus(await shop.key('PATCH', item, patch), 200).body.product;
      expect(renamed).toMatchObject({ name: 'Renamed', priceCents: 300, totalStock: 0 });
    },
  );

  test('50 identical requests with one key make one change', async () => {
    const places: [Caller, string, object][] = [
      [shop.key, `${v1}/products`, product()],
      [shop.owner.call, `/api/stores/${shop.storeId}/orders`, await order(shop)],
    ];
    for (const [call, path, input] of places) {
      const before = (await call('GET', path)).body.total;
      const key = unique();
      const replies = await Promise.all(
        Array.from({ length: 50 }, () => call('POST', path, input, { 'idempotency-key': key })),
      );
      for (const { status, body } of replies)
        if (status !== 201) expect([status, body.code]).toEqual([409, 'idempotency_in_progress']);
      const texts = replies.filter(({ status }) => status === 201).map(({ text }) => text);
      expect(new Set(texts).size).toBe(1);
      expect((await call('GET', path)).body.total).toBe(before + 1);
    }
  });

  inOneTopology(
    '50 requests at once, each with a key of its own, make one change each, and are answered so again',
    async () => {
      const places: [Caller, string, () => Promise<object>][] = [
        [shop.key, `${v1}/products`, async () => product()],
        [shop.key, `${v1}/customers`, async () => customer()],
        [shop.owner.call, `/api/stores/${shop.storeId}/orders`, () => order(shop)],
      ];
      for (const [call, path, input] of places) {
        const inputs = await Promise.all(Array.from({ length: 50 }, input));
        const before = (await call('GET', path)).body.total;
        const keys = inputs.map(unique);
        const ask = () =>
          Promise.all(inputs.map((json, i) => call('POST', path, json, { 'idempotency-key': keys[i]! })));
        const created = await ask();
        const again = await ask();
        expect(created.map(({ status }) => status)).toEqual(inputs.map(() => 201));
        expect(new Set(created.map(({ text }) => text)).size).toBe(50);
        expect(again.map(({ text }) => text)).toEqual(created.map(({ text }) => text));
        expect(again.every(({ headers }) => headers['idempotent-replayed'] === 'true')).toBe(true);
        expect((await call('GET', path)).body.total).toBe(before + 50);
      }
    },
  );
});
