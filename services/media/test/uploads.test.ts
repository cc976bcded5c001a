import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { deflateSync } from 'node:zlib';
import { newId } from '@waybill/contracts';
import { eventually, openTestDatabase, type TestSystem } from '@waybill/testing';
import { CompiledQuery, type Kysely } from 'kysely';
import { type Library, newLibrary, startMedia } from './library.ts';
import { box, createPng, photo, type Sample, samples, svg } from './samples.ts';

let system: TestSystem;
let library: Library;
let db: Kysely<unknown>;
beforeAll(async () => {
  system = await startMedia({ PUBLIC_BASE_URL: 'https://shop.example/', MEDIA_QUOTA_BYTES: '30000000' });
  db = await openTestDatabase(system.databaseUrl('media'));
});
afterAll(async () => {
  await db.destroy();
  await system.stop();
});
beforeEach(async () => {
  library = await newLibrary(system);
});

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const uploaded = async (...args: Parameters<Library['upload']>) => {
  const { status, body } = await library.upload(...args);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.media;
};

/** Lists the files below a folder of the data directory. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(join(system.dataDir, folder), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
const listObjects = async ({ storeId }: Library) => filesIn(`objects/media/${storeId}`);

async function query(sql: string, values: unknown[]) {
  const { rows } = await db.executeQuery<{ used_bytes?: number }>(CompiledQuery.raw(sql, values));
  return rows;
}
const usage = async () =>
  Number(
    (await query('select used_bytes from media_usage where store_id = $1', [library.storeId]))[0]
      ?.used_bytes ?? 0,
  );

/** Expects that a refused upload has left nothing anywhere. */
async function expectNothingStored() {
  expect((await library.get('/api/v1/media')).body.total).toBe(0);
  expect(await listObjects(library)).toEqual([]);
  expect(await filesIn('uploads')).toEqual([]);
  expect(await usage()).toBe(0);
}

/** An AVIF that consists of frames, according to its description. */
const movingAvif = Buffer.concat([
  box('ftyp', Buffer.from('msf1\0\0\0\0msf1avisavifmiaf')),
  box(
    'moov',
    box(
      'trak',
      box(
        'stsd',
        Buffer.alloc(8),
        box('av01', Buffer.alloc(24), Buffer.from([0, 40, 0, 30]), Buffer.alloc(50)),
      ),
    ),
  ),
  box('mdat', Buffer.alloc(100, 7)),
]);

/** Metadata that contains personal data. */
const personalExif = { IFD0: { Artist: 'Ada' }, IFD3: { GPSLatitude: '47/1 30/1 0/1', GPSLatitudeRef: 'N' } };

