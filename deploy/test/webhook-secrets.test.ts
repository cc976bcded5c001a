import { createHmac } from 'node:crypto';
import { eventually, type ReceivedCall, runSql } from '@waybill/testing';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { startWebhooks, type Webhooks } from './webhook-stores.ts';

let hooks: Webhooks;
let system: Webhooks['system'];
let newStore: Webhooks['newStore'];
beforeAll(async () => {
  hooks = await startWebhooks();
  ({ system, newStore } = hooks);
});
afterAll(() => hooks.stop());

describe('a secret that is rotated', () => {
  const verifies = (secret: string, { headers, body }: ReceivedCall) => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };
  const oursOf = (secret: string, { headers, body }: ReceivedCall) => {
    const seconds = Math.floor(Date.parse(String(headers['x-wb-timestamp'])) / 1000);
    return `sha256=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
  };
  /** Returns the next call of a store's endpoint. */
  async function nextCall(store: ReturnType<typeof newStore>): Promise<ReceivedCall> {
    const before = store.calls().length;
    await store.createProduct();
    await eventually(() => store.calls().length > before);
    return store.calls().at(-1)!;
  }
  /**
   * Returns whether each of these secrets verifies the next call, and which secret each of Waybill's two headers is
   * made with.
   */
  async function signedWith(store: ReturnType<typeof newStore>, secrets: string[]) {
    const call = await nextCall(store);
    const madeWith = (header: string) => {
      const signature = call.headers[header];
      return signature && secrets.findIndex((secret) => oursOf(secret, call) === signature);
    };
    return {
      verified: secrets.map((secret) => verifies(secret, call)),
      ours: [madeWith('x-wb-signature'), madeWith('x-wb-signature-next')],
    };
  }

  test('is beside the old one during the overlap, and alone when that is over', async () => {
    const store = newStore();
    const { webhook, secret: old } = await store.subscribe();
    const path = `/webhooks/${webhook.id}`;
    const before = Date.now();
    const rotated = await store.send('post', `${path}/rotate-secret`, { overlapHours: 2 });
    expect(rotated.status).toBe(200);
    const { secret: next, webhook: shown } = rotated.body;
    expect(next).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(next).not.toBe(old);
    const endsIn = Date.parse(shown.previousSecretExpiresAt) - before;
    expect(Math.abs(endsIn - 7_200_000)).toBeLessThan(60_000);
    expect((await store.send('get', path)).body).toEqual({ webhook: shown });
    expect(await signedWith(store, [old, next])).toEqual({ verified: [true, true], ours: [0, 1] });

    // A replacement in the meantime keeps both secrets.
    await store.send('put', path, { ...shown, description: 'Mine' });
    expect(await signedWith(store, [old, next])).toEqual({ verified: [true, true], ours: [0, 1] });

    const ago = `update webhook_endpoint set previous_secret_expires_at = now() where id = '${webhook.id}'`;
    await runSql(system, 'webhooks', ago);
    expect(await signedWith(store, [old, next])).toEqual({ verified: [false, true], ours: [1, undefined] });
    expect((await store.send('get', path)).body.webhook.previousSecretExpiresAt).toBeNull();
    expect((await store.send('post', `${path}/rotate-secret/finish`)).body.code).toBe('invalid_state');
  });

  test('cannot be rotated again during the overlap, but without one, or when it was finished', async () => {
    const store = newStore();
    const { webhook, secret: first } = await store.subscribe();
    const path = `/webhooks/${webhook.id}/rotate-secret`;
    expect((await store.send('post', `${path}/finish`)).body.code).toBe('invalid_state');
    // 24 hours by default, and with an empty body.
    const { secret: second, webhook: shown } = (await store.send('post', path)).body;
    const hours = (Date.parse(shown.previousSecretExpiresAt) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    for (const body of [{}, { overlapHours: 1 }]) {
      expect(await store.send('post', path, body)).toMatchObject({
        status: 409,
        body: { code: 'invalid_state' },
      });
    }
    const { secret: third, webhook: alone } = (await store.send('post', path, { overlapHours: 0 })).body;
    expect(alone.previousSecretExpiresAt).toBeNull();
    const all = [first, second, third];
    expect(await signedWith(store, all)).toMatchObject({ verified: [false, false, true] });

    const { secret: fourth } = (await store.send('post', path, { overlapHours: 168 })).body;
    expect(await signedWith(store, [third, fourth])).toMatchObject({ verified: [true, true] });
    const finished = await store.send('post', `${path}/finish`);
    expect(finished.body.webhook.previousSecretExpiresAt).toBeNull();
    expect(await signedWith(store, [third, fourth])).toMatchObject({ verified: [false, true] });
  });

  test('is in no other answer, sealed in the database, and the old one is gone from there with the overlap', async () => {
    const store = newStore();
    const { webhook, secret } = await store.subscribe();
    const path = `/webhooks/${webhook.id}`;
    const rotated = (await store.send('post', `${path}/rotate-secret`)).body.secret;
    const client = new pg.Client(system.databaseUrl('webhooks'));
    await client.connect();
    try {
      const read = async () =>
        (await client.query('select * from webhook_endpoint where id = $1', [webhook.id])).rows[0];
      expect((await read()).sealed_previous_secret).toMatch(/^[A-Za-z0-9_-]{80,}$/);
      for (const text of [JSON.stringify(await read()), (await store.send('get', path)).text]) {
        for (const each of [secret, rotated]) expect(text).not.toContain(each.slice(6));
      }
      await store.send('post', `${path}/rotate-secret/finish`);
      expect((await read()).sealed_previous_secret).toBeNull();
    } finally {
      await client.end();
    }
  });

  test('stays what it was where its answer cannot be made, and holds up nobody until then', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    const path = `/webhooks/${webhook.id}/rotate-secret`;
    const client = new pg.Client(system.databaseUrl('identity'));
    await client.connect();
    try {
      await client.query('begin; lock table api_key in access exclusive mode');
      const refused = store.send('post', path, {}, { 'idempotency-key': 'asked-once' });
      await eventually(async () => {
        const { rowCount } = await client.query('select from pg_locks where not granted');
        return rowCount! > 0;
      });
      // As the code that records the results of calls does.
      const lock = `select from webhook_endpoint where id = '${webhook.id}' for update nowait`;
      await runSql(system, 'webhooks', lock);
      expect((await refused).status).toBe(503);
      await client.query('commit');
    } finally {
      await client.end();
    }
    const rotated = await eventually(async () => {
      const res = await store.send('post', path);
      return res.status === 503 ? null : res;
    });
    expect(rotated.status).toBe(200);
  });

  test('400 for an overlap that is none, 404 for another store’s webhook', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    const path = `/webhooks/${webhook.id}/rotate-secret`;
    for (const overlapHours of [-1, 169, '24', null, [24]]) {
      expect((await store.send('post', path, { overlapHours })).body.code).toBe('invalid_body');
    }
    for (const each of [path, `${path}/finish`]) {
      expect((await newStore().send('post', each, {})).status).toBe(404);
    }
  });
});
