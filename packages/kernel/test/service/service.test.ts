import { errors, type Principal, ProductDeleted, type Role } from '@waybill/contracts';
import { eventually, startSystem, type TestSystem, withServerClient } from '@waybill/testing';
import { sql } from 'kysely';
import request from 'supertest';
import Type from 'typebox';
import {
  aggregate,
  claimNewEvents,
  defineConfig,
  defineRoutes,
  defineService,
  type Handlers,
  paging,
  type ServiceContext,
} from '../../src/index.ts';

interface Tables {
  note: { store_id: string; id?: number; text: string };
}
type Context = ServiceContext<unknown, Tables>;

const routes = defineRoutes({
  listNotes: {
    method: 'GET',
    path: '/api/v1/notes',
    access: { scope: 'products.read' },
    summary: 'Lists notes',
    query: Type.Object(paging),
    answer: [200, Type.Object({ notes: Type.Array(Type.String()), limit: Type.Integer() })],
  },
  createNote: {
    method: 'POST',
    path: '/api/v1/notes',
    access: { scope: 'products.write' },
    summary: 'Writes a note',
    body: Type.Object({
      text: Type.String({ minLength: 1 }),
      status: Type.Optional(Type.Enum(['a', 'b'], { errorCode: 'invalid_status' })),
      tags: Type.Optional(Type.Array(Type.String())),
    }),
    answer: [201, Type.Object({ text: Type.String() })],
  },
  replaceNote: {
    method: 'PUT',
    path: '/api/v1/notes/{id}',
    access: { scope: 'products.write' },
    summary: 'Replaces a note',
    body: Type.Object({ text: Type.String({ minLength: 1 }) }),
    answer: [200, Type.Object({ text: Type.String() })],
  },
  findNote: {
    method: 'GET',
    path: '/api/v1/notes/{text}',
    access: { scope: 'products.read' },
    summary: 'Finds a note by its text',
    query: Type.Object({ also: Type.Optional(Type.String()) }),
    answer: [200, Type.Object({ texts: Type.Array(Type.String()) })],
  },
  deleteNote: {
    method: 'DELETE',
    path: '/api/v1/notes/{id}',
    access: { scope: 'products.write' },
    summary: 'Deletes a note',
    answer: [204, null],
  },
});

async function refuseSealed({ params }: { params: { id: string } }): Promise<void> {
  if (params.id === 'sealed') throw errors.invalid_state();
}

const heard: string[] = [];
let failures = 0;

const notes = defineService<unknown, Tables>({
  name: 'notes',
  config: defineConfig(Type.Object({})),
  migrations: new URL('../db/fixture-migrations/', import.meta.url),
  aggregates: [
    aggregate(
      routes,
      ({ db }: Context): Handlers<typeof routes, Tables> => ({
        async listNotes({ storeId, query }) {
          const rows = await db.selectFrom('note').select('text').where('store_id', '=', storeId).execute();
          return { notes: rows.map(({ text }) => text), limit: query.limit };
        },
        createNote: {
          async write({ storeId, body }, { trx, emit }) {
            await trx.insertInto('note').values({ store_id: storeId, text: body.text }).execute();
            await emit(ProductDeleted, storeId, { product: { id: 'x', number: 1, slug: body.text } });
            const [, state] = /^fail with (\w+)$/.exec(body.text) ?? [];
            if (state) await sql.raw(`do $$ begin raise using errcode = '${state}'; end $$`).execute(trx);
            if (body.text === 'slow') await sql`select pg_sleep(4)`.execute(trx);
            if (body.text === 'boom') throw errors.invalid_state();
            return { text: body.text };
          },
        },
        replaceNote: {
          guard: refuseSealed,
          write: async ({ body }) => ({ text: body.text }),
        },
        async findNote({ storeId, params, query }) {
          const texts = [params.text, query.also ?? ''];
          const notes = db.selectFrom('note').select('text').where('store_id', '=', storeId);
          const rows = await notes.where('text', 'in', texts).execute();
          return { texts: rows.map(({ text }) => text) };
        },
        deleteNote: { guard: refuseSealed, write: async () => {} },
      }),
    ),
  ],
  subscriptions: ({ transaction }) => [
    {
      queue: 'notes.listener',
      events: [ProductDeleted],
      batch: 10,
      handle: (events) =>
        transaction(async (trx) => {
          if (failures-- > 0) throw new Error('not now');
          for (const event of await claimNewEvents(trx, 'listener', events))
            heard.push(JSON.parse(event.data).product.slug);
        }),
    },
  ],
});

const storeId = 'str_1';
const principal: Principal = {
  kind: 'apiKey',
  storeId,
  keyId: 'key_1',
  scopes: ['products.read', 'products.write'],
  creatorPermissions: ['products.read', 'products.write'],
};

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([notes]);
});
afterAll(() => system.stop());

async function post(body: string | object, who = principal) {
  return request(system.internalUrl)
    .post('/api/v1/notes')
    .set(await system.as(who))
    .set('content-type', 'application/json')
    .send(body);
}

