import { errors, type Principal } from '@waybill/contracts';
import { eventually, runSql, startSystem, type TestSystem, withServerClient } from '@waybill/testing';
import request from 'supertest';
import { gathering, heard, hooks, principal, things } from '../things.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([things]);
  heard.length = 0;
  gathering.requests = 0;
  gathering.batches = [];
});
afterAll(() => system.stop());
afterEach(() => {
  hooks.beforeWrite = null;
  hooks.guard = null;
});

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

interface Options {
  key?: string;
  json?: object;
  ifMatch?: string;
  who?: typeof principal;
}

async function ask(method: Method, path: string, { key, json, ifMatch, who = principal }: Options = {}) {
  const call = request(system.internalUrl)
    [method](`/api/v1/${path}`)
    .set(await system.as(who))
    .set({ ...(key !== undefined && { 'idempotency-key': key }), ...(ifMatch && { 'if-match': ifMatch }) });
  const { status, text, body, headers } = await (json ? call.send(json) : call);
  const { etag, 'idempotent-replayed': replayed, 'retry-after': retryAfter } = headers;
  return { status, text, body, etag, replayed, retryAfter };
}
const create = (name: string, key?: string) => ask('post', 'things', { key, json: { name } });
const listNames = async () =>
  (await ask('get', 'things')).body.things.map(({ name }: { name: string }) => name);
const countNamed = async (name: string) =>
  (await listNames()).filter((other: string) => other === name).length;

describe('a request under a key', () => {
  test('gets the first answer, byte for byte, and changes nothing more', async () => {
    const first = await create('tea', 'first');
    expect(first).toMatchObject({ status: 201, replayed: undefined });
    const again = await create('tea', 'first');
    expect(again).toEqual({ ...first, replayed: 'true' });
    expect(await countNamed('tea')).toBe(1);
    await eventually(() => heard.includes('tea'));
    expect(heard.filter((name) => name === 'tea')).toHaveLength(1);
  });
  test('is the same request in any notation of its JSON', async () => {
    const send = async (body: string) =>
      request(system.internalUrl)
        .post('/api/v1/things')
        .set(await system.as(principal))
        .set({ 'content-type': 'application/json', 'idempotency-key': 'spelling' })
        .send(body);
    expect((await send('{"name":"caf\\u00e9","n":[1,{"a":1,"b":2}]}')).status).toBe(201);
    const again = await send(' { "n":[1.0,{"b":2,"a":1}], "name" : "café" } ');
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect((await send('{"name":"café","n":[{"a":1,"b":2},1]}')).body.code).toBe('idempotency_key_reused');
  });
  test('422 with another body, and nothing changes', async () => {
    await create('one', 'reused');
    expect(await create('two', 'reused')).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
    expect(await countNamed('two')).toBe(0);
  });
  test.each(['', 'a b', 'é', 'x'.repeat(256), 'a\tb'])('400 for the key %p', async (key) => {
    const reply = await create('never', key).catch((error) => error);
    if (reply instanceof Error) expect(reply.message).toMatch(/Invalid character in header/);
    else expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_idempotency_key' } });
    expect(await countNamed('never')).toBe(0);
  });
  test('allows every visible character, and 255 of them', async () => {
    const visible = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).join('');
    for (const key of [visible, 'x'.repeat(255)]) expect((await create(`by ${key}`, key)).status).toBe(201);
  });
  test('is a different request with another store, method or path', async () => {
    const { body } = await create('here', 'shared');
    const who = { ...principal, storeId: 'str_2' };
    expect(
      (await ask('post', 'things', { key: 'shared', json: { name: 'here' }, who })).replayed,
    ).toBeUndefined();
    const path = `things/${body.thing.id}`;
    expect((await ask('put', path, { key: 'shared', json: { name: 'here' } })).replayed).toBeUndefined();
    expect(await ask('delete', path, { key: 'shared' })).toMatchObject({
      status: 204,
      replayed: undefined,
    });
    expect(await ask('delete', path, { key: 'shared' })).toMatchObject({
      status: 204,
      replayed: 'true',
      text: '',
    });
    expect((await ask('delete', path, { key: 'other' })).status).toBe(404);
  });
  test('is a different request for each caller; the tokens of one install are one caller', async () => {
    const { scopes } = principal as Extract<Principal, { kind: 'apiKey' }>;
    const { storeId } = principal as { storeId: string };
    const app = { kind: 'app', storeId, appId: 'app_1', scopes } as const;
    const senders: Principal[] = [
      principal,
      { ...principal, keyId: 'key_2' } as Principal,
      { ...app, installId: 'ins_1' },
      { ...app, installId: 'ins_2' },
    ];
    const ids = [];
    for (const [i, who] of senders.entries()) {
      const created = await ask('post', 'things', { key: 'by-whom', json: { name: `by ${i}` }, who });
      expect(created).toMatchObject({ status: 201, replayed: undefined });
      ids.push(created.body.thing.id);
    }
    expect(new Set(ids).size).toBe(senders.length);
    const again = {
      key: 'by-whom',
      json: { name: 'by 2' },
      who: { ...app, installId: 'ins_1' } as Principal,
    };
    expect(await ask('post', 'things', again)).toMatchObject({ status: 201, replayed: 'true' });
  });
  test('stores a conflict, and no other refusal', async () => {
    await create('taken');
    const refused = await create('taken', 'conflict');
    expect(refused).toMatchObject({ status: 409, body: { code: 'duplicate_slug' } });
    const { body } = await ask('get', 'things');
    const { id } = body.things.find(({ name }: { name: string }) => name === 'taken');
    await ask('delete', `things/${id}`);
    expect(await create('taken', 'conflict')).toEqual({ ...refused, replayed: 'true' });

    expect((await create('wrong', 'mended')).status).toBe(400);
    expect(await countNamed('wrong')).toBe(0);
    expect((await create('right', 'mended')).status).toBe(201);
  });
  test('works with If-Match: the retry is answered although the state has changed since', async () => {
    const { body, etag } = await create('guarded');
    const options = { key: 'with-if-match', ifMatch: etag as string, json: { name: 'guarded well' } };
    const first = await ask('put', `things/${body.thing.id}`, options);
    expect(first.status).toBe(200);
    expect(await ask('put', `things/${body.thing.id}`, options)).toEqual({ ...first, replayed: 'true' });
    const stale = await ask('put', `things/${body.thing.id}`, { ...options, key: 'stale' });
    expect(stale).toMatchObject({ status: 412, etag: first.etag });
  });
});