describe('metadata of pictures', () => {
  test.each(['jpeg', 'png', 'webp', 'avif'] as const)(
    'goes from a %s, orientation and profile stay',
    async (format) => {
      const { default: sharp } = await import('sharp');
      const picture = sharp(samples.png!.bytes).toFormat(format, { effort: 1 } as object);
      const bytes = await picture
        .withMetadata({ orientation: 6, icc: 'p3' })
        .withExifMerge(personalExif)
        .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">Ada</x:xmpmeta>')
        .toBuffer();
      expect(bytes.includes('Ada')).toBe(true);
      const media = await uploaded(bytes);
      const [path] = await listObjects(library);
      const stored = await readFile(path!);
      expect(media).toMatchObject({
        sizeBytes: stored.length,
        sha256: hash(stored),
        width: 30,
      });
      expect(stored.includes('Ada')).toBe(false);
      const [before, after] = await Promise.all([bytes, stored].map((each) => sharp(each).metadata()));
      expect(after!.icc).toEqual(before!.icc);
      // In an AVIF the metadata is blanked, because no byte may move.
      expect((after!.xmp ?? Buffer.alloc(0)).every((byte) => byte === 0)).toBe(true);
      expect([after!.orientation, after!.autoOrient]).toEqual([before!.orientation, before!.autoOrient]);
      expect(await sharp(stored).raw().toBuffer()).toEqual(await sharp(bytes).raw().toBuffer());
      // Idempotency compares the sent bytes, so the same upload again adds nothing.
      expect(await usage()).toBe(stored.length);
    },
  );

  test('is removed from the comments of a GIF, and from a picture behind a picture', async () => {
    const { bytes } = samples.gif!;
    const comment = Buffer.from('\x21\xfe\x03Ada\0', 'latin1');
    const commented = Buffer.concat([bytes.subarray(0, -1), comment, Buffer.from(';')]);
    const keyed = (file: Buffer) => library.upload(file).set('idempotency-key', 'once');
    const { body } = await keyed(commented);
    expect(body.media).toMatchObject({ sha256: hash(bytes), sizeBytes: bytes.length });
    // Idempotency compares the sent bytes, not the stored ones.
    const again = await keyed(commented);
    expect([again.body, again.headers['idempotent-replayed']]).toEqual([body, 'true']);
    expect((await keyed(bytes)).body.code).toBe('idempotency_key_reused');
    const jpeg = samples.jpeg!.bytes;
    const behind = Buffer.concat([jpeg, Buffer.from('\xff\xd8\xff\xe1\0\x10Exif\0\0GPS', 'latin1')]);
    expect(await uploaded(behind)).toMatchObject({ sha256: hash(jpeg) });
  });

  test('a refusal names the broken rule', async () => {
    for (const [bytes, message] of [
      [samples.png!.bytes.subarray(0, -12), /not whole.*image\/png/],
      [svg('<g>'), /not well-formed/],
      [createPng(8001, 8000), /more than 64 million pixels/],
      [Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF'), /application\/pdf/],
      [Buffer.from('hello'), /no known type/],
    ] as const) {
      const { error } = (await library.upload(bytes)).body;
      expect(error).toMatch(message);
      expect(error).toMatch(/[^.]\.$/);
    }
  });

  test('zeros in the size of an SVG cause no slow matching', async () => {
    const zeros = '0'.repeat(40_000);
    const sent = Date.now();
    const media = await uploaded(
      svg('', `width="${zeros}" height="${zeros}" viewBox="${zeros} ${zeros} ${zeros}"`),
    );
    expect(media).toMatchObject({ width: null, height: null });
    expect(Date.now() - sent).toBeLessThan(3_000);
  });
});

describe('POST /api/v1/media', () => {
  test.each(Object.entries(samples))('takes %s and tells what it is', async (ending, sample: Sample) => {
    const { bytes, kind, contentType, size } = sample;
    const res = await library.upload(bytes, { fileName: `Summer sale.${ending}` });
    expect(res.status).toBe(201);
    const { media } = res.body;
    expect(media).toEqual({
      id: expect.stringMatching(/^mda_[0-9a-z]{26}$/),
      name: `Summer sale.${ending}`,
      url: `https://shop.example/media/${library.storeId}/${media.id}`,
      folderId: null,
      kind,
      contentType,
      sizeBytes: bytes.length,
      sha256: hash(bytes),
      width: size?.[0] ?? null,
      height: size?.[1] ?? null,
      alt: '',
      focalPoint: null,
      trashed: false,
      trashedAt: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: media.createdAt,
    });
    expect((await library.get(`/api/v1/media/${media.id}`)).body.media).toEqual(media);
    expect(await filesIn('uploads')).toEqual([]);
  });

  test('derives the type from the bytes, not from the client’s name and type', async () => {
    const media = await uploaded(samples.png!.bytes, { fileName: 'x.html', type: 'text/html' });
    expect(media).toMatchObject({ kind: 'image', contentType: 'image/png', name: 'x.html' });
  });

  test('accepts the parts in any order', async () => {
    const { body } = await library.post('/api/v1/media-folders', { name: 'Here' });
    const folderId = body.mediaFolder.id;
    const media = await uploaded(samples.png!.bytes, { name: 'Hero', folderId });
    expect(media).toMatchObject({ name: 'Hero', folderId });
  });

  test('returns the displayed size of an image', async () => {
    const { default: sharp } = await import('sharp');
    const turned = await sharp(samples.jpeg!.bytes).withMetadata({ orientation: 6 }).toBuffer();
    expect(await uploaded(turned)).toMatchObject({ width: 30, height: 40 });
  });

  test.each([
    ['width="20px" height="10"', [20, 10]],
    ['viewBox="0 0 300 150"', [300, 150]],
    ['width="100%" viewBox="0,0,64,32"', [64, 32]],
    ['', [null, null]],
  ])('gives the size of an SVG with %j', async (attributes, [width, height]) => {
    expect(await uploaded(svg('', attributes))).toMatchObject({ width, height });
  });

  test('accepts an SVG with an XML declaration, a doctype, comments and scripts (which will not run)', async () => {
    const bytes = Buffer.from(
      `\ufeff<?xml version="1.0" encoding="UTF-8"?><!-- made by hand -->
      <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
      ${svg('<script>alert(1)</script>')}`,
    );
    expect(await uploaded(bytes)).toMatchObject({ contentType: 'image/svg+xml' });
  });

  const drawing = (encoding: string) =>
    `<?xml version='1.0' encoding='${encoding}' standalone="no"?><!-- by Ada -->
<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><title>Über – café</title></svg>`;
  const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16();

  test.each([
    ['UTF-16 with a mark', Buffer.from(`\ufeff${drawing('UTF-16')}`, 'utf16le')],
    ['UTF-16, big-endian, with a mark', bigEndian(`\ufeff${drawing('utf-16')}`)],
    ['UTF-16 without a mark', Buffer.from(drawing('UTF-16LE'), 'utf16le')],
    [
      'UTF-16 with a mark, without a declaration',
      Buffer.from(`\ufeff${drawing('').slice(drawing('').indexOf('<svg'))}`, 'utf16le'),
    ],
    ['ISO-8859-1', Buffer.from(drawing('ISO-8859-1').replace('–', '-'), 'latin1')],
    ['windows-1252', Buffer.from(drawing('windows-1252').replace('–', '\x96'), 'latin1')],
    ['UTF-8 that declares UTF-16', Buffer.from(drawing('utf-16'))],
    ['UTF-8, whose mark contradicts the declaration', Buffer.from(`\ufeff${drawing('ISO-8859-1')}`)],
  ])('accepts an SVG in %s, and stores it in UTF-8', async (_, bytes) => {
    const asset = await uploaded(bytes);
    expect(asset).toMatchObject({ contentType: 'image/svg+xml', width: 20, height: 10 });
    const reply = await fetch(system.internalUrl + new URL(asset.url).pathname);
    const stored = Buffer.from(await reply.arrayBuffer());
    const text = stored.toString();
    expect(text).toMatch(/^<(?:svg|\?xml version='1.0' encoding="UTF-8" standalone="no"\?>)/);
    expect(text.replaceAll('Über - café', 'Über – café')).toContain('<title>Über – café</title></svg>');
    expect(text).not.toContain('Ada');
    expect(asset).toMatchObject({ sha256: hash(stored), sizeBytes: stored.length });
  });

  test.each([
    ['an unknown encoding', Buffer.from(drawing('UTF-7')), /UTF-7, which is not supported/],
    ['UTF-32', Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), svg()]), /UTF-32, which is not supported/],
    ['bytes that are not UTF-8', Buffer.from(drawing('UTF-8'), 'latin1'), /is not text in UTF-8/],
    ['half of UTF-16', Buffer.from(`\ufeff${drawing('UTF-16')}`, 'utf16le').subarray(0, -1), /UTF-16LE/],
  ])('names the encoding of an SVG that it refuses, of %s', async (_, bytes, message) => {
    const res = await library.upload(bytes);
    expect(res).toMatchObject({ status: 400, body: { code: 'unsupported_type' } });
    expect(res.body.error).toMatch(message);
    await expectNothingStored();
  });

  test('404 for a folder that is unknown, of another store, or malformed', async () => {
    const other = await newLibrary(system);
    const { body } = await other.post('/api/v1/media-folders', { name: 'Theirs' });
    for (const folderId of [newId('mediaFolder'), body.mediaFolder.id, 'nonsense', newId('mediaAsset')]) {
      const res = await library.upload(samples.png!.bytes, { folderId });
      expect(res).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    await expectNothingStored();
  });

  test('an empty folderId is the root', async () => {
    expect(await uploaded(samples.png!.bytes, { folderId: '' })).toMatchObject({ folderId: null });
  });

  test.each([' ', 'x'.repeat(201), 'x'.repeat(5000), 'a\0b'])(
    '400 invalid_body for the name %j',
    async (name) => {
      const res = await library.upload(samples.png!.bytes, { name });
      expect(res).toMatchObject({
        status: 400,
        body: { code: 'invalid_body', details: [{ pointer: '/name' }] },
      });
      await expectNothingStored();
    },
  );

  test('400 missing_file without a file, 400 empty_file for an empty one', async () => {
    expect(await library.upload(null, { name: 'x' })).toMatchObject({
      status: 400,
      body: { code: 'missing_file' },
    });
    const empty = await library.upload(Buffer.alloc(0), { fileName: 'x.png' });
    expect(empty).toMatchObject({ status: 400, body: { code: 'empty_file' } });
    await expectNothingStored();
  });

  test.each([
    'application/json',
    'text/plain',
    'multipart/form-data',
    'multipart/form-data; x=y',
    'multipart/mixed; boundary=x',
  ])('400 invalid_body for the content type %s', async (type) => {
    const res = await library.post('/api/v1/media').set('content-type', type).send('{}');
    expect(res).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
  });

  test('403 insufficient_scope for a key that may only read', async () => {
    const reader = await newLibrary(system, ['media.read']);
    const res = await reader.upload(samples.png!.bytes);
    expect(res).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  });

  describe('refuses with unsupported_type, and stores nothing of', () => {
    const whole = Object.entries(samples).flatMap(([name, { bytes }]): [string, Buffer][] => [
      [`half a ${name}`, bytes.subarray(0, bytes.length >> 1)],
      [`a ${name} without its last bytes`, bytes.subarray(0, bytes.length - 12)],
      [`the first bytes of a ${name}`, bytes.subarray(0, 16)],
    ]);
    const bomb = deflateSync(Buffer.alloc(50_000_000), { level: 9 });
    test.each<[string, Buffer]>([
      ...whole,
      ['text', Buffer.from('hello')],
      ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>')],
      ['JavaScript', Buffer.from('alert(1)')],
      ['a PDF', Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF')],
      ['a ZIP', Buffer.from('PK\x05\x06'.padEnd(22, '\0'), 'latin1')],
      ['an executable', Buffer.from('\x7fELF'.padEnd(100, '\0'), 'latin1')],
      ['random bytes', randomBytes(5000)],
      ['zeros', Buffer.alloc(5000)],
      ['a GIF that is a script', Buffer.from('GIF89a/*' + 'x'.repeat(20) + '*/=1;alert(1)//')],
      [
        'HTML behind a PNG signature',
        Buffer.concat([samples.png!.bytes.subarray(0, 8), Buffer.from('<script>alert(1)</script>')]),
      ],
      [
        'a HEIC',
        Buffer.concat([box('ftyp', Buffer.from('heic\0\0\0\0heic')), box('meta', Buffer.alloc(50))]),
      ],
      ['an image of 10 gigapixels', createPng(100_000, 100_000, bomb)],
      ['an image of 64,008,000 pixels', createPng(8001, 8000)],
      [
        'an AVIF without a picture',
        Buffer.concat([box('ftyp', Buffer.from('avif\0\0\0\0avif')), box('meta', Buffer.alloc(50))]),
      ],
      [
        'XML that is no SVG',
        Buffer.from('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>'),
      ],
      ['an SVG of another namespace', Buffer.from('<svg xmlns="http://example.com" width="1" height="1"/>')],
      ['an SVG that is not well-formed', svg('<g>')],
      ['an SVG with text behind it', Buffer.concat([svg(), Buffer.from('more')])],
      [
        'an SVG whose entities expand to more than 1 MiB',
        Buffer.from(
          `<!DOCTYPE svg [<!ENTITY a "${'a'.repeat(1000)}"><!ENTITY b "${'&a;'.repeat(100)}">]>${svg('&b;'.repeat(11))}`,
        ),
      ],
      [
        'a bomb of entities',
        Buffer.from(
          `<!DOCTYPE svg [<!ENTITY a0 "aaaaaaaaaa">${Array.from({ length: 40 }, (_, i) => `<!ENTITY a${i + 1} "${`&a${i};`.repeat(10)}">`).join('')}]>${svg('&a40;')}`,
        ),
      ],
      ['an entity that holds itself', Buffer.from(`<!DOCTYPE svg [<!ENTITY a "&a;">]>${svg('&a;')}`)],
      [
        'an entity from elsewhere',
        Buffer.from(`<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>${svg('&a;')}`),
      ],
      ['an SVG with an unknown entity', svg('&unknown;')],
      ['an SVG that is too deep', svg('<g>'.repeat(300) + '</g>'.repeat(300))],
      [
        'an SVG that is not UTF-8',
        Buffer.concat([
          Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><desc>\xff', 'latin1'),
          Buffer.from('</desc></svg>'),
        ]),
      ],
    ])('%s', async (_, bytes) => {
      const res = await library.upload(bytes, { fileName: 'photo.png', type: 'image/png' });
      expect(res).toMatchObject({ status: 400, body: { code: 'unsupported_type' } });
      await expectNothingStored();
    });
  });

  test.each<[string, Buffer, string]>([
    ['a WOFF2 of unknown flavour', Buffer.from('wOF2'.padEnd(60, '\0'), 'latin1'), 'font/woff2'],
    ['a WOFF of unknown flavour', Buffer.from('wOFF'.padEnd(60, '\0'), 'latin1'), 'font/woff'],
    ['a TTF without tables', Buffer.from('\0\x01\0\0'.padEnd(60, '\0'), 'latin1'), 'font/ttf'],
    ['an OTF without tables', Buffer.from('OTTO'.padEnd(60, '\0'), 'latin1'), 'font/otf'],
    ['an MP4 of one box', box('ftyp', Buffer.from('isom\0\0\0\0isom')), 'video/mp4'],
    [
      'an MP4 with other bytes behind its boxes',
      Buffer.concat([box('ftyp', Buffer.from('mp42\0\0\0\0mp42')), Buffer.alloc(50, 0xee)]),
      'video/mp4',
    ],
    [
      'a WebM without a segment',
      Buffer.concat([Buffer.from('1a45dfa3874282847765626d', 'hex'), Buffer.alloc(50)]),
      'video/webm',
    ],
    ['an SVG of 6 MiB', svg('<path d="M1 2L3 4"/>'.repeat(300_000)), 'image/svg+xml'],
    [
      'an SVG with entities of its own',
      Buffer.from(
        `<!DOCTYPE svg [<!ENTITY ns "http://www.w3.org/2000/svg"><!ENTITY a "aaaa"><!ENTITY b '&a;&a;'>]>` +
          '<svg xmlns="&ns;" width="1" height="1"><desc>&b;</desc></svg>',
      ),
      'image/svg+xml',
    ],
    [
      'a JPEG with one empty scan and no end marker, as placeholders have',
      Buffer.from(
        `/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP${'/'.repeat(86)}wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=`,
        'base64',
      ),
      'image/jpeg',
    ],
    ['a JPEG without an end marker', samples.jpeg!.bytes.subarray(0, -2), 'image/jpeg'],
    ['a GIF without a trailer', samples.gif!.bytes.subarray(0, -1), 'image/gif'],
    ['an animated AVIF', movingAvif, 'image/avif'],
    ['an SVG without a namespace', Buffer.from('<svg width="1" height="1"/>'), 'image/svg+xml'],
  ])('takes %s: it is of its type, and not cut off', async (_, bytes, contentType) => {
    expect(await uploaded(bytes)).toMatchObject({ contentType });
  });

  test('a polyglot has the type of its first bytes, and stays unchanged', async () => {
    const bytes = Buffer.concat([samples.jpeg!.bytes, Buffer.from('<script>alert(1)</script>PK\x03\x04')]);
    expect(await uploaded(bytes, { fileName: 'x.html' })).toMatchObject({
      contentType: 'image/jpeg',
      sha256: hash(bytes),
    });
  });
});

