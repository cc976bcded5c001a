import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@waybill/contracts';
import { eventually, openTestDatabase, type TestSystem } from '@waybill/testing';
import { startFauxqs } from 'fauxqs';
import { CompiledQuery, type Kysely } from 'kysely';
import { newLibrary, startMedia } from './library.ts';
import { photo, samples } from './samples.ts';

/** Starts an S3 server that accepts DELETE requests without answering them while `isStalled`. */
async function startStallingServer() {
  const server = await startFauxqs({ port: 0, logger: false });
  const state = { isStalled: false, deletes: 0 };
  const proxy = http.createServer((req, res) => {
    if (req.method === 'DELETE') state.deletes++;
    if (req.method === 'DELETE' && state.isStalled) return void req.resume();
    const { method, url, headers } = req;
    const onward = http.request(
      { host: '127.0.0.1', port: server.port, method, path: url, headers },
      (reply) => {
        res.writeHead(reply.statusCode!, reply.headers);
        reply.pipe(res);
      },
    );
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    state,
    endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async stop() {
      proxy.closeAllConnections();
      proxy.close();
      await server.stop();
    },
  };
}

let server: Awaited<ReturnType<typeof startStallingServer>>;
let system: TestSystem;
let db: Kysely<unknown>;
beforeAll(async () => {
  server = await startStallingServer();
  system = await startMedia({
    S3_ENDPOINT: server.endpoint,
    S3_BUCKET: 'waybill-media',
    S3_ACCESS_KEY_ID: 'test',
    S3_SECRET_ACCESS_KEY: 'test',
  });
  db = await openTestDatabase(system.databaseUrl('media'));
});
afterAll(async () => {
  await db.destroy();
  await system.stop();
  await server.stop();
});

async function query<Row>(sql: string, values: unknown[] = []) {
  return (await db.executeQuery<Row>(CompiledQuery.raw(sql, values))).rows;
}

test('a hanging DELETE blocks only the bytes that it removes', async () => {
  const library = await newLibrary(system);
  const { storeId } = library;
  await library.upload(samples.png!.bytes).expect(201);
  const bytes = await photo(90, 70);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await query(
    `with reserved as (
       insert into media_reservation (store_id, id, sha256, size_bytes, expires_at)
       values ($1, $2, $3, 1000, now() - interval '1 second')
     ) update media_usage set used_bytes = used_bytes + 1000 where store_id = $1`,
    [storeId, newId('mediaAsset'), sha256],
  );
  const usage = async () =>
    (
      await query<{ used_bytes: number }>('select used_bytes from media_usage where store_id = $1', [storeId])
    )[0]!.used_bytes;
  server.state.isStalled = true;
  const before = server.state.deletes;
  await system.restart();
  await eventually(() => server.state.deletes > before);

  // Its reservation is free, others can upload, and no connection waits in a transaction.
  expect(await usage()).toBe(samples.png!.bytes.length);
  const began = Date.now();
  await library.upload(await photo(80, 60)).expect(201);
  expect(Date.now() - began).toBeLessThan(5_000);
  const waiting = `select 1 from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction' and pid <> pg_backend_pid()`;
  await sleep(200);
  expect(await query(waiting)).toEqual([]);
  // The same bytes are refused, because they could be gone after they were stored.
  const same = await library.upload(bytes);
  expect(same).toMatchObject({ status: 503, body: { code: 'resource_unavailable' } });

  server.state.isStalled = false;
  await query(`update media_reservation set expires_at = now() where store_id = $1`, [storeId]);
  await eventually(async () => (await library.upload(bytes)).status === 201);
  const { body } = await library.get('/api/v1/media');
  for (const { url, sizeBytes } of body.media) {
    const reply = await fetch(`${system.internalUrl}${url}`);
    expect((await reply.arrayBuffer()).byteLength).toBe(sizeBytes);
  }
  expect(await query('select 1 from media_reservation where store_id = $1', [storeId])).toEqual([]);
});

test('a variant is served even if the one that it replaces cannot be removed', async () => {
  const library = await newLibrary(system);
  const { body } = await library.upload(await photo(700, 500)).expect(201);
  const get = (w: number) => fetch(`${system.internalUrl}${body.media.url}?w=${w}`);
  const etag = `"${body.media.sha256}-w480.jpeg"`;
  expect((await get(320)).status).toBe(200);
  // Simulate a full share: there is room only without this variant.
  await query('update media_usage set variant_bytes = 268435456 where store_id = $1', [library.storeId]);
  await query('update media_variant set size_bytes = 268435456 where store_id = $1', [library.storeId]);
  server.state.isStalled = true;
  const [stalled, other] = await Promise.all([
    get(480),
    sleep(1000).then(() => library.upload(samples.jpeg!.bytes)),
  ]);
  expect([stalled.status, stalled.headers.get('etag'), other.status]).toEqual([200, etag, 201]);
  server.state.isStalled = false;
  const age = `update media_variant set changed_at = date_trunc('second', now() - interval '1 hour')
    where store_id = $1`;
  await query(age, [library.storeId]);
  await system.restart();
  await eventually(async () => {
    const rows = await query<{ variant_bytes: number }>(
      'select variant_bytes from media_usage where store_id = $1',
      [library.storeId],
    );
    return rows[0]!.variant_bytes === 0;
  });
  expect((await get(480)).headers.get('etag')).toBe(etag);
  expect(await query('select name from media_variant where store_id = $1', [library.storeId])).toEqual([
    { name: 'w480.jpeg' },
  ]);
});