describe('at the same time', () => {
  test('409 with Retry-After while the first one is still running', async () => {
    let running = () => {};
    const isRunning = new Promise<void>((resolve) => {
      running = resolve;
    });
    let finish = () => {};
    const isFinished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    hooks.beforeWrite = () => {
      running();
      return isFinished;
    };
    const first = create('late', 'running');
    await isRunning;
    const second = await create('late', 'running');
    expect(second).toMatchObject({
      status: 409,
      retryAfter: '1',
      body: { code: 'idempotency_in_progress' },
    });
    expect(await countNamed('late')).toBe(0);
    finish();
    expect((await first).status).toBe(201);
    expect(await create('late', 'running')).toMatchObject({ status: 201, replayed: 'true' });
  });
  test('50 requests with one key make one change', async () => {
    const replies = await Promise.all(Array.from({ length: 50 }, () => create('slow one', 'fifty')));
    const created = replies.filter(({ status, replayed }) => status === 201 && !replayed);
    expect(created).toHaveLength(1);
    for (const { status, text, replayed, body } of replies) {
      if (status === 201) expect(replayed === 'true' || text === created[0]!.text).toBe(true);
      else expect(body.code).toBe('idempotency_in_progress');
    }
    expect(await countNamed('slow one')).toBe(1);
  });
});

