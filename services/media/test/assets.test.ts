import { readFile } from 'node:fs/promises';
import { newId } from '@waybill/contracts';
import { openTestDatabase, runSql, type TestSystem, waitUntilBlocked } from '@waybill/testing';
import { sql, type Transaction } from 'kysely';
import request from 'supertest';
import { listAssets } from '../src/assets/queries.ts';
import type { Tables } from '../src/tables.ts';
import { type Library, newLibrary, startMedia } from './library.ts';
import { samples } from './samples.ts';

const list = '/api/v1/media';
const folders = '/api/v1/media-folders';

let system: TestSystem;
let library: Library;
beforeAll(async () => {
  system = await startMedia();
});
afterAll(() => system.stop());
beforeEach(async () => {
  library = await newLibrary(system);
});

const png = samples.png!.bytes;
const upload = async (name: string, bytes = png, folderId?: string) => {
  const res = await library.upload(bytes, { name, ...(folderId && { folderId }) });
  expect(res.status).toBe(201);
  return res.body.media;
};
const newFolder = async (name: string, parentId?: string | null) => {
  const res = await library.post(folders, { name, parentId });
  expect(res).toMatchObject({ status: 201 });
  return res.body.mediaFolder;
};
/**
 * Runs `work` while another transaction holds the folders of the library, until `count` statements wait for it;
 * `meanwhile` runs before they go on.
 */
async function duringHold<Result>(
  work: () => Promise<Result>,
  { count = 1, meanwhile = async () => {} }: { count?: number; meanwhile?: (trx: Trx) => Promise<unknown> },
): Promise<Result> {
  const url = system.databaseUrl('media');
  const db = await openTestDatabase<Tables>(url);
  let result: Promise<Result> | undefined;
  try {
    await db.transaction().execute(async (trx) => {
      await trx
        .selectFrom('media_folder')
        .select('id')
        .where('store_id', '=', library.storeId)
        .forUpdate()
        .execute();
      result = work();
      await waitUntilBlocked(url, '', count);
      await meanwhile(trx);
    });
  } finally {
    await db.destroy();
  }
  return result!;
}
type Trx = Transaction<Tables>;
const names = async (query: string) => {
  const { body } = await library.get(`${list}?${query}`);
  expect(body.media).toHaveLength(body.total);
  return body.media.map(({ name }: { name: string }) => name);
};

