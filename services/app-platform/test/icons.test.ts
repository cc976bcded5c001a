import { createHash, randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { eventually } from '@waybill/testing';
import sharp from 'sharp';
import request from 'supertest';
import { baseUrl, type Studio, type StudioApp, startStudio } from './developers.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await startStudio();
});
afterAll(() => studio.stop());

const getStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

let shade = 0;
/** Generates a picture of a unique colour. */
const picture = (width = 64, height = width) => {
  const background = { r: ++shade % 256, g: width % 256, b: height % 256 };
  return sharp({ create: { width, height, channels: 3, background } });
};
const png = (width?: number, height?: number) => picture(width, height).png().toBuffer();
const webp = (width?: number, height?: number) => picture(width, height).webp().toBuffer();

async function put(app: StudioApp, bytes: Buffer, headers: Record<string, string> = {}, person = app.owner) {
  return request(studio.system.internalUrl)
    .put(`${app.path}/icon`)
    .set(await studio.system.as({ kind: 'user', userId: person.id, email: person.email }))
    .set({ 'content-type': 'image/png', ...headers })
    .send(bytes);
}
const fetchIcon = (url: string, headers = {}) =>
  request(studio.system.internalUrl).get(url.replace(baseUrl, '')).set(headers);
/** Returns the icons whose bytes are stored. */
const listStored = () => readdir(join(studio.dataDir, 'objects', 'app-icons'));
const readIconId = async ({ app }: StudioApp) => {
  const { icon_id } = await studio.db
    .selectFrom('app')
    .select('icon_id')
    .where('id', '=', app.id)
    .executeTakeFirstOrThrow();
  return icon_id!;
};

