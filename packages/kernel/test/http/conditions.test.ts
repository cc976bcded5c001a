import { newId } from '@waybill/contracts';
import { eventually, runSql, startSystem, type TestSystem, waitUntilBlocked } from '@waybill/testing';
import { sql } from 'kysely';
import request from 'supertest';
import { openDatabase } from '../../src/index.ts';
import { heard, hooks, principal, renamed, things } from '../things.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([things]);
  heard.length = 0;
  renamed.length = 0;
});
afterAll(() => system.stop());

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

async function ask(method: Method, path: string, headers: Record<string, string> = {}, json?: object) {
  const call = request(system.internalUrl)
    [method](`/api/v1/${path}`)
    .set(await system.as(principal))
    .set(headers);
  const { status, body, headers: answered } = await (json ? call.send(json) : call);
  return { status, body, etag: answered.etag as string | undefined };
}
const read = (id: string, headers = {}) => ask('get', `things/${id}`, headers);
const replace = (id: string, name: string, headers = {}) => ask('put', `things/${id}`, headers, { name });

let count = 0;
/** Creates a new thing for each test. */
async function createThing() {
  const reply = await ask('post', 'things', {}, { name: `thing ${++count}` });
  expect(reply.status).toBe(201);
  return { id: reply.body.thing.id as string, etag: reply.etag! };
}

