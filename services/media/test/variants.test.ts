import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { metrics } from '@waybill/kernel';
import { eventually, openTestDatabase, type TestSystem } from '@waybill/testing';
import { CompiledQuery, type Kysely } from 'kysely';
import sharp from 'sharp';
import { tasks } from '../src/usage/measure.ts';
import { formats, widths } from '../src/variants/variants.ts';
import { type Library, newLibrary, startMedia } from './library.ts';
import { photo } from './samples.ts';

const quota = 4_000_000;
const share = quota / 4;
const perMinute = 1000;

let system: TestSystem;
let db: Kysely<unknown>;
let library: Library;
beforeAll(async () => {
  system = await startMedia({
    MEDIA_QUOTA_BYTES: String(quota),
    MEDIA_VARIANTS_PER_MINUTE: String(perMinute),
  });
  db = await openTestDatabase(system.databaseUrl('media'));
});
afterAll(async () => {
  await db.destroy();
  await system.stop();
});
beforeEach(async () => {
  library = await newLibrary(system);
});

interface Image {
  url: string;
  sha256: string;
  sizeBytes: number;
}

async function uploaded(bytes: Buffer): Promise<Image> {
  const { status, body } = await library.upload(bytes);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.media;
}

async function get(path: string, address = '192.0.2.1') {
  const reply = await fetch(`${system.internalUrl}${path}`, { headers: { 'x-waybill-address': address } });
  const bytes = Buffer.from(await reply.arrayBuffer());
  return { status: reply.status, headers: Object.fromEntries(reply.headers), bytes };
}

const everyQuery = widths.flatMap((w) => formats.map((format) => `w=${w}&format=${format}`));
const forGood = 'public, max-age=31536000, immutable';
const forNow = 'public, max-age=60';

const getFolder = ({ sha256 }: Image) => join(system.dataDir, 'objects/media', library.storeId, sha256);
/** Returns the names and sizes of the stored variants of an image. */
async function stored(image: Image): Promise<Record<string, number>> {
  const names = (await readdir(getFolder(image))).filter((name) => name !== 'original').sort();
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(getFolder(image), name))).size));
  return Object.fromEntries(names.map((name, i) => [name, sizes[i]!]));
}
const sum = (sizes: Record<string, number>) => Object.values(sizes).reduce((all, size) => all + size, 0);

async function query<Row>(sql: string, values: unknown[] = []) {
  return (await db.executeQuery<Row>(CompiledQuery.raw(sql, values))).rows;
}
const counted = async () => {
  const sql = 'select variant_bytes from media_usage where store_id = $1';
  return Number((await query<{ variant_bytes: number }>(sql, [library.storeId]))[0]?.variant_bytes ?? 0);
};

describe('the widths of variants', () => {
  test('are those below the image’s own, which other formats also have; larger ones are the same file', async () => {
    const soft = sharp(await photo(700, 400))
      .blur(3)
      .jpeg({ quality: 98 });
    const image = await uploaded(await soft.toBuffer());
    const tags = new Set<string>();
    for (const query of everyQuery) {
      const { status, headers, bytes } = await get(`${image.url}?${query}`);
      expect(status).toBe(200);
      const wanted = Number(/w=(\d+)/.exec(query)![1]);
      expect((await sharp(bytes).metadata()).width).toBeLessThanOrEqual(Math.max(700, wanted));
      tags.add(headers.etag!);
    }
    const names = Object.keys(await stored(image));
    expect(names.filter((name) => !/^w(320|480|640)\.|^w700\.(webp|avif|png)$/.test(name))).toEqual([]);
    expect((await get(`${image.url}?w=960&format=webp`)).headers.etag).toBe(`"${image.sha256}-w700.webp"`);
    expect((await get(`${image.url}?w=1920&format=webp`)).headers.etag).toBe(`"${image.sha256}-w700.webp"`);
    // In its own format and width, the image serves as its own variant.
    for (const query of ['w=960', 'w=1920&format=jpeg']) {
      expect((await get(`${image.url}?${query}`)).headers.etag).toBe(`"${image.sha256}"`);
    }
    expect(tags.size).toBeLessThanOrEqual(3 * formats.length + formats.length);
  });

  test('none is larger in bytes than the image, which is then served instead', async () => {
    const flat = await sharp({ create: { width: 700, height: 700, channels: 3, background: 'red' } })
      .png({ compressionLevel: 9 })
      .toBuffer();
    const noise = await uploaded(await photo(700, 500));
    for (const image of [await uploaded(flat), noise]) {
      for (const query of everyQuery) await get(`${image.url}?${query}`);
      const sizes = Object.values(await stored(image));
      expect(sizes.filter((size) => size > Math.max(image.sizeBytes, 65_536) || size === 0)).toEqual([]);
    }
    const found = `select name, changed_at from media_variant where store_id = $1 and size_bytes = 0 order by name`;
    const useless = await query(found, [library.storeId]);
    expect(useless).toContainEqual(expect.objectContaining({ name: 'w640.png' }));
    const { headers, bytes } = await get(`${noise.url}?w=640&format=png`);
    expect([headers.etag, headers['cache-control'], bytes.length]).toEqual([
      `"${noise.sha256}"`,
      forGood,
      noise.sizeBytes,
    ]);
    expect(await query(found, [library.storeId])).toEqual(useless);
  });
});