describe('a route', () => {
  test.each([
    ['takes too long', '57014', 503, 'resource_unavailable'],
    ['finds the disk full', '53100', 503, 'resource_unavailable'],
    ['is wrong', '42601', 500, 'internal_error'],
  ])('whose statement %s answers as decisions 1.13 has it', async (_, state, status, code) => {
    const res = await post({ text: `fail with ${state}` });
    expect(res).toMatchObject({ status, body: { code } });
    expect(res.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
  });

  test('sends its handler’s result, and commits its writes', async () => {
    expect((await post({ text: 'hello' })).status).toBe(201);
    const list = await request(system.internalUrl)
      .get('/api/v1/notes?limit=9999')
      .set(await system.as(principal));
    expect(list.body).toMatchObject({ notes: ['hello'], limit: 200 });
    expect(list.headers['cache-control']).toBe('private, no-store');
  });
  test.each([
    ['9'.repeat(23), 200],
    ['0', 50],
    ['-1', 50],
    ['1.5', 50],
    ['many', 50],
  ])('reads limit=%s as %i', async (text, limit) => {
    const list = await request(system.internalUrl)
      .get(`/api/v1/notes?limit=${text}`)
      .set(await system.as(principal));
    expect(list.body.limit).toBe(limit);
  });
  test('401 without a principal, 403 when the scope or the role is missing', async () => {
    expect((await request(system.internalUrl).get('/api/v1/notes')).body.code).toBe('missing_credential');
    expect((await post({ text: 'x' }, { ...principal, scopes: ['products.read'] })).body.code).toBe(
      'insufficient_scope',
    );
    expect((await post({ text: 'x' }, { ...principal, creatorPermissions: [] })).status).toBe(403);
  });
  describe("at the members' door", () => {
    const member = (role?: Role): Principal => ({
      kind: 'user',
      userId: 'usr_1',
      email: 'ann@example.com',
      storeId,
      role,
    });
    const ask = async (method: 'get' | 'post' | 'put', path: string, who: Principal) =>
      request(system.internalUrl)
        [method](path)
        .set(await system.as(who))
        .send(method === 'get' ? undefined : { text: 'from a member' });
    const getNotesPath = (store: string) => `/api/stores/${store}/notes`;

    test('answers a member as it answers a credential', async () => {
      expect((await ask('post', getNotesPath(storeId), member('editor'))).status).toBe(201);
      const theirs = await ask('get', `${getNotesPath(storeId)}?limit=9999`, member('viewer'));
      expect(theirs.body).toEqual((await ask('get', '/api/v1/notes?limit=9999', principal)).body);
      expect(theirs.body.notes).toContain('from a member');
      expect((await ask('put', `${getNotesPath(storeId)}/sealed`, member('owner'))).body.code).toBe(
        'invalid_state',
      );
    });
    test('checks the role instead of the scopes', async () => {
      const { status, body } = await ask('post', getNotesPath(storeId), member('viewer'));
      expect([status, body.code, typeof body.permission]).toEqual([403, 'insufficient_role', 'string']);
    });
    test('refuses users who are not members of the store, and credentials', async () => {
      const getCode = async (path: string, who: Principal) => (await ask('get', path, who)).body.code;
      expect(await getCode(getNotesPath(storeId), member())).toBe('not_found');
      expect(await getCode(getNotesPath('str_2'), member('owner'))).toBe('not_found');
      expect(await getCode(getNotesPath(storeId), principal)).toBe('user_token_required');
    });
    test('has the methods that the resource has', async () => {
      const { status, headers } = await ask('put', getNotesPath(storeId), member('owner'));
      expect([status, headers.allow]).toEqual([405, 'GET, POST, HEAD']);
    });
    test('is not part of the public API for members', async () => {
      expect((await ask('get', '/api/v1/notes', member('owner'))).body.code).toBe('insufficient_scope');
    });
  });

  test('an unsigned principal is ignored', async () => {
    const res = await request(system.internalUrl)
      .get('/api/v1/notes')
      .set('x-waybill-principal', 'e30.e30.e30');
    expect(res.status).toBe(401);
  });
  test('a guard runs after the check of the body’s size and before that of its content', async () => {
    const put = async (id: string, body: string) =>
      request(system.internalUrl)
        .put(`/api/v1/notes/${id}`)
        .set(await system.as(principal))
        .set('content-type', 'application/json')
        .send(body);
    expect((await put('open', '{"text":"new"}')).body).toEqual({ text: 'new' });
    expect((await put('open', '{')).body.code).toBe('invalid_body');
    expect((await put('sealed', '{')).body.code).toBe('invalid_state');
    expect((await put('sealed', `"${'x'.repeat(1024 * 1024)}"`)).body.code).toBe('body_too_large');
  });
  test('a guard also runs without a body', async () => {
    const remove = async (id: string) =>
      request(system.internalUrl)
        .delete(`/api/v1/notes/${id}`)
        .set(await system.as(principal));
    expect((await remove('open')).status).toBe(204);
    expect(await remove('sealed')).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
  });

  test.each([
    ['a NUL', '%00'],
    ['a NUL behind a letter', 'a%00b'],
    ['half a surrogate pair', '%ED%A0%80'],
    ['a byte that is no UTF-8', '%FF'],
    ['half an escape', '%E'],
    ['an escape of nothing', '%zz'],
    ['more than any name has', 'x'.repeat(513)],
  ])('404 not_found for %s in its path', async (_, text) => {
    const find = async (path: string) =>
      request(system.internalUrl)
        .get(`/api/v1/notes/${path}`)
        .set(await system.as(principal));
    expect(await find(text)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('finds nothing for a query that a database cannot process', async () => {
    const hostile = ['%00', 'a%00b', '%ED%A0%80', '%FF', '%E', '%zz', 'x'.repeat(10_000), 'a&also=%00'];
    for (const also of hostile) {
      const res = await request(system.internalUrl)
        .get(`/api/v1/notes/nothing?also=${also}`)
        .set(await system.as(principal));
      expect(res).toMatchObject({ status: 200, body: { texts: [] } });
    }
  });

  test('lists every problem of a body with its pointer, the specific code first', async () => {
    const res = await post({ text: '', tags: [1, 'ok', null], status: 'c' });
    expect(res.status).toBe(400);
    expect(res.body.code).toBe('invalid_status');
    expect(res.body.details.map((d: { pointer: string }) => d.pointer).sort()).toEqual([
      '/status',
      '/tags/0',
      '/tags/2',
      '/text',
    ]);
    expect((await post({})).body).toEqual({
      error: 'The request body is not valid: /text is required.',
      code: 'invalid_body',
      details: [{ pointer: '/text', message: 'is required' }],
    });
  });
  test.each([
    ['malformed JSON', '{'],
    ['an array', '[]'],
    ['a number', '1'],
    ['nothing', ''],
    ['NUL', '{"text":"a\\u0000b"}'],
    ['half a surrogate pair', '{"text":"\\ud800"}'],
    ['a number beyond all doubles', '{"text":"a","other":[1e400]}'],
    ['NUL in a name', '{"text":"a","\\u0000":1}'],
    ['100,000 levels', `{"text":"x","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('400 invalid_body for %s', async (_, body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
  });
  test('413 above 1 MiB, 400 for another content type, a broken encoding, compressed bytes', async () => {
    expect((await post(JSON.stringify({ text: 'x'.repeat(1024 * 1024) }))).body.code).toBe('body_too_large');
    const send = async (type: string, body: Buffer | string, encoding = 'identity') =>
      (
        await request(system.internalUrl)
          .post('/api/v1/notes')
          .set(await system.as(principal))
          .set('content-type', type)
          .set('content-encoding', encoding)
          .send(body)
      ).body.code;
    // A body that could be read is refused for its status.
    const read = '{"text":"a","status":"c"}';
    for (const type of ['text/plain', 'application/jsonx', 'application/json; charset=latin1', ';;']) {
      expect([type, await send(type, read)]).toEqual([type, 'invalid_body']);
    }
    for (const type of [
      'Application/JSON; Charset="UTF-8"',
      'application/json;',
      'application/json; v="1;2"',
    ]) {
      expect([type, await send(type, read)]).toEqual([type, 'invalid_status']);
    }
    expect(await send('application/json', '{"text":"a"}', 'gzip')).toBe('invalid_body');
  });
  test('405 with Allow for a method it does not have, 404 for no resource', async () => {
    const headers = await system.as(principal);
    const put = await request(system.internalUrl).put('/api/v1/notes').set(headers);
    expect(put).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(put.headers.allow).toBe('GET, POST, HEAD');
    expect((await request(system.internalUrl).get('/api/v1/nothing').set(headers)).body.code).toBe(
      'unknown_resource',
    );
  });
});

describe('health', () => {
  test('is answered immediately while all pooled connections are in use', async () => {
    // Twice as many as there are connections.
    const requests = Array.from({ length: 10 }, () => post({ text: 'slow' }));
    const answered = Promise.allSettled(requests);
    const { pathname } = new URL(system.databaseUrl('notes'));
    const asleep = `select from pg_stat_activity
      where datname = '${pathname.slice(1)}' and state = 'active' and query like '%pg_sleep(4)%'`;
    await eventually(() => withServerClient(async (client) => (await client.query(asleep)).rowCount === 5));
    const started = performance.now();
    for (const path of ['/health/ready', '/health/live', '/internal/ready/notes', '/metrics'])
      expect([path, (await request(system.internalUrl).get(path)).status]).toEqual([path, 200]);
    expect(performance.now() - started).toBeLessThan(1_000);
    await answered;
  }, 20_000);
});

describe('an event', () => {
  test('reaches its subscriber once, though the subscriber fails at first; a rolled-back one never', async () => {
    await eventually(() => heard.includes('hello'));
    failures = 3;
    expect((await post({ text: 'boom' })).status).toBe(409);
    expect((await post({ text: 'later' })).status).toBe(201);
    await eventually(() => heard.includes('later'));
    expect(heard.filter((slug) => slug !== 'slow')).toEqual(['hello', 'from a member', 'later']);
  });
});