describe('GET /api/v1/media', () => {
  test('lists newest first, by name or by size, in pages that do not overlap', async () => {
    await upload('b', samples.jpeg!.bytes);
    await upload('Ä', samples.webp!.bytes);
    await upload('c', samples.mp4!.bytes);
    expect(await names('')).toEqual(['c', 'Ä', 'b']);
    expect(await names('dir=asc')).toEqual(['b', 'Ä', 'c']);
    expect(await names('sort=name&dir=asc')).toEqual(['Ä', 'b', 'c']);
    const sizes = (await library.get(`${list}?sort=size&dir=asc`)).body.media.map(
      (each: { sizeBytes: number }) => each.sizeBytes,
    );
    expect(sizes).toEqual(sizes.toSorted((a: number, b: number) => a - b));
    const pages = await Promise.all(
      [0, 1, 2].map((offset) => library.get(`${list}?limit=1&offset=${offset}`)),
    );
    expect(pages.map(({ body }) => [body.media[0].name, body.total])).toEqual([
      ['c', 3],
      ['Ä', 3],
      ['b', 3],
    ]);
    expect(await names('sort=nonsense&dir=nonsense&kind=nonsense&trashed=nonsense&folderId=')).toHaveLength(
      3,
    );
  });

  test('filters by kind, folder, words of the name and trash', async () => {
    const folder = await newFolder('Summer');
    await upload('Beach at noon.png', png, folder.id);
    await upload('Beach 100%_.mp4', samples.mp4!.bytes);
    const gone = await upload('Old beach.png');
    await library.remove(`${list}/${gone.id}`).expect(204);
    expect(await names('kind=video')).toEqual(['Beach 100%_.mp4']);
    expect(await names('kind=font')).toEqual([]);
    expect(await names(`folderId=${folder.id}`)).toEqual(['Beach at noon.png']);
    expect(await names('folderId=root')).toEqual(['Beach 100%_.mp4']);
    expect(await names(`folderId=${newId('mediaFolder')}`)).toEqual([]);
    expect(await names('folderId=nonsense%00')).toEqual([]);
    expect(await names('q=NOON+beach')).toEqual(['Beach at noon.png']);
    expect(await names('q=100%25_')).toEqual(['Beach 100%_.mp4']);
    expect(await names('q=%25')).toEqual(['Beach 100%_.mp4']);
    expect(await names('q=%00')).toEqual([]);
    expect(await names('trashed=true')).toEqual(['Old beach.png']);
  });

  test('finds a decomposed name by a composed query, and vice versa', async () => {
    const composed = 'Café.png';
    const decomposed = composed.normalize('NFD');
    await upload(composed);
    await upload(decomposed);
    const expectBoth = async () => {
      for (const q of [composed, decomposed])
        expect((await names(`q=${encodeURIComponent(q)}`)).toSorted()).toEqual([decomposed, composed]);
    };
    await expectBoth();
    // Put the row back to how older versions stored it.
    await runSql(system, 'media', `update media_asset set search = lower(name), name_key = lower(name)`);
    const migration = new URL('../migrations/0010_folded.online.sql', import.meta.url);
    // The migration's index already exists, so only its steps run.
    const [, steps] = (await readFile(migration, 'utf8')).split('-- In steps:');
    await runSql(system, 'media', steps!);
    await expectBoth();
  });

  test("shows nothing of another store's", async () => {
    const asset = await upload('mine');
    const other = await newLibrary(system);
    expect((await other.get(list)).body).toEqual({ media: [], total: 0, nextCursor: null });
    for (const res of [
      await other.get(`${list}/${asset.id}`),
      await other.patch(`${list}/${asset.id}`, { name: 'theirs' }),
      await other.remove(`${list}/${asset.id}`),
      await other.post(`${list}/${asset.id}/restore`),
    ]) {
      expect(res).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    expect((await library.get(`${list}/${asset.id}`)).body.media).toEqual(asset);
  });
});

describe('PATCH /api/v1/media/{id}', () => {
  test('renames and moves; omitted fields stay', async () => {
    const folder = await newFolder('Here');
    const asset = await upload('before');
    const moved = await library.patch(`${list}/${asset.id}`, { folderId: folder.id }).expect(200);
    expect(moved.body.media).toMatchObject({
      name: 'before',
      folderId: folder.id,
      createdAt: asset.createdAt,
    });
    expect(moved.body.media.updatedAt > asset.updatedAt).toBe(true);
    const renamed = await library.patch(`${list}/${asset.id}`, { name: 'after' }).expect(200);
    expect(renamed.body.media).toMatchObject({ name: 'after', folderId: folder.id });
    const back = await library
      .patch(`${list}/${asset.id}`, { folderId: null, url: 'ignored', trashed: true })
      .expect(200);
    expect(back.body.media).toMatchObject({ name: 'after', folderId: null, trashed: false, url: asset.url });
    expect(await names('q=after')).toEqual(['after']);
  });

  test('that changes nothing writes nothing', async () => {
    const asset = await upload('same');
    for (const patch of [{}, { name: 'same' }, { name: 'same', folderId: null }]) {
      expect((await library.patch(`${list}/${asset.id}`, patch).expect(200)).body.media).toEqual(asset);
    }
  });

  test('404 for an unknown folder, 400 for an invalid name', async () => {
    const asset = await upload('x');
    for (const folderId of [newId('mediaFolder'), 'nonsense', '']) {
      const res = await library.patch(`${list}/${asset.id}`, { folderId });
      expect(res).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    for (const name of ['', 'x'.repeat(201), null, 7]) {
      const res = await library.patch(`${list}/${asset.id}`, { name });
      expect(res).toMatchObject({
        status: 400,
        body: { code: 'invalid_body', details: [{ pointer: '/name' }] },
      });
    }
  });
});

describe('the description of an asset', () => {
  test('is empty at first, set by PATCH, and sent to other services', async () => {
    const asset = await upload('x');
    expect(asset).toMatchObject({ alt: '', focalPoint: null });
    const path = `${list}/${asset.id}`;
    const described = { alt: 'A “cup” of <tea>', focalPoint: { x: 0.125, y: 1 } };
    expect((await library.patch(path, described).expect(200)).body.media).toMatchObject(described);
    expect((await library.get(list)).body.media[0]).toMatchObject(described);
    const same = await library.patch(path, described).expect(200);
    expect(same.body.media).toEqual((await library.get(path)).body.media);
    const moved = await library.patch(path, { focalPoint: null }).expect(200);
    expect(moved.body.media).toMatchObject({ alt: described.alt, focalPoint: null, name: 'x' });
  });

  test('is 400 if it is too long, or outside of the image', async () => {
    const asset = await upload('x');
    for (const [patch, pointer] of [
      [{ alt: 'x'.repeat(501) }, '/alt'],
      [{ alt: null }, '/alt'],
      [{ focalPoint: { x: -0.1, y: 0 } }, '/focalPoint'],
      [{ focalPoint: { x: 0, y: 1.1 } }, '/focalPoint'],
      [{ focalPoint: { x: 0 } }, '/focalPoint'],
      [{ focalPoint: 'center' }, '/focalPoint'],
    ] as const) {
      const { status, body } = await library.patch(`${list}/${asset.id}`, patch);
      expect([patch, status, body.code]).toEqual([patch, 400, 'invalid_body']);
      expect(body.details[0].pointer.startsWith(pointer)).toBe(true);
    }
    await library.patch(`${list}/${asset.id}`, { alt: '🍵'.repeat(500) }).expect(200);
  });
});

describe('the trash', () => {
  test('takes an asset and restores it; repeats change nothing', async () => {
    const asset = await upload('x');
    const path = `${list}/${asset.id}`;
    await library.remove(path).expect(204, '');
    const trashed = (await library.get(path).expect(200)).body.media;
    expect(trashed).toMatchObject({ trashed: true, trashedAt: expect.any(String) });
    await library.remove(path).expect(204);
    expect((await library.get(path)).body.media).toEqual(trashed);
    const restored = (await library.post(`${path}/restore`).expect(200)).body.media;
    expect(restored).toEqual({ ...asset, updatedAt: expect.any(String) });
    expect((await library.post(`${path}/restore`).expect(200)).body.media).toEqual(restored);
  });

  test('404 for an unknown id', async () => {
    for (const id of [newId('mediaAsset'), newId('product'), 'x']) {
      await library.remove(`${list}/${id}`).expect(404);
      await library.post(`${list}/${id}/restore`).expect(404);
    }
  });
});

describe('folders', () => {
  test('are a tree sorted by name; the total counts all of them', async () => {
    const b = await newFolder('b');
    const a = await newFolder('a', null);
    const inB = await newFolder('c', b.id);
    const deep = await newFolder('c', inB.id);
    expect(deep).toEqual({
      id: expect.stringMatching(/^mdf_/),
      name: 'c',
      parentId: inB.id,
      children: [],
      createdAt: expect.any(String),
      updatedAt: deep.createdAt,
    });
    expect((await library.get(folders).expect(200)).body).toEqual({
      mediaFolders: [a, { ...b, children: [{ ...inB, children: [deep] }] }],
      total: 4,
    });
  });

  test('409 duplicate_name for two of a name in one folder, also simultaneously', async () => {
    const parent = await newFolder('parent');
    for (const parentId of [undefined, parent.id]) {
      const results = await Promise.all(
        Array.from({ length: 8 }, () => library.post(folders, { name: 'same', parentId })),
      );
      expect(results.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
      expect(results.find(({ status }) => status === 409)!.body.code).toBe('duplicate_name');
    }
    await (await newLibrary(system)).post(folders, { name: 'same' }).expect(201);
  });

  test("404 for a parent that is not there or another store's, 400 for a name that is none", async () => {
    const { body } = await (await newLibrary(system)).post(folders, { name: 'theirs' });
    for (const parentId of [newId('mediaFolder'), body.mediaFolder.id, 'x', '']) {
      expect(await library.post(folders, { name: 'x', parentId })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    }
    for (const name of ['', 'x'.repeat(201), 7, undefined]) {
      expect(await library.post(folders, { name })).toMatchObject({
        status: 400,
        body: { code: 'invalid_body' },
      });
    }
  });

  test('409 too_many_folders for more than 20 levels', async () => {
    let parentId: string | undefined;
    for (let level = 1; level <= 20; level++) parentId = (await newFolder('x', parentId)).id;
    const res = await library.post(folders, { name: 'x', parentId });
    expect(res).toMatchObject({ status: 409, body: { code: 'too_many_folders' } });
  });

  test('are renamed and moved with their content', async () => {
    const [a, b] = [await newFolder('a'), await newFolder('b')];
    const inner = await newFolder('inner', a.id);
    const moved = await library.patch(`${folders}/${a.id}`, { name: 'c', parentId: b.id }).expect(200);
    expect(moved.body.mediaFolder).toMatchObject({ name: 'c', parentId: b.id, children: [inner] });
    const same = await library.patch(`${folders}/${a.id}`, { name: 'c' }).expect(200);
    expect(same.body).toEqual(moved.body);
    await library.patch(`${folders}/${a.id}`, { parentId: null }).expect(200);
    expect((await library.get(folders)).body.mediaFolders.map(({ name }: { name: string }) => name)).toEqual([
      'b',
      'c',
    ]);
  });

  test('do not move into themselves, to an existing name, or to an unknown parent', async () => {
    const [a, b] = [await newFolder('a'), await newFolder('b')];
    const inner = await newFolder('b', a.id);
    const refused = async (id: string, patch: object, status: number, code: string) => {
      const res = await library.patch(`${folders}/${id}`, patch);
      expect([patch, res.status, res.body.code]).toEqual([patch, status, code]);
    };
    await refused(a.id, { parentId: a.id }, 409, 'cycle_detected');
    await refused(a.id, { parentId: inner.id }, 409, 'cycle_detected');
    await refused(inner.id, { parentId: null }, 409, 'duplicate_name');
    await refused(b.id, { name: 'a' }, 409, 'duplicate_name');
    await refused(b.id, { parentId: newId('mediaFolder') }, 404, 'not_found');
    await refused(newId('mediaFolder'), { name: 'x' }, 404, 'not_found');
    await refused(b.id, { name: '' }, 400, 'invalid_body');
    const other = await newLibrary(system);
    await other.patch(`${folders}/${b.id}`, { name: 'mine' }).expect(404);
    await other.remove(`${folders}/${b.id}`).expect(404);
  });

  test('that are moved into each other simultaneously form no cycle', async () => {
    for (let round = 0; round < 10; round++) {
      const [a, b] = [await newFolder(`a${round}`), await newFolder(`b${round}`)];
      const results = await Promise.all([
        library.patch(`${folders}/${a.id}`, { parentId: b.id }),
        library.patch(`${folders}/${b.id}`, { parentId: a.id }),
      ]);
      expect(results.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
    expect((await library.get(folders)).body.mediaFolders).toHaveLength(10);
  });

  test('that are moved into each other’s content with If-Match form no cycle either', async () => {
    const [a, b] = [await newFolder('a'), await newFolder('b')];
    const [inA, inB] = [await newFolder('inner', a.id), await newFolder('inner', b.id)];
    const move = async (id: string, parentId: string) => {
      const { headers } = await library.get(`${folders}/${id}`);
      return library.patch(`${folders}/${id}`, { parentId }).set('if-match', headers.etag!);
    };
    const results = await duringHold(() => Promise.all([move(a.id, inB.id), move(b.id, inA.id)]), {
      count: 2,
    });
    expect(results.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await library.get(folders)).body).toMatchObject({ mediaFolders: [{}], total: 4 });
  });

  test('are not moved if they would exceed 20 levels', async () => {
    let parentId: string | undefined;
    for (let level = 1; level <= 19; level++) parentId = (await newFolder('x', parentId)).id;
    const pair = await newFolder('pair');
    await newFolder('inner', pair.id);
    const res = await library.patch(`${folders}/${pair.id}`, { parentId });
    expect(res).toMatchObject({ status: 409, body: { code: 'too_many_folders' } });
  });

  test('are deleted only when they are empty, also of trash', async () => {
    const [outer, target] = [await newFolder('outer'), await newFolder('target')];
    const inner = await newFolder('inner', outer.id);
    const asset = await upload('x', png, inner.id);
    const refused = async (id: string) =>
      expect(await library.remove(`${folders}/${id}`)).toMatchObject({
        status: 409,
        body: { code: 'folder_not_empty' },
      });
    await refused(outer.id);
    await refused(inner.id);
    await library.remove(`${list}/${asset.id}`).expect(204);
    await refused(inner.id);
    await library.patch(`${list}/${asset.id}`, { folderId: target.id }).expect(200);
    await library.remove(`${folders}/${inner.id}`).expect(204);
    await library.remove(`${folders}/${inner.id}`).expect(404);
    await library.remove(`${folders}/${outer.id}`).expect(204);
  });

  test('that are deleted with If-Match stay if they have received content since', async () => {
    const [folder, asset] = [await newFolder('f'), await upload('x')];
    const { headers } = await library.get(`${folders}/${folder.id}`);
    const removed = await duringHold(
      async () => library.remove(`${folders}/${folder.id}`).set('if-match', headers.etag!),
      {
        meanwhile: (trx) =>
          trx.updateTable('media_asset').set({ folder_id: folder.id }).where('id', '=', asset.id).execute(),
      },
    );
    expect(removed).toMatchObject({ status: 409, body: { code: 'folder_not_empty' } });
  });

  test('that are deleted while they receive content either stay or lose nothing', async () => {
    for (let round = 0; round < 10; round++) {
      const folder = await newFolder(`f${round}`);
      const [uploaded, removed] = await Promise.all([
        library.upload(png, { folderId: folder.id }),
        library.remove(`${folders}/${folder.id}`),
      ]);
      expect([uploaded.status, removed.status].sort()).toEqual(
        removed.status === 204 ? [204, 404] : [201, 409],
      );
    }
  });

  test('403 insufficient_scope for a key that may only read', async () => {
    const reader = await newLibrary(system, ['media.read']);
    const res = await reader.post(folders, { name: 'x' });
    expect(res).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  });
});

test('POST /internal/assets/lookup returns a store’s assets, trashed or not', async () => {
  const asset = await upload('x');
  const trashed = await upload('y', samples.mp4!.bytes);
  await library.remove(`${list}/${trashed.id}`).expect(204);
  const lookUp = (storeId: string) =>
    request(system.internalUrl)
      .post('/internal/assets/lookup')
      .set('authorization', `Bearer ${system.serviceToken}`)
      .send({ storeId, ids: [trashed.id, asset.id, newId('mediaAsset'), 'x'] });
  const plain = { alt: '', focalPoint: null };
  const facts = { id: asset.id, kind: 'image', contentType: 'image/png', width: 40, height: 30, ...plain };
  const video = {
    id: trashed.id,
    kind: 'video',
    contentType: 'video/mp4',
    width: null,
    height: null,
    ...plain,
  };
  expect((await lookUp(library.storeId)).body).toEqual({ assets: [facts, video] });
  expect((await lookUp(newId('store'))).body).toEqual({ assets: [] });
});

describe('without an object store', () => {
  let off: TestSystem;
  beforeAll(async () => {
    off = await startMedia({ MEDIA_STORE: 'off' });
  });
  afterAll(() => off.stop());

  test('every route of media is 503 resource_unavailable', async () => {
    const { get, post, patch, remove, upload, storeId } = await newLibrary(off);
    const id = newId('mediaAsset');
    for (const res of [
      await get(list),
      await upload(png),
      await get(`${list}/${id}`),
      await patch(`${list}/${id}`, { name: 'x' }),
      await remove(`${list}/${id}`),
      await post(`${list}/${id}/restore`),
      await get(folders),
      await post(folders, { name: 'x' }),
      await get(`/media/${storeId}/${id}`),
      // Whatever else is wrong with the request.
      await get(`${list}/mda_x`),
      await patch(`${list}/${id}`, { name: 1 }),
      await post(folders, {}),
      await get(`${list}?after=none`),
    ]) {
      expect(res).toMatchObject({ status: 503, body: { code: 'resource_unavailable' } });
      expect(res.headers['retry-after']).toBeDefined();
    }
  });
});

test('a search of thousands of words finds the assets with all of them', async () => {
  await upload('a tea pot.png');
  expect(await names(`q=${'a+tea+'.repeat(2500)}`)).toEqual(['a tea pot.png']);
  expect(await names(`q=${'a+'.repeat(7000)}cup`)).toEqual([]);
});

test('a very long list is counted in an index, and reads only the rows of its page', async () => {
  const db = await openTestDatabase<Tables>(system.databaseUrl('media'));
  const blocksRead = async () => {
    await sql`select pg_stat_force_next_flush()`.execute(db);
    const { rows } = await sql<{ blocks: number }>`
      select (heap_blks_read + heap_blks_hit)::int as blocks from pg_statio_user_tables
      where relname = 'media_asset'`.execute(db);
    return rows[0]!.blocks;
  };
  try {
    await sql`insert into media_asset (store_id, id, name, name_key, search, kind, content_type, size_bytes, sha256,
        resizable, created_at, updated_at)
      select ${library.storeId}, 'med_' || i, name, name, name, 'image', 'image/png', 1, md5(name), false, now(), now()
      from (select i, 'picture ' || i as name from generate_series(1, 20000) i) picture`.execute(db);
    await sql`vacuum analyze media_asset`.execute(db);
    for (const kind of [undefined, 'image'] as const) {
      const before = await blocksRead();
      const query = { sort: 'created', dir: 'desc', limit: 50, offset: 0, trashed: false, kind } as const;
      expect((await listAssets(db, library.storeId, query, undefined)).total).toBe(20_000);
      expect((await blocksRead()) - before).toBeLessThan(200);
    }
  } finally {
    await db.destroy();
  }
});

test('every change is later than the last, whatever the clocks of replicas say', async () => {
  const { id } = await upload('a');
  const folder = await newFolder('a');
  await runSql(
    system,
    'media',
    `update media_asset set updated_at = now() + interval '1 hour' where id = '${id}';
     update media_folder set updated_at = now() + interval '1 hour' where id = '${folder.id}'`,
  );
  const asset = async () => (await library.get(`${list}/${id}`)).body.media.updatedAt;
  const moments = [await asset()];
  for (const change of [
    () => library.patch(`${list}/${id}`, { name: 'b' }),
    () => library.remove(`${list}/${id}`),
    () => library.post(`${list}/${id}/restore`),
  ]) {
    await change();
    moments.push(await asset());
  }
  expect(moments).toEqual([...new Set(moments)].sort());
  const before = (await library.get(`${folders}/${folder.id}`)).body.mediaFolder.updatedAt;
  const { body } = await library.patch(`${folders}/${folder.id}`, { name: 'b' });
  expect(body.mediaFolder.updatedAt > before).toBe(true);
});