describe("a store's variants", () => {
  test('never use more than a quarter of the quota, however many are requested, and are counted', async () => {
    const images = await Promise.all([701, 702, 703].map(async (width) => uploaded(await photo(width, 500))));
    const created = new Set<string>();
    for (const query of everyQuery) {
      const replies = await Promise.all(images.map(({ url }) => get(`${url}?${query}`)));
      for (const { status, headers } of replies) {
        expect(status).toBe(200);
        created.add(headers.etag!);
      }
      const sizes = await Promise.all(images.map(stored));
      expect(sizes.reduce((all, each) => all + sum(each), 0)).toBeLessThanOrEqual(share);
    }
    const all = (await Promise.all(images.map(stored))).reduce((total, each) => total + sum(each), 0);
    expect([all, await counted()]).toEqual([all, all]);
    expect(all).toBeGreaterThan(share / 2);
    // More variants were made than there was room for.
    const storedKeys = (await Promise.all(images.map(stored))).flatMap(Object.keys);
    expect(created.size - images.length).toBeGreaterThan(storedKeys.length);
  });

  test('are evicted by use, the least recently used first', async () => {
    const first = await uploaded(await photo(710, 500));
    for (const w of widths.slice(0, 3)) await get(`${first.url}?w=${w}`);
    const before = Object.keys(await stored(first));
    expect(before).toEqual(['w320.jpeg', 'w480.jpeg', 'w640.jpeg']);
    const age = `update media_variant set used_at = now() - case name
        when 'w480.jpeg' then interval '1 minute' else interval '2 days' end where store_id = $1`;
    await query(age, [library.storeId]);
    for (let i = 0; Object.keys(await stored(first)).length === 3; i++) {
      const fresh = await uploaded(await photo(400 + i, 300));
      await get(`${fresh.url}?w=320`);
      expect(i).toBeLessThan(50);
    }
    expect(Object.keys(await stored(first))).toContain('w480.jpeg');
    // A removed variant is made again when it is requested.
    const gone = before.find((name) => name !== 'w480.jpeg')!;
    const again = await get(`${first.url}?w=${/\d+/.exec(gone)![0]}`);
    expect(again.headers.etag).toBe(`"${first.sha256}-${gone}"`);
  });

  test('are marked as used at most once an hour, not by every read', async () => {
    const rows = await Promise.all(
      ['2 hours', '50 minutes'].map(async (ago, i) => {
        const { url, sha256 } = await uploaded(await photo(800, 600 + i));
        await get(`${url}?w=320`);
        await query(
          `update media_variant set used_at = now() - $3::interval where store_id = $1 and sha256 = $2`,
          [library.storeId, sha256, ago],
        );
        const row = async () =>
          (
            await query<{ xmin: string; age: number }>(
              `select xmin::text, extract(epoch from now() - used_at)::float8 as age
               from media_variant where store_id = $1 and sha256 = $2`,
              [library.storeId, sha256],
            )
          )[0]!;
        return { url, row };
      }),
    );
    const [long, lately] = rows as [(typeof rows)[0], (typeof rows)[0]];
    const { xmin } = await lately.row();
    await Promise.all(
      Array.from({ length: 20 }, () => [lately, long].map(({ url }) => get(`${url}?w=320`))).flat(),
    );
    // All marks are written together, so once this one is stored the other's would be too.
    await eventually(async () => (await long.row()).age < 60, { withinMs: 20_000 });
    expect((await lately.row()).xmin).toBe(xmin);
  });

  test('that another process creates or removes are served meanwhile, and stored once', async () => {
    const image = await uploaded(await photo(800, 600));
    await query(`insert into media_variant values ($1, $2, 'w320.jpeg', 0, 'making', now(), now())`, [
      library.storeId,
      image.sha256,
    ]);
    const { headers, bytes } = await get(`${image.url}?w=320`);
    expect([headers.etag, (await sharp(bytes).metadata()).width]).toEqual([
      `"${image.sha256}-w320.jpeg"`,
      320,
    ]);
    expect([await stored(image), await counted()]).toEqual([{}, 0]);
  });
});

