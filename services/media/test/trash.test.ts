import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AssetsPurged,
  errors,
  type MediaUse,
  type MediaUsesQuery,
  newId,
  type Role,
} from '@waybill/contracts';
import { defineConfig, defineService } from '@waybill/kernel';
import {
  createStubService,
  eventually,
  openTestDatabase,
  startSystem,
  type TestSystem,
} from '@waybill/testing';
import { CompiledQuery, type Kysely } from 'kysely';
import request from 'supertest';
import type { Static } from 'typebox';
import Type from 'typebox';
import { media } from '../src/index.ts';
import { type Library, newLibrary } from './library.ts';
import { photo, samples } from './samples.ts';

/** Stand-ins for the services that show assets. */
const users = new Map<string, MediaUse[]>();
const down = new Set<string>();
let meanwhile: (() => Promise<unknown>) | undefined;
const createUserService = (name: 'content' | 'catalog') =>
  createStubService(name, {
    async [`POST /internal/${name}/media-uses`]({ body }: { body: Static<typeof MediaUsesQuery> }) {
      if (down.has(name)) throw errors.internal_error();
      const work = meanwhile;
      meanwhile = undefined;
      await work?.();
      const shown = (users.get(name) ?? []).filter(({ live }) => live || !body.liveOnly);
      return { uses: shown.filter(({ assetId }) => body.assetIds.includes(assetId)) };
    },
  });
const purgedIds: string[] = [];
const listener = defineService({
  name: 'listener',
  config: defineConfig(Type.Object({})),
  aggregates: [],
  subscriptions: () => [
    {
      queue: 'listener.purged',
      events: [AssetsPurged],
      batch: 100,
      handle: async (events) =>
        void purgedIds.push(...events.flatMap(({ data }) => JSON.parse(data).assetIds)),
    },
  ],
});

const quota = 4_000_000;
let system: TestSystem;
let db: Kysely<unknown>;
let library: Library;
beforeAll(async () => {
  system = await startSystem([media, createUserService('content'), createUserService('catalog'), listener], {
    MEDIA_QUOTA_BYTES: String(quota),
    MEDIA_TRASH_DAYS: '30',
  });
  db = await openTestDatabase(system.databaseUrl('media'));
});
afterAll(async () => {
  await db.destroy();
  await system.stop();
});
beforeEach(async () => {
  users.clear();
  down.clear();
  library = await newLibrary(system);
});

const query = async <Row>(sql: string, ...values: unknown[]) =>
  (await db.executeQuery<Row>(CompiledQuery.raw(sql, values))).rows;

interface Asset {
  id: string;
  url: string;
  sha256: string;
  sizeBytes: number;
}
async function upload(bytes: Buffer, isTrashed = true): Promise<Asset> {
  const { body } = await library.upload(bytes).expect(201);
  if (isTrashed) await library.remove(`/api/v1/media/${body.media.id}`).expect(204);
  return body.media;
}
async function member(method: 'get' | 'post', path: string, body?: object, role: Role = 'editor') {
  const { storeId } = library;
  const headers = await system.as({ kind: 'user', userId: 'usr_1', email: 'a@b.example', storeId, role });
  return request(system.internalUrl)[method](`/api/stores/${storeId}/media${path}`).set(headers).send(body);
}
const purge = (ids: string[], more: object = {}) => member('post', '/purge', { ids, ...more });
const quotaNow = async () => (await member('get', '/quota')).body.quota;
const isThere = async ({ id }: Asset) => (await library.get(`/api/v1/media/${id}`)).status === 200;
const objects = () =>
  readdir(join(system.dataDir, 'objects/media', library.storeId), { recursive: true }).then(
    (names) => names.filter((name) => name.includes('/')),
    () => [],
  );
const use = (assetId: string, live: boolean): MediaUse => ({
  assetId,
  type: 'page',
  id: newId('page'),
  name: 'Home',
  live,
});