/** A client repeats a request, and the first one ends after the second has looked for its answer. */
describe('the same request that ends meanwhile', () => {
  async function sql<Row>(text: string): Promise<Row[]> {
    const { default: pg } = await import('pg');
    const client = new pg.Client(system.databaseUrl('things'));
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows as Row[];
  }
  /** Removes the existing answers, as if their requests had not ended. Returns the function that restores them. */
  async function notYetEnded() {
    await sql('create table not_yet as select * from idempotent_answer');
    await sql('delete from idempotent_answer');
    return () => sql('insert into idempotent_answer select * from not_yet; drop table not_yet');
  }

  test('gets that result, not a refusal that it caused', async () => {
    const { body } = await create('moved once');
    const path = `things/${body.thing.id}`;
    const write = { key: 'meanwhile', json: { name: 'moved twice' } };
    const first = await ask('put', path, write);
    const end = await notYetEnded();
    hooks.beforeWrite = async () => {
      await end();
      await sql(`delete from thing where id = '${body.thing.id}'`);
    };
    expect(await ask('put', path, write)).toEqual({ ...first, replayed: 'true' });
    expect(await ask('put', path, { ...write, key: 'a-new-one' })).toMatchObject({ status: 404 });
  });

  test('also if the handler commits by itself and refuses before that', async () => {
    const write = { key: 'meanwhile-gathered', json: { name: 'refused the second time' } };
    const first = await ask('post', 'gathered-things', write);
    expect(first.status).toBe(201);
    hooks.beforeWrite = await notYetEnded();
    expect(await ask('post', 'gathered-things', write)).toEqual({ ...first, replayed: 'true' });
  });

  test('also if the guard refuses the new state', async () => {
    const write = { key: 'meanwhile-guarded', json: { name: 'guarded once' } };
    const first = await ask('post', 'gathered-things', write);
    const end = await notYetEnded();
    hooks.guard = async () => {
      await end();
      throw errors.invalid_state();
    };
    expect(await ask('post', 'gathered-things', write)).toEqual({ ...first, replayed: 'true' });
    hooks.guard = () => Promise.reject(errors.invalid_state());
    expect((await ask('post', 'gathered-things', { ...write, key: 'of-no-answer' })).status).toBe(409);
  });
});

describe('written with others', () => {
  const gather = (name: string, key?: string) => ask('post', 'gathered-things', { key, json: { name } });
  type Reply = Awaited<ReturnType<typeof ask>>;

  /** Sends requests while a transaction is running, so that they share the next one. */
  async function together(asks: () => Promise<Reply>[]): Promise<Reply[]> {
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    hooks.beforeWrite = () => gate;
    const { requests, batches } = gathering;
    const first = gather(`late ${requests}`);
    const begun = batches.length;
    await eventually(() => batches.length === begun + 1);
    const all = asks();
    await eventually(() => gathering.requests === requests + 1 + all.length);
    hooks.beforeWrite = null;
    go();
    expect((await first).status).toBe(201);
    return Promise.all(all);
  }

  test('many keys share one transaction, and each is answered as the first time', async () => {
    const ask = () => [...'abcdefgh'].map((letter) => gather(letter, `together-${letter}`));
    const first = await together(() => [...ask(), gather('without a key')]);
    expect(first.map(({ status, replayed }) => [status, replayed])).toEqual(Array(9).fill([201, undefined]));
    expect(gathering.batches.at(-1)).toBe(9);
    const again = await Promise.all(ask());
    expect(again).toEqual(first.slice(0, 8).map((reply) => ({ ...reply, replayed: 'true' })));
    for (const letter of 'abcdefgh') expect(await countNamed(letter)).toBe(1);
  });
  test('one key among them makes one change', async () => {
    const replies = await together(() => Array.from({ length: 20 }, () => gather('only one', 'twenty')));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { body, status, retryAfter } of replies)
      if (status !== 201) expect([body.code, retryAfter]).toEqual(['idempotency_in_progress', '1']);
    expect(await countNamed('only one')).toBe(1);
    expect(await gather('only one', 'twenty')).toMatchObject({ status: 201, replayed: 'true' });
  });
  test('a refusal of one does not affect the others, and is not stored', async () => {
    await gather('of before');
    const replies = await together(() => [
      gather('after', 'after'),
      gather('of before'),
      gather('none', 'none'),
    ]);
    expect(replies).toMatchObject([
      { status: 201 },
      { status: 409, body: { code: 'duplicate_slug' } },
      { status: 400, body: { code: 'invalid_price' } },
    ]);
    expect(await gather('after', 'after')).toEqual({ ...replies[0], replayed: 'true' });
    expect(await gather('one now', 'none')).toMatchObject({ status: 201, replayed: undefined });
  });
  test('422 with another body; a conflict is kept', async () => {
    await gather('gathered', 'gathered');
    expect(await gather('another', 'gathered')).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
    const refused = await gather('gathered', 'gathered-twice');
    expect(refused).toMatchObject({ status: 409, body: { code: 'duplicate_slug' } });
    expect(await gather('gathered', 'gathered-twice')).toEqual({ ...refused, replayed: 'true' });
  });
});

