import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@waybill/testing';
import { expectStatus, newKey, newPerson, newStore } from '../../testing/accounts.ts';
import { type Caller, createCaller } from '../../testing/client.ts';
import { boundary, download, formOf, jpegOf, upload } from '../../testing/uploads.ts';
import { processEnv } from '../process-env.ts';
import { exchange } from './raw.ts';
import { type SharedSystem, topologies } from './topologies.ts';

const mebibyte = 1024 * 1024;
const limit = 25 * mebibyte;
const list = '/api/v1/media';

describe.each(topologies)('$name', ({ share }) => {
  let system: SharedSystem;
  let call: Caller;
  let key: string;
  beforeAll(async () => {
    system = await share();
    await useNewStore();
  });

  async function useNewStore() {
    const owner = await newPerson(system.baseUrl);
    const storeId = await newStore(owner);
    key = (await newKey(owner, storeId, ['media.read', 'media.write', 'products.read', 'products.write']))
      .secret;
    call = createCaller(system.baseUrl, key);
  }
  const send = (sizeBytes: number) => upload(system.baseUrl, key, formOf(jpegOf(sizeBytes)));

  test('a file is uploaded, served at its URL, in ranges, resized and from the trash, and used by a product', async () => {
    const { status, body } = await send(3 * mebibyte);
    expect([status, body.media]).toMatchObject([201, { kind: 'image', sizeBytes: 3 * mebibyte, width: 16 }]);
    const { id, url } = body.media;
    expect(url.startsWith(`${system.baseUrl}/media/`)).toBe(true);
    const whole = await download(url);
    expect(whole).toMatchObject({
      status: 200,
      headers: { 'content-type': 'image/jpeg', 'cache-control': expect.stringContaining('immutable') },
    });
    expect(whole.bytes).toHaveLength(3 * mebibyte);
    const part = await download(url, { range: 'bytes=1000000-1999999' });
    expect([part.status, part.bytes.equals(whole.bytes.subarray(1_000_000, 2_000_000))]).toEqual([206, true]);
    expect((await download(url, { 'if-none-match': whole.headers.etag! })).status).toBe(304);

    const { product } = expectStatus(
      await call('POST', '/api/v1/products', { name: 'Tea', mediaIds: [id] }),
      201,
    ).body;
    expect(product.media).toEqual([{ id, url }]);
    expectStatus(await call('DELETE', `${list}/${id}`), 204);
    expect((await download(url)).status).toBe(200);
    expectStatus(await call('POST', `${list}/${id}/restore`), 200);
  });

  test('a too large file is refused, and a client that sends all of it gets the reason', async () => {
    for (const sizeBytes of [limit + 1, 40 * mebibyte]) {
      const body = Buffer.concat([...formOf(jpegOf(sizeBytes))]);
      const head =
        `POST ${list} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${body.length}\r\n\r\n`;
      const next = `GET ${list}?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`;
      // The client sends all of it, and the next request too, before it reads anything.
      const reply = await exchange(
        system.baseUrl,
        Buffer.concat([Buffer.from(head), body, Buffer.from(next)]),
        {
          pauseMs: 20_000,
        },
      );
      expect(reply.statuses).toEqual([413, 200]);
      expect(reply.body.code).toBe('file_too_large');
    }
  });

  test('every process is told how to use memory before it starts', async () => {
    for (const pid of system.pids) {
      const environment = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0');
      for (const [name, value] of Object.entries(processEnv)) {
        expect([pid, environment]).toEqual([pid, expect.arrayContaining([`${name}=${value}`])]);
      }
    }
  });

  test('stalled uploads are answered 408, and free their places', async () => {
    await useNewStore();
    const stallOnce = async () => {
      const stall = new AbortController();
      async function* stalling() {
        yield* [...formOf(jpegOf(100_000))].slice(0, 2);
        await sleep(120_000, null, { signal: stall.signal }).catch(() => {});
      }
      const reply = await upload(system.baseUrl, key, stalling());
      stall.abort();
      return reply;
    };
    // On a busy machine, the first one is answered before the last one has come, so each repeats until all were waiting
    // at once.
    let wereAllThere = false;
    const uploads = Array.from({ length: 100 }, async () => {
      for (;;) {
        const reply = await stallOnce();
        if (wereAllThere) return reply;
      }
    });
    await eventually(async () => (await send(1000)).status === 503, {
      what: 'a store whose places are taken',
    });
    wereAllThere = true;
    for (const { status, body } of await Promise.all(uploads)) {
      expect([status, body.code]).toEqual([408, 'request_timeout']);
    }
    expect((await send(1000)).status).toBe(201);
  });

  test('a client that asks before it sends, and one that sends slowly, are served', async () => {
    const expecting = await upload(system.baseUrl, key, formOf(jpegOf(mebibyte)), {
      headers: { expect: '100-continue' },
    });
    expect(expecting.status).toBe(201);
    async function* slowly() {
      for (const chunk of formOf(jpegOf(10_000, 1000))) {
        yield chunk;
        await sleep(20);
      }
    }
    expect((await upload(system.baseUrl, key, slowly())).status).toBe(201);
  });
});