describe('a purge', () => {
  test('deletes assets for good, with their files and variants, and frees the quota', async () => {
    const [a, b] = [await upload(await photo(700, 500)), await upload(samples.gif!.bytes)];
    const remaining = await upload(samples.png!.bytes, false);
    for (const w of [320, 480]) expect((await library.get(`${a.url}?w=${w}`)).status).toBe(200);
    expect(await objects()).toHaveLength(5);
    const trashed = a.sizeBytes + b.sizeBytes;
    expect(await quotaNow()).toEqual({ used: trashed + remaining.sizeBytes, limit: quota, trashed });
    expect((await purge([a.id, b.id, a.id])).status).toBe(204);
    expect(await quotaNow()).toEqual({ used: remaining.sizeBytes, limit: quota, trashed: 0 });
    for (const asset of [a, b]) {
      expect(await isThere(asset)).toBe(false);
      expect((await library.get(asset.url)).status).toBe(404);
    }
    await eventually(async () => (await objects()).length === 1);
    await eventually(async () => {
      const [left] = await query<{ left: number }>(
        `select variant_bytes + (select count(*) from media_variant v where v.store_id = u.store_id)
           + (select count(*) from media_reservation r where r.store_id = u.store_id) as left
         from media_usage u where store_id = $1`,
        library.storeId,
      );
      return Number(left!.left) === 0;
    });
    expect((await library.get(remaining.url)).status).toBe(200);
    await eventually(() => purgedIds.includes(a.id) && purgedIds.includes(b.id));
    // The removed file can be uploaded again.
    const again = await eventually(async () => {
      const reply = await library.upload(await photo(700, 500));
      return reply.status === 201 && reply.body.media;
    });
    expect((await library.get(again.url)).status).toBe(200);
  });

  test('keeps bytes that another asset uses', async () => {
    const bytes = await photo(300, 200);
    const [a, b] = [await upload(bytes), await upload(bytes, false)];
    expect((await purge([a.id])).status).toBe(204);
    expect((await library.get(b.url)).status).toBe(200);
    await library.remove(`/api/v1/media/${b.id}`).expect(204);
    expect((await purge([b.id])).status).toBe(204);
    await eventually(async () => (await objects()).length === 0);
  });

  test('deletes all or none, and reports unknown assets first, then those not in the trash, then those in use', async () => {
    const [a, used] = [await upload(samples.png!.bytes), await upload(samples.gif!.bytes)];
    const remaining = await upload(samples.webp!.bytes, false);
    const shown = use(used.id, true);
    users.set('catalog', [shown]);
    users.set('content', [shown]);
    const { storeId } = library;
    library = await newLibrary(system);
    const theirs = await upload(samples.png!.bytes);
    library = { ...(await newLibrary(system)), storeId };
    const refused = async (ids: string[], status: number, code: string) => {
      const reply = await purge(ids);
      expect([reply.status, reply.body.code]).toEqual([status, code]);
      return reply.body;
    };
    for (const id of [newId('mediaAsset'), theirs.id, 'x']) {
      const { details } = await refused([a.id, used.id, remaining.id, id], 404, 'not_found');
      expect(details).toEqual([{ pointer: '/ids/3', message: 'is no asset of this store' }]);
    }
    await refused([used.id, remaining.id], 409, 'invalid_state');
    const { usage } = await refused([a.id, used.id], 409, 'media_in_use');
    const { assetId: _, ...user } = shown;
    expect(usage).toEqual([user]);
    await refused([], 400, 'invalid_body');
    for (const asset of [a, used, remaining]) expect((await member('get', `/${asset.id}`)).status).toBe(200);
    expect((await purge([a.id, used.id], { force: true })).status).toBe(204);
  });

  test('deletes assets that only drafts use, but none while uses are unknown; with force it does not check', async () => {
    const [a, b] = [await upload(samples.png!.bytes), await upload(samples.gif!.bytes)];
    users.set('content', [use(a.id, false)]);
    down.add('catalog');
    expect(await purge([a.id])).toMatchObject({ status: 503, body: { code: 'resource_unavailable' } });
    expect((await member('get', `/${a.id}/usage`)).status).toBe(503);
    expect(await isThere(a)).toBe(true);
    expect((await purge([b.id], { force: true })).status).toBe(204);
    down.clear();
    expect((await member('get', `/${a.id}/usage`)).body.usage).toMatchObject([{ name: 'Home', live: false }]);
    expect((await purge([a.id])).status).toBe(204);
  });

  test('keeps assets that are restored during the check, and of two simultaneous purges one is announced', async () => {
    const [a, b] = [await upload(samples.png!.bytes), await upload(samples.gif!.bytes)];
    meanwhile = () => library.post(`/api/v1/media/${a.id}/restore`);
    expect(await purge([a.id, b.id])).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    expect([await isThere(a), await isThere(b)]).toEqual([true, true]);
    const replies = await Promise.all([purge([b.id]), purge([b.id])]);
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 404]);
    expect(await quotaNow()).toMatchObject({ used: a.sizeBytes, trashed: 0 });
  });

  test('is answered again by its Idempotency-Key', async () => {
    const a = await upload(samples.png!.bytes);
    const { storeId } = library;
    const headers = await system.as({
      kind: 'user',
      userId: 'usr_1',
      email: 'a@b.example',
      storeId,
      role: 'editor',
    });
    const again = () =>
      request(system.internalUrl)
        .post(`/api/stores/${storeId}/media/purge`)
        .set({ ...headers, 'idempotency-key': 'once' })
        .send({ ids: [a.id] });
    expect([(await again()).status, (await again()).status]).toEqual([204, 204]);
    expect((await again()).headers['idempotent-replayed']).toBe('true');
  });

  test('needs a role that may write, and the store', async () => {
    const a = await upload(samples.png!.bytes);
    expect(await member('post', '/purge', { ids: [a.id] }, 'viewer')).toMatchObject({
      status: 403,
      body: { code: 'insufficient_role' },
    });
    expect((await member('get', '/quota', undefined, 'viewer')).status).toBe(200);
    expect((await library.post('/api/v1/media/purge', { ids: [a.id] })).status).toBe(405);
  });
});