describe('refused by a guard', () => {
  const gather = (json: object, key: string) => ask('post', 'gathered-things', { key, json });
  const isReused = { status: 422, body: { code: 'idempotency_key_reused' } };

  test('stores a conflict, which is given again when the guard has no objection', async () => {
    const bodies = { valid: { name: 'held' }, invalid: { name: '' } };
    for (const [key, json] of Object.entries(bodies)) {
      hooks.guard = () => Promise.reject(errors.invalid_state());
      const refused = await gather(json, `held-${key}`);
      expect(refused).toMatchObject({ status: 409, body: { code: 'invalid_state' }, replayed: undefined });
      expect(await gather(json, `held-${key}`)).toEqual({ ...refused, replayed: 'true' });
      hooks.guard = null;
      expect(await gather(json, `held-${key}`)).toEqual({ ...refused, replayed: 'true' });
      for (const other of [{ name: 'another' }, { name: 1 }])
        expect(await gather(other, `held-${key}`)).toMatchObject(isReused);
    }
    expect(await countNamed('held')).toBe(0);
    expect((await gather(bodies.valid, 'held-later')).status).toBe(201);
  });

  test('stores no other refusal', async () => {
    hooks.guard = () => Promise.reject(errors.not_found());
    expect((await gather({ name: 'mended' }, 'not-found')).status).toBe(404);
    hooks.guard = null;
    expect((await gather({ name: '' }, 'not-found')).status).toBe(400);
    expect((await gather({ name: 'mended' }, 'not-found')).status).toBe(201);
  });
});

describe('a stored response', () => {
  const readRows = () =>
    withServerClient(async () => {
      const { default: pg } = await import('pg');
      const client = new pg.Client(system.databaseUrl('things'));
      await client.connect();
      const { rows } = await client.query('select answer, key_hash from idempotent_answer');
      await client.end();
      return rows as { answer: Buffer; key_hash: Buffer }[];
    });

  test('is not readable in the database', async () => {
    const { body } = await create('unreadable name', 'sealed');
    expect(body.secret).toMatch(/^of /);
    for (const { answer } of await readRows()) {
      expect(answer.toString('latin1')).not.toMatch(/unreadable|secret|sealed/);
    }
  });
  test('expires after a day, and the request is a new one', async () => {
    const { body } = await create('yesterday', 'old');
    await ask('delete', `things/${body.thing.id}`);
    await runSql(system, 'things', `update idempotent_answer set created_at = now() - interval '25 hours'`);
    const again = await create('yesterday', 'old');
    expect(again).toMatchObject({ status: 201, replayed: undefined });
    expect((await readRows()).length).toBeGreaterThan(1);
    await system.restart();
    await eventually(async () => (await readRows()).length === 1);
    expect(await create('yesterday', 'old')).toEqual({ ...again, replayed: 'true' });
  });
});

test('a store may store a limited number of bytes; requests beyond that are refused and change nothing', async () => {
  expect((await create('within', 'within')).status).toBe(201);
  const fill = (bytes: number) =>
    runSql(
      system,
      'things',
      `insert into idempotent_bytes (owner_id, day, slot, bytes) values ('${principal.storeId}', current_date, 99, ${bytes})
     on conflict (owner_id, day, slot) do update set bytes = excluded.bytes`,
    );
  await fill(1024 ** 3);
  const refused = await create('beyond', 'beyond');
  expect([refused.status, refused.body]).toEqual([
    413,
    expect.objectContaining({
      code: 'quota_exceeded',
      limit: 1024 ** 3,
      used: expect.any(Number),
      incoming: expect.any(Number),
    }),
  ]);
  expect(await countNamed('beyond')).toBe(0);
  // Requests that need no room succeed.
  expect((await create('within', 'within')).replayed).toBe('true');
  expect((await create('needs no key')).status).toBe(201);
  await fill(0);
  expect((await create('beyond', 'beyond')).status).toBe(201);
});