describe('the size of an upload', () => {
  const padded = (sizeBytes: number) => {
    const bytes = Buffer.alloc(sizeBytes);
    samples.jpeg!.bytes.copy(bytes);
    return bytes;
  };
  const limit = 25 * 1024 * 1024;

  test('may be 25 MiB, and not a byte more: 413 file_too_large', async () => {
    expect((await uploaded(padded(limit))).sizeBytes).toBe(limit);
    const res = await library.upload(padded(limit + 1));
    expect(res).toMatchObject({ status: 413, body: { code: 'file_too_large' } });
    expect((await library.get('/api/v1/media')).body.total).toBe(1);
    expect(await filesIn('uploads')).toEqual([]);
  });

  test('is refused while the client is still sending, and the client reads the answer', async () => {
    const res = await library.upload(padded(limit * 2));
    expect(res).toMatchObject({ status: 413, body: { code: 'file_too_large' } });
    await expectNothingStored();
  });
});

describe('the quota', () => {
  const quota = 30_000_000;
  const sized = (sizeBytes: number) => {
    const bytes = randomBytes(sizeBytes);
    samples.jpeg!.bytes.copy(bytes);
    bytes.set([0xff, 0xd9], sizeBytes - 2);
    return bytes;
  };

  test('refuses more with 413 quota_exceeded, and reports used, limit and incoming', async () => {
    const first = await uploaded(sized(20_000_000));
    await library.remove(`/api/v1/media/${first.id}`).expect(204);
    const res = await library.upload(sized(11_000_000));
    expect(res).toMatchObject({
      status: 413,
      // Trashing has freed no quota.
      body: { code: 'quota_exceeded', used: 20_000_000, limit: quota, incoming: 11_000_000 },
    });
    expect(await listObjects(library)).toHaveLength(1);
    expect(await filesIn('uploads')).toEqual([]);
    await uploaded(sized(10_000_000));
    expect(await usage()).toBe(quota);
  });

  test('holds for many simultaneous uploads', async () => {
    const results = await Promise.all(Array.from({ length: 10 }, () => library.upload(sized(5_000_000))));
    const codes = results.map(({ status, body }) => (status === 201 ? 'stored' : body.code)).sort();
    expect(codes).toEqual([...Array(4).fill('quota_exceeded'), ...Array(6).fill('stored')]);
    expect([await usage(), (await listObjects(library)).length]).toEqual([quota, 6]);
  });

  test('counts equal bytes for each asset, and stores them once', async () => {
    const bytes = await photo(200, 200);
    const results = await Promise.all(Array.from({ length: 5 }, () => library.upload(bytes)));
    expect(results.map(({ status }) => status)).toEqual(Array(5).fill(201));
    expect(new Set(results.map(({ body }) => body.media.id)).size).toBe(5);
    expect([await usage(), (await listObjects(library)).length]).toEqual([5 * bytes.length, 1]);
  });

  test('is released, with the bytes, when a killed process’s reservation expires', async () => {
    const bytes = samples.png!.bytes;
    const { sha256 } = await uploaded(bytes);
    const abandon = async (hash: string) => {
      const sql = `with reserved as (
          insert into media_reservation values ($1, $2, $3, 1000, now() - interval '1 second')
        ) update media_usage set used_bytes = used_bytes + 1000 where store_id = $1`;
      await query(sql, [library.storeId, newId('mediaAsset'), hash]);
    };
    await abandon(sha256);
    await abandon('0'.repeat(64));
    expect(await usage()).toBe(bytes.length + 2000);
    await system.restart();
    await eventually(async () => (await usage()) === bytes.length);
    // The bytes that an asset needs are kept.
    expect(await listObjects(library)).toHaveLength(1);
  });
});