describe('after a kill', () => {
  test('variants that were being created or removed are removed, and no longer counted', async () => {
    const image = await uploaded(await photo(800, 600));
    await get(`${image.url}?w=320`);
    const before = await stored(image);
    await writeFile(join(getFolder(image), 'w480.jpeg'), 'half');
    await writeFile(join(getFolder(image), 'w640.jpeg'), 'whole');
    await query(
      `with left_behind as (
         insert into media_variant
         select $1, $2, name, 1000, state, date_trunc('second', now() - interval '10 minutes'), now()
         from (values ('w480.jpeg', 'making'), ('w640.jpeg', 'removing'), ('w320.png', 'making')) as v (name, state)
       ) update media_usage set variant_bytes = variant_bytes + 3000 where store_id = $1`,
      [library.storeId, image.sha256],
    );
    await system.restart();
    await eventually(async () => (await counted()) === sum(before));
    expect(await stored(image)).toEqual(before);
    expect((await get(`${image.url}?w=480`)).headers.etag).toBe(`"${image.sha256}-w480.jpeg"`);
  });

  test('unknown objects are found and removed, never originals or known variants', async () => {
    const image = await uploaded(await photo(800, 600));
    await get(`${image.url}?w=320`);
    const before = await stored(image);
    for (const name of ['w1280.webp', 'w960.jpeg']) await writeFile(join(getFolder(image), name), 'old');
    await query(`update media_search set next_at = now()`);
    await system.restart();
    await eventually(async () => Object.keys(await stored(image)).length === 1);
    expect(await stored(image)).toEqual(before);
    expect((await get(image.url)).bytes.length).toBe(image.sizeBytes);
  });

  test('a known variant without bytes is the original for a moment, and then created again', async () => {
    const image = await uploaded(await photo(800, 600));
    const url = `${image.url}?w=320`;
    const { headers } = await get(url);
    await rm(join(getFolder(image), 'w320.jpeg'));
    const meanwhile = await get(url);
    expect([meanwhile.status, meanwhile.headers.etag, meanwhile.headers['cache-control']]).toEqual([
      200,
      `"${image.sha256}"`,
      forNow,
    ]);
    const again = await get(url);
    expect([again.headers.etag, again.headers['cache-control']]).toEqual([headers.etag, forGood]);
    expect(await counted()).toBe(sum(await stored(image)));
  });
});

test('gauges show the bytes of all stores, and how many stores are nearly full', async () => {
  const [measure] = tasks({ db, config: { quotaBytes: quota } } as Parameters<typeof tasks>[0]);
  const readGauges = async () => {
    await measure!.run();
    const stored = (await metrics.getSingleMetric('waybill_media_stored_bytes')!.get()).values;
    const near = (await metrics.getSingleMetric('waybill_media_stores_near_quota')!.get()).values;
    const of = (kind: string) => stored.find(({ labels }) => labels.kind === kind)!.value;
    return { assets: of('assets'), variants: of('variants'), near: near[0]!.value };
  };
  const before = await readGauges();
  const image = await uploaded(await photo(1000, 800));
  await get(`${image.url}?w=320`);
  const after = await readGauges();
  expect(after.assets - before.assets).toBe(image.sizeBytes);
  expect(after.variants).toBeGreaterThan(before.variants);
  const fill = `update media_usage set used_bytes = ${quota * 0.9} where store_id = '${library.storeId}'`;
  await db.executeQuery(CompiledQuery.raw(fill));
  expect((await readGauges()).near).toBe(before.near + 1);
});

test('an address can create a limited number; then it gets originals for a moment, while others are served as before', async () => {
  await system.stop();
  system = await startMedia({ MEDIA_VARIANTS_PER_MINUTE: '3' });
  library = await newLibrary(system);
  const image = await uploaded(await photo(1000, 800));
  const ask = (w: number, address?: string) => get(`${image.url}?w=${w}`, address);
  for (const w of [320, 480, 640]) expect((await ask(w)).headers.etag).toContain(`-w${w}.`);
  const refused = await ask(960);
  expect([refused.status, refused.headers.etag, refused.headers['cache-control']]).toEqual([
    200,
    `"${image.sha256}"`,
    forNow,
  ]);
  expect(Object.keys(await stored(image))).toHaveLength(3);
  // Reading existing variants is not limited, nor are those that others have made.
  for (let i = 0; i < 10; i++) expect((await ask(320)).headers['cache-control']).toBe(forGood);
  expect((await ask(960, '192.0.2.2')).headers.etag).toContain('-w960.');
  expect((await ask(960)).headers.etag).toContain('-w960.');
});
