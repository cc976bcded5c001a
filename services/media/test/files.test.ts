import { readdir, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { newId } from '@waybill/contracts';
import type { TestSystem } from '@waybill/testing';
import { parse } from 'content-disposition';
import { startFauxqs } from 'fauxqs';
import sharp from 'sharp';
import { type Library, newLibrary, startMedia } from './library.ts';
import { createPng, photo, samples, svg } from './samples.ts';

let system: TestSystem;
let library: Library;
beforeAll(async () => {
  system = await startMedia();
  library = await newLibrary(system);
});
afterAll(() => system.stop());

interface Reply {
  status: number;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
}

/** Requests a path without credentials. */
function ask(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  base = system.internalUrl,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const req = http.request(`${base}${path}`, { method, headers }, async (res) => {
      resolve({ status: res.statusCode!, headers: res.headers, bytes: await buffer(res) });
    });
    req.on('error', reject).end();
  });
}

const uploaded = async (bytes: Buffer, parts: Parameters<Library['upload']>[1] = {}, to = library) => {
  const { body, status } = await to.upload(bytes, parts);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.media;
};

const tallJpeg = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'gray' } })
    .jpeg()
    .toBuffer();

const forever = 'public, max-age=31536000, immutable';

describe('GET /media/{storeId}/{assetId}', () => {
  test.each(Object.entries(samples))(
    'serves a %s as what it is, for good, to everybody',
    async (ending, { bytes, contentType, kind }) => {
      const media = await uploaded(bytes, { fileName: `Sale 1.${ending}` });
      const res = await ask(media.url);
      expect(res.status).toBe(200);
      expect(res.bytes.equals(bytes)).toBe(true);
      expect(res.headers).toMatchObject({
        'content-type': contentType,
        'content-length': String(bytes.length),
        'cache-control': forever,
        etag: `"${media.sha256}"`,
        'accept-ranges': 'bytes',
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
        'content-disposition': `${kind === 'font' ? 'attachment' : 'inline'}; filename="Sale 1.${ending}"`,
      });
      expect(res.headers['set-cookie']).toBeUndefined();
    },
  );

  test('answers HEAD with only the headers', async () => {
    const media = await uploaded(samples.png!.bytes);
    const [{ headers: got }, { headers: head, bytes, status }] = [
      await ask(media.url),
      await ask(media.url, {}, 'HEAD'),
    ];
    expect(status).toBe(200);
    expect(bytes).toHaveLength(0);
    expect({ ...head, date: '' }).toEqual({ ...got, date: '' });
  });

  test('continues to serve trashed assets', async () => {
    const media = await uploaded(samples.png!.bytes);
    await library.remove(`/api/v1/media/${media.id}`).expect(204);
    expect((await ask(media.url)).status).toBe(200);
  });

  test('404 for what is not there, other stores, and ids of another kind', async () => {
    const media = await uploaded(samples.png!.bytes);
    for (const path of [
      `/media/${library.storeId}/${newId('mediaAsset')}`,
      `/media/${newId('store')}/${media.id}`,
      `/media/${library.storeId}/${newId('product')}`,
      `/media/${library.storeId}/..%2f..%2f..%2fetc%2fpasswd`,
      `/media/..%2f..%2fetc/passwd`,
      `/media/${library.storeId}/%00`,
      `/media/${library.storeId}`,
    ]) {
      const { status, bytes } = await ask(path);
      expect([path, status, JSON.parse(String(bytes)).code]).toEqual([path, 404, 'not_found']);
    }
  });

  test('404, not a broken answer, when the object store lacks the bytes', async () => {
    const media = await uploaded(await photo(50, 60));
    await rm(join(system.dataDir, 'objects/media', library.storeId, media.sha256), { recursive: true });
    expect((await ask(media.url)).status).toBe(404);
  });

  test('304 for a current copy', async () => {
    const media = await uploaded(samples.png!.bytes);
    const etag = `"${media.sha256}"`;
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const res = await ask(media.url, { 'if-none-match': tags });
      expect([res.status, res.bytes.length, res.headers.etag]).toEqual([304, 0, etag]);
      expect(res.headers['cache-control']).toBe(forever);
    }
    expect((await ask(media.url, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  describe('with a range', () => {
    let path: string;
    let bytes: Buffer;
    let etag: string;
    beforeAll(async () => {
      bytes = await photo(300, 300);
      const media = await uploaded(bytes);
      path = media.url;
      etag = `"${media.sha256}"`;
    });

    test('206 with that part', async () => {
      const last = bytes.length - 1;
      for (const [range, start, end] of [
        ['bytes=0-0', 0, 0],
        ['bytes=10-19', 10, 19],
        ['bytes=10-', 10, last],
        ['bytes=-5', last - 4, last],
        ['bytes=-99999999', 0, last],
        ['bytes=5-99999999', 5, last],
        ['BYTES = 1 - 2', 1, 2],
        [`bytes=0-${'9'.repeat(40)}`, 0, last],
        // Only one of the two ranges is in the file.
        ['bytes=0-1,99999999-', 0, 1],
      ] as const) {
        const res = await ask(path, { range });
        expect([range, res.status, res.headers['content-range']]).toEqual([
          range,
          206,
          `bytes ${start}-${end}/${bytes.length}`,
        ]);
        expect(res.bytes.equals(bytes.subarray(start, end + 1))).toBe(true);
        expect(res.headers['content-length']).toBe(String(end - start + 1));
      }
      expect((await ask(path, { range: 'bytes=0-1', 'if-range': etag })).status).toBe(206);
    });

    test('416 for a range without bytes', async () => {
      const behind = [`bytes=${bytes.length}-`, 'bytes=99999999-'];
      for (const range of [...behind, 'bytes=-0']) {
        const res = await ask(path, { range });
        expect([range, res.status, res.headers['content-range']]).toEqual([
          range,
          416,
          `bytes */${bytes.length}`,
        ]);
        expect(JSON.parse(String(res.bytes)).code).toBe('range_not_satisfiable');
      }
    });

    test('200 with the whole file for several ranges, for none, and for an outdated copy', async () => {
      for (const range of [
        'bytes=0-1,5-6',
        'bytes=',
        'bytes=-',
        'bytes=a-b',
        'lines=1-2',
        'lines=99999999-',
        'bytes=5-1',
      ]) {
        const res = await ask(path, { range });
        expect([range, res.status, res.bytes.length]).toEqual([range, 200, bytes.length]);
      }
      for (const ifRange of ['"other"', `W/${etag}`, 'Sat, 21 Nov 2026 12:00:00 GMT']) {
        expect((await ask(path, { range: 'bytes=0-1', 'if-range': ifRange })).status).toBe(200);
      }
    });
  });

  test('an SVG may load nothing and run nothing', async () => {
    const media = await uploaded(svg('<script>alert(1)</script>'));
    expect((await ask(media.url)).headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    );
  });

  test.each([
    'a"; filename="evil.exe',
    'a\r\nSet-Cookie: x=1',
    'naïve 東京 😀.png',
    "it's (1)*.png",
    '%41',
    '\u202egnp.exe',
    'é'.repeat(200),
  ])('the name %j cannot break the headers', async (name) => {
    const media = await uploaded(samples.png!.bytes, { name });
    expect(media.name).toBe(name);
    const { headers, status } = await ask(media.url);
    expect(status).toBe(200);
    expect(headers['set-cookie']).toBeUndefined();
    expect(headers['content-disposition']).toMatch(/^[\x20-\x7e]+$/);
    expect(parse(headers['content-disposition']!)).toMatchObject({
      type: 'inline',
      parameters: { filename: name },
    });
  });
});

describe('a variant', () => {
  let image: { url: string; sha256: string };
  beforeAll(async () => {
    const fine = sharp(await photo(1000, 500)).jpeg({ quality: 100 });
    image = await uploaded(await fine.toBuffer());
  });

  test('has the requested width and format, with its own ETag', async () => {
    for (const [query, format, width, height] of [
      ['w=320&format=webp', 'webp', 320, 160],
      ['w=640&format=avif', 'heif', 640, 320],
      ['w=480&format=png', 'png', 480, 240],
      ['w=480', 'jpeg', 480, 240],
      ['format=webp&w=1920', 'webp', 1000, 500],
    ] as const) {
      const res = await ask(`${image.url}?${query}`);
      expect([query, res.status]).toEqual([query, 200]);
      expect(await sharp(res.bytes).metadata()).toMatchObject({ format, width, height });
      const name = query.includes('1920') ? 'w1000.webp' : undefined;
      expect(res.headers).toMatchObject({
        'cache-control': forever,
        'content-length': String(res.bytes.length),
      });
      if (name) expect(res.headers.etag).toBe(`"${image.sha256}-${name}"`);
      expect((await ask(`${image.url}?${query}`, { 'if-none-match': res.headers.etag! })).status).toBe(304);
      const part = await ask(`${image.url}?${query}`, { range: 'bytes=5-9' });
      expect([part.status, part.bytes]).toEqual([206, res.bytes.subarray(5, 10)]);
    }
  });

  test('is upright when the original is rotated', async () => {
    const turned = await sharp(await photo(600, 400))
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const { url } = await uploaded(turned);
    const res = await ask(`${url}?w=320`);
    expect(await sharp(res.bytes).metadata()).toMatchObject({ width: 320, height: 480 });
  });

  test('is the file itself for any other width or format, and for other kinds of files', async () => {
    for (const query of ['w=321', 'w=-1', 'w=320px', 'w=', 'format=webp', 'w=1e9', 'x=1']) {
      const res = await ask(`${image.url}?${query}`);
      expect([query, res.status, res.headers.etag]).toEqual([query, 200, `"${image.sha256}"`]);
    }
    const moving = await sharp(
      [samples.png!.bytes, await sharp(samples.png!.bytes).negate().png().toBuffer()],
      { join: { animated: true } },
    )
      .webp()
      .toBuffer();
    for (const bytes of [samples.svg!.bytes, samples.mp4!.bytes, samples.woff2!.bytes, moving]) {
      const media = await uploaded(bytes);
      expect((await ask(`${media.url}?w=320&format=webp`)).headers.etag).toBe(`"${media.sha256}"`);
    }
  });

  test('has a white background if its format has no transparency', async () => {
    const background = { r: 255, g: 0, b: 0, alpha: 0 };
    const { url } = await uploaded(
      await sharp({ create: { width: 400, height: 400, channels: 4, background } })
        .png()
        .toBuffer(),
    );
    const { bytes } = await ask(`${url}?w=320&format=jpeg`);
    expect([...(await sharp(bytes).raw().toBuffer()).subarray(0, 3)]).toEqual([255, 255, 255]);
  });

  test('is the file itself when the image can no longer be decoded, which is checked once', async () => {
    const media = await uploaded(await photo(700, 700));
    const folder = join(system.dataDir, 'objects/media', library.storeId, media.sha256);
    await writeFile(join(folder, 'original'), Buffer.alloc(media.sizeBytes, 0x55));
    for (let i = 0; i < 2; i++) {
      const res = await ask(`${media.url}?w=320&format=webp`);
      expect([res.status, res.headers.etag]).toEqual([200, `"${media.sha256}"`]);
    }
    expect(await readdir(folder)).toEqual(['original']);
  });

  test.each([
    ['a PNG of more than 24 million pixels', async () => createPng(6000, 4001)],
    ['an image so tall that the variant has more than 8 million pixels', () => tallJpeg(1920, 4200)],
  ])('is the file itself of %s: making it would need too much memory', async (_, make) => {
    const media = await uploaded(await make());
    expect((await ask(`${media.url}?w=1920&format=webp`)).headers.etag).toBe(`"${media.sha256}"`);
    // No variant was attempted.
    const objects = await readdir(join(system.dataDir, 'objects/media', library.storeId, media.sha256));
    expect(objects).toEqual(['original']);
  });

  test('of a tall image is created if it is narrow enough', async () => {
    const { url } = await uploaded(await tallJpeg(1920, 4300));
    expect(await sharp((await ask(`${url}?w=320`)).bytes).metadata()).toMatchObject({ width: 320 });
  });

  test('is created once for simultaneous requests', async () => {
    const media = await uploaded(await photo(900, 901));
    const replies = await Promise.all(
      Array.from({ length: 30 }, () => ask(`${media.url}?w=640&format=webp`)),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(replies.map(({ bytes }) => bytes.toString('base64'))).size).toBe(1);
  });
});

test('everything works in the same way on S3', async () => {
  const server = await startFauxqs({ port: 0, logger: false });
  const onS3 = await startMedia({
    S3_ENDPOINT: `http://127.0.0.1:${server.port}`,
    S3_BUCKET: 'waybill-media',
    S3_ACCESS_KEY_ID: 'test',
    S3_SECRET_ACCESS_KEY: 'test',
  });
  try {
    const bytes = await photo(800, 600);
    const media = await uploaded(bytes, {}, await newLibrary(onS3));
    const get = (query: string, headers = {}) =>
      ask(`${media.url}${query}`, headers, 'GET', onS3.internalUrl);
    expect((await get('')).bytes.equals(bytes)).toBe(true);
    const part = await get('', { range: 'bytes=100-199' });
    expect([part.status, part.bytes]).toEqual([206, bytes.subarray(100, 200)]);
    expect(await sharp((await get('?w=320&format=webp')).bytes).metadata()).toMatchObject({
      width: 320,
      format: 'webp',
    });
    await server.stop();
    expect((await get('')).status).toBe(503);
    const refused = await (await newLibrary(onS3)).upload(await photo(80, 60));
    expect(refused).toMatchObject({ status: 503, body: { code: 'resource_unavailable' } });
  } finally {
    await onS3.stop();
    await server.stop().catch(() => {});
  }
});