test('the partial file of a killed process is removed once no request can last as long', async () => {
  const folder = join(system.dataDir, 'uploads');
  await mkdir(folder, { recursive: true });
  for (const name of ['abandoned', 'fresh']) await writeFile(join(folder, name), 'x');
  await utimes(join(folder, 'abandoned'), new Date(), new Date(Date.now() - 1_000_000));
  try {
    await system.restart();
    await eventually(async () => (await readdir(folder)).join() === 'fresh');
  } finally {
    await rm(join(folder, 'fresh'));
  }
});

test('a full disk is 503 resource_unavailable, loses nothing and uses no quota', async () => {
  const media = await uploaded(samples.png!.bytes);
  // Make every write to an upload's file fail as on a full disk.
  const { open } = fs;
  const spy = jest
    .spyOn(fs, 'open')
    .mockImplementation(((path: string, ...rest: unknown[]) =>
      path.startsWith(join(system.dataDir, 'uploads'))
        ? Reflect.apply(open, fs, ['/dev/full', 'w', ...rest.slice(1)])
        : Reflect.apply(open, fs, [path, ...rest])) as typeof fs.open);
  try {
    const res = await library.upload(await photo(80, 60));
    expect(res).toMatchObject({ status: 503, body: { code: 'resource_unavailable' } });
    expect(res.headers['retry-after']).toBe('5');
  } finally {
    spy.mockRestore();
  }
  expect((await library.get('/api/v1/media')).body).toEqual({ media: [media], total: 1, nextCursor: null });
  expect([await usage(), await filesIn('uploads')]).toEqual([media.sizeBytes, []]);
  await uploaded(await photo(80, 60));
});