describe('the ETag of an item', () => {
  test('is strong, and the same in every answer that shows the same state', async () => {
    const { id, etag } = await createThing();
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect((await read(id)).etag).toBe(etag);
    const replaced = await replace(id, 'another');
    expect(replaced.etag).not.toBe(etag);
    expect((await read(id)).etag).toBe(replaced.etag);
    const answer = await ask('get', `things/${id}/name`);
    expect(answer).toMatchObject({ status: 200, etag: expect.stringMatching(/^"/) });
  });
  test('identifies the stored state, not computed fields', async () => {
    const { id, etag } = await createThing();
    expect((await ask('post', `things/${id}/look`)).etag).toBe(etag);
    const known = await read(id, { 'if-none-match': etag });
    expect(known).toMatchObject({ status: 200, etag, body: { thing: { looks: 1 } } });
  });
  test('comes from the item’s GET if an answer contains less', async () => {
    const { id } = await createThing();
    const renamed = await ask('patch', `things/${id}/alias`, {}, { name: `alias of ${id}` });
    expect(renamed.body).toEqual({ thing: { id } });
    expect(renamed.etag).toBe((await read(id)).etag);
  });
  test('is on no list, no refusal and no empty answer', async () => {
    const { id } = await createThing();
    expect((await ask('get', 'things')).etag).toBeUndefined();
    expect((await read(newId('product'))).etag).toBeUndefined();
    expect((await ask('delete', `things/${id}`)).etag).toBeUndefined();
  });
  test('spares a client with the current state the body', async () => {
    const { id } = await createThing();
    const { etag } = await ask('get', `things/${id}/name`);
    for (const known of [etag!, `"x", ${etag}`, `W/${etag}`, '*']) {
      const reply = await ask('get', `things/${id}/name`, { 'if-none-match': known });
      expect(reply).toMatchObject({ status: 304, etag });
    }
    expect((await ask('get', `things/${id}/name`, { 'if-none-match': '"x"' })).status).toBe(200);
  });
});

describe('If-Match', () => {
  test('allows a change of the state that was read', async () => {
    const { id, etag } = await createThing();
    for (const ifMatch of [etag, `"x", ${(await read(id)).etag}`]) {
      expect((await replace(id, 'a name', { 'if-match': ifMatch })).status).toBe(200);
      await replace(id, `thing of ${id}`, { 'if-match': '*' });
      await ask(
        'patch',
        `things/${id}/alias`,
        { 'if-match': (await read(id)).etag! },
        { name: `thing ${count}` },
      );
    }
    expect((await ask('delete', `things/${id}`, { 'if-match': (await read(id)).etag! })).status).toBe(204);
  });
  test.each(['"stale"', 'W/{etag}', 'nonsense', ''])(
    '412 for %p, with the present ETag, and nothing changes',
    async (sent) => {
      const { id, etag } = await createThing();
      const headers = { 'if-match': sent.replace('{etag}', etag) };
      for (const reply of [
        await replace(id, 'lost', headers),
        await ask('delete', `things/${id}`, headers),
      ]) {
        expect(reply).toMatchObject({ status: 412, etag, body: { code: 'precondition_failed' } });
      }
      expect((await read(id)).etag).toBe(etag);
    },
  );
  test('404 for a missing item, with any ETag', async () => {
    for (const ifMatch of ['"x"', '*']) {
      expect((await replace(newId('product'), 'x', { 'if-match': ifMatch })).status).toBe(404);
      expect((await ask('delete', 'forgettable/nothing', { 'if-match': ifMatch })).status).toBe(404);
    }
  });
  test('an invalid body is reported first', async () => {
    const { id } = await createThing();
    expect((await ask('put', `things/${id}`, { 'if-match': '"x"' }, { name: 1 })).status).toBe(400);
  });
  test('refuses any ETag of an item without a GET', async () => {
    const { id } = await createThing();
    const { name } = (await read(id)).body.thing;
    const path = `forgettable/${encodeURIComponent(name)}`;
    expect((await ask('delete', path, { 'if-match': '"x"' })).body.code).toBe('precondition_failed');
    expect((await read(id)).status).toBe(200);
    expect((await ask('delete', path, { 'if-match': '*' })).status).toBe(204);
  });
  test('a change that is overtaken after the comparison is refused', async () => {
    const { id, etag } = await createThing();
    hooks.beforeWrite = () => replace(id, 'the other');
    const late = await replace(id, 'the late one', { 'if-match': etag });
    expect(late).toMatchObject({ status: 412, etag: (await read(id)).etag });
    expect((await read(id)).body.thing.name).toBe('the other');
  });
  test('with a lock, the comparison runs under it and sees the state that the change will find', async () => {
    const { id, etag } = await createThing();
    const url = system.databaseUrl('things');
    const db = openDatabase<unknown>({ service: 'test', url, poolSize: 1 });
    const alias = (name: string, ifMatch: string) =>
      ask('patch', `things/${id}/alias`, { 'if-match': ifMatch }, { name });
    let late: ReturnType<typeof alias> | undefined;
    try {
      await db.transaction().execute(async (trx) => {
        await sql`update thing set name = ${`another ${id}`} where id = ${id}`.execute(trx);
        late = alias(`late ${id}`, etag);
        await waitUntilBlocked(url);
      });
    } finally {
      await db.destroy();
    }
    const present = (await read(id)).etag!;
    expect(await late).toMatchObject({ status: 412, etag: present });
    expect(renamed).not.toContain(`late ${id}`);
    expect((await alias(`in time ${id}`, present)).status).toBe(200);
  });
  test('computed fields may change in the meantime', async () => {
    const { id, etag } = await createThing();
    hooks.beforeWrite = () => ask('post', `things/${id}/look`);
    expect((await replace(id, 'renamed', { 'if-match': etag })).status).toBe(200);
    expect((await read(id)).body.thing).toMatchObject({ name: 'renamed', looks: 1 });
  });
  test('of 50 writers with one ETag exactly one wins, and only its event goes out', async () => {
    const { id, etag } = await createThing();
    const names = Array.from({ length: 50 }, (_, i) => `writer ${i}`);
    const replies = await Promise.all(names.map((name) => replace(id, name, { 'if-match': etag })));
    const winners = names.filter((_, i) => replies[i]!.status === 200);
    expect(replies.filter(({ status }) => status === 412)).toHaveLength(49);
    expect((await read(id)).body.thing.name).toBe(winners[0]);
    const listHeard = () => heard.filter((name) => names.includes(name));
    await eventually(() => listHeard().length > 0);
    expect(listHeard()).toEqual(winners);
  });
  test('a name that was taken in the meantime is still a conflict', async () => {
    const [one, other] = [await createThing(), await createThing()];
    const { name } = (await read(other.id)).body.thing;
    expect((await replace(one.id, name, { 'if-match': one.etag })).body.code).toBe('duplicate_slug');
    expect((await read(one.id)).etag).toBe(one.etag);
  });
});

describe('If-None-Match of a PUT', () => {
  test('412 for an existing item, with its ETag, and nothing changes', async () => {
    const { id, etag } = await createThing();
    for (const known of ['*', etag]) {
      const reply = await replace(id, 'lost', { 'if-none-match': known });
      expect(reply).toMatchObject({ status: 412, etag, body: { code: 'precondition_failed' } });
    }
    expect((await read(id)).etag).toBe(etag);
    expect((await replace(id, `not ${id}`, { 'if-none-match': '"x"' })).status).toBe(200);
  });
  test('404 for a missing item that the route cannot create', async () => {
    expect((await replace(newId('product'), 'x', { 'if-none-match': '*' })).status).toBe(404);
  });
  test('is ignored by PATCH and DELETE', async () => {
    const { id } = await createThing();
    expect((await ask('delete', `things/${id}`, { 'if-none-match': '*' })).status).toBe(204);
  });
});

test('no transaction is left open', async () => {
  const noneIsOpen = `do $$ begin assert not exists (select from pg_stat_activity
  where datname = current_database() and state like 'idle in transaction%'); end $$`;
  // A transaction of the relay may be under way.
  await eventually(() => runSql(system, 'things', noneIsOpen).then(() => true));
});