describe('an icon', () => {
  test.each([
    ['png', png],
    ['webp', webp],
  ])('as %s is served as it was sent, for good', async (type, make) => {
    const app = await studio.newApp();
    const bytes = await make();
    const res = await put(app, bytes);
    const iconUrl = `${baseUrl}/app-icons/${sha256(bytes)}.${type}`;
    expect([res.status, res.body.app]).toEqual([200, expect.objectContaining({ id: app.app.id, iconUrl })]);
    const read = await app.call('get', app.path);
    expect([read.body, read.headers.etag]).toEqual([res.body, res.headers.etag]);
    const served = await fetchIcon(iconUrl);
    expect(served.body.equals(bytes)).toBe(true);
    expect([served.status, served.headers]).toEqual([
      200,
      expect.objectContaining({
        'content-type': `image/${type}`,
        'content-length': String(bytes.length),
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      }),
    ]);
    expect((await fetchIcon(iconUrl, { 'if-none-match': served.headers.etag })).status).toBe(304);
  });

  test('that is replaced or removed is deleted', async () => {
    const app = await studio.newApp();
    const urls: string[] = [];
    const ids: string[] = [];
    for (const bytes of [await png(), await webp(), await png(1024)]) {
      urls.push((await put(app, bytes)).body.app.iconUrl);
      ids.push(await readIconId(app));
    }
    expect((await Promise.all(urls.map((url) => fetchIcon(url)))).map(({ status }) => status)).toEqual([
      404, 404, 200,
    ]);
    expect((await app.call('delete', `${app.path}/icon`)).status).toBe(204);
    expect((await app.call('delete', `${app.path}/icon`)).status).toBe(204);
    expect((await app.call('get', app.path)).body.app.iconUrl).toBeNull();
    expect((await fetchIcon(urls[2]!)).status).toBe(404);
    await eventually(async () => (await listStored()).every((id) => !ids.includes(id)));
    expect(await studio.changesOf(app.org.id)).toEqual(Array.from({ length: 4 }, () => ['iconUrl']));
  });

  test('that two apps have stays until neither has it', async () => {
    const [one, other] = [await studio.newApp(), await studio.newApp()];
    const bytes = await png();
    const { iconUrl } = (await put(one, bytes)).body.app;
    expect((await put(other, bytes)).body.app.iconUrl).toBe(iconUrl);
    const before = (await one.call('get', one.path)).body;
    expect((await put(one, bytes)).body).toEqual(before);
    await one.call('delete', `${one.path}/icon`);
    expect((await fetchIcon(iconUrl)).status).toBe(200);
    await other.call('delete', `${other.path}/icon`);
    expect((await fetchIcon(iconUrl)).status).toBe(404);
  });

  test('whose upload was killed goes when its hour is over; one that still runs stays', async () => {
    const app = await studio.newApp();
    await put(app, await png());
    for (const [id, minutes] of [
      ['dead', -1],
      ['running', 1],
    ] as const) {
      const sweep_at = new Date(Date.now() + minutes * 60_000);
      await studio.db.insertInto('app_icon').values({ id, sweep_at }).execute();
      await writeFile(join(studio.dataDir, 'objects', 'app-icons', id), 'x');
    }
    await put(app, await png());
    await eventually(async () => !(await listStored()).includes('dead'));
    expect(await listStored()).toEqual(expect.arrayContaining(['running', await readIconId(app)]));
  });

  test.each<[string, () => Promise<Buffer>, number, string]>([
    ['a JPEG', () => picture().jpeg().toBuffer(), 400, 'unsupported_type'],
    ['an SVG', async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 400, 'unsupported_type'],
    ['nothing', async () => Buffer.alloc(0), 400, 'unsupported_type'],
    ['half a PNG', async () => half(await noise(256)), 400, 'unsupported_type'],
    [
      'half a WebP',
      async () => half(await picture(512).webp({ lossless: true }).toBuffer()),
      400,
      'unsupported_type',
    ],
    ['a PNG that moves', async () => moving(await png()), 400, 'unsupported_type'],
    ['a WebP that moves', movingWebp, 400, 'unsupported_type'],
    ['a small one', () => png(63), 400, 'invalid_body'],
    ['a large one', () => webp(1025), 400, 'invalid_body'],
    ['one that is not square', () => png(64, 65), 400, 'invalid_body'],
    ['one of too many bytes', () => noise(320), 413, 'file_too_large'],
  ])('is not %s', async (_, make, status, code) => {
    const app = await studio.newApp();
    const before = (await put(app, await png())).body;
    expect(getStatusAndCode(await put(app, await make()))).toEqual([status, code]);
    expect((await app.call('get', app.path)).body).toEqual(before);
  });

  test('is set only by the organisation', async () => {
    const [app, stranger] = [await studio.newApp(), studio.newPerson()];
    expect(getStatusAndCode(await put(app, await png(), {}, stranger))).toEqual([404, 'not_found']);
    expect(getStatusAndCode(await studio.as(stranger)('delete', `${app.path}/icon`))).toEqual([
      404,
      'not_found',
    ]);
    for (const file of ['x', `${'0'.repeat(64)}.png`, `${'0'.repeat(64)}.svg`]) {
      expect(getStatusAndCode(await fetchIcon(`/app-icons/${file}`))).toEqual([404, 'not_found']);
    }
  });

  test('is set only by clients that have read the current app, and by one of them', async () => {
    const app = await studio.newApp();
    const { etag } = (await app.call('get', app.path)).headers;
    const stale = await put(app, await png(), { 'if-match': '"stale"' });
    expect([...getStatusAndCode(stale), stale.headers.etag]).toEqual([412, 'precondition_failed', etag]);
    const pictures = await Promise.all(Array.from({ length: 8 }, () => png()));
    const keys = (i: number): Record<string, string> => (i % 2 ? { 'idempotency-key': `${i}` } : {});
    const all = await Promise.all(
      pictures.map((bytes, i) => put(app, bytes, { 'if-match': etag!, ...keys(i) })),
    );
    const won = all.filter(({ status }) => status === 200);
    expect([won.length, all.filter(({ status }) => status === 412).length]).toEqual([1, 7]);
    expect((await app.call('get', app.path)).body).toEqual(won[0]!.body);
  });

  test('is set once under one key, and other bytes are another request', async () => {
    const app = await studio.newApp();
    const [bytes, key] = [await png(), { 'idempotency-key': 'icon' }];
    const first = await put(app, bytes, key);
    expect(first.status).toBe(200);
    const again = await put(app, bytes, key);
    expect([again.body, again.headers.etag, again.headers['idempotent-replayed']]).toEqual([
      first.body,
      first.headers.etag,
      'true',
    ]);
    expect(getStatusAndCode(await put(app, await png(), key))).toEqual([422, 'idempotency_key_reused']);
  });
});

test('503 without an object store', async () => {
  const other = await startStudio({ MEDIA_STORE: 'off' });
  try {
    const app = await other.newApp();
    const res = await request(other.system.internalUrl)
      .put(`${app.path}/icon`)
      .set(await other.system.as({ kind: 'user', userId: app.owner.id, email: app.owner.email }))
      .send(await png());
    expect(getStatusAndCode(res)).toEqual([503, 'image_storage_unavailable']);
  } finally {
    await other.stop();
  }
});

const half = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2);

/** Generates a picture that does not compress. */
const noise = (width: number) =>
  sharp(randomBytes(width * width * 3), { raw: { width, height: width, channels: 3 } })
    .png()
    .toBuffer();

/** Inserts the chunk that announces an animation after the header. */
function moving(bytes: Buffer): Buffer {
  const chunk = Buffer.alloc(20);
  chunk.writeUInt32BE(8, 0);
  chunk.write('acTL', 4);
  chunk.writeUInt32BE(2, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 16)), 16);
  return Buffer.concat([bytes.subarray(0, 33), chunk, bytes.subarray(33)]);
}

function movingWebp(): Promise<Buffer> {
  const raw = { width: 64, height: 128, channels: 3, pageHeight: 64 } as const;
  return sharp(randomBytes(64 * 128 * 3), { raw })
    .webp({ loop: 0 })
    .toBuffer();
}