describe('a client that sends slower than 16 KiB a second', () => {
  const start = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
  /** Opens an upload, sends some of it every second, and returns how and after how long it ended. */
  async function trickle(bytesPerSecond: number, seconds: number) {
    const began = Date.now();
    const req = http.request(`${system.internalUrl}/api/v1/media`, {
      method: 'POST',
      headers: { ...library.headers, 'content-type': 'multipart/form-data; boundary=b' },
    });
    req.write(start);
    req.write(samples.png!.bytes);
    let sent = 0;
    const timer = setInterval(() => {
      if (sent++ < seconds) req.write(Buffer.alloc(bytesPerSecond));
      else if (!req.writableEnded) req.end('\r\n--b--\r\n');
    }, 1000);
    const [res] = (await once(req, 'response')) as [http.IncomingMessage];
    clearInterval(timer);
    const body = JSON.parse(await text(res));
    req.destroy();
    return { status: res.statusCode, code: body.code, seconds: (Date.now() - began) / 1000 };
  }

  test('is answered 408 after ten seconds, and its slot and its file are freed immediately', async () => {
    const stalled = Promise.all(Array.from({ length: 100 }, () => trickle(0, 1000)));
    await eventually(async () => (await filesIn('uploads')).length === 100);
    expect(await library.upload(samples.png!.bytes)).toMatchObject({ status: 503 });
    for (const { status, code, seconds } of await stalled) {
      expect([status, code]).toEqual([408, 'request_timeout']);
      expect(seconds).toBeLessThan(20);
    }
    expect(await filesIn('uploads')).toEqual([]);
    await uploaded(samples.png!.bytes);
  });

  test('may neither pause nor continue at a kilobyte a second, while a faster one may take longer', async () => {
    const [slow, fast] = await Promise.all([trickle(1024, 1000), trickle(32 * 1024, 12)]);
    expect([slow.status, fast.status]).toEqual([408, 201]);
    expect(fast.seconds).toBeGreaterThan(11);
  });
});