describe('the trash', () => {
  const age = (days: number, ids: string[]) =>
    query(
      `update media_asset set trashed_at = now() - make_interval(days => $1) where id = any($2::text[])`,
      days,
      ids,
    );
  const sweep = () => query(`update media_trash_sweep set next_at = now()`);

  test('loses old, unused assets of every store in steps', async () => {
    const old = await upload(samples.png!.bytes);
    const { sha256, sizeBytes } = old;
    // Insert more assets of the same bytes than one step takes.
    await query(
      `insert into media_asset
       select store_id, 'mda_' || lpad(n::text, 26, '0'), folder_id, name, name_key, search, kind, content_type,
         size_bytes, sha256, width, height, resizable, trashed_at, created_at, updated_at, alt, focal_x, focal_y
       from media_asset, generate_series(1, 250) n where id = $1`,
      old.id,
    );
    await query(
      `update media_usage set used_bytes = used_bytes + 250 * $1::bigint where store_id = $2`,
      sizeBytes,
      library.storeId,
    );
    await query(
      `update media_asset set trashed_at = now() - interval '31 days' where store_id = $1`,
      library.storeId,
    );
    const mine = library;
    library = await newLibrary(system);
    const others = [await upload(samples.png!.bytes), await upload(samples.gif!.bytes)];
    const [inDraft, theirs] = others as [Asset, Asset];
    const [young, remaining] = [await upload(samples.webp!.bytes), await upload(samples.jpeg!.bytes, false)];
    await age(40, [inDraft.id, theirs.id]);
    users.set('content', [use(inDraft.id, false)]);
    await sweep();
    await eventually(async () => !(await isThere(theirs)), { withinMs: 60_000 });
    for (const asset of [inDraft, young, remaining]) expect(await isThere(asset)).toBe(true);
    library = mine;
    await eventually(async () => (await quotaNow()).used === 0, { withinMs: 60_000 });
    expect(
      await query(`select id from media_asset where sha256 = $1 and store_id = $2`, sha256, mine.storeId),
    ).toEqual([]);
    await eventually(async () => (await objects()).length === 0, { withinMs: 60_000 });
  });

  test('keeps everything while uses are unknown', async () => {
    const a = await upload(samples.png!.bytes);
    await age(40, [a.id]);
    down.add('content');
    await sweep();
    // The search has reached its end, so the next one is an hour away.
    await eventually(
      async () =>
        (await query(`select from media_trash_sweep where next_at > now() + interval '1 minute'`)).length > 0,
      { withinMs: 60_000 },
    );
    expect(await isThere(a)).toBe(true);
    down.clear();
    await sweep();
    await eventually(async () => !(await isThere(a)), { withinMs: 60_000 });
  });
});
