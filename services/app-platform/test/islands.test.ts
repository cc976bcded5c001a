import { createHash } from 'node:crypto';
import { readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import request from 'supertest';
import { baseUrl, type Studio, type StudioApp, startStudio } from './developers.ts';

let studio: Studio;
let app: StudioApp;
beforeAll(async () => {
  studio = await startStudio();
  app = await studio.newApp();
});
afterAll(() => studio.stop());

const module = "window.WB.register('app.x.stars', class { /* ünïcode */ });\n";
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
const getStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];
/** Reads a module as the version's developer. */
const readModule = async (draft: { path: string }, name: string | null) => {
  const { id, email } = app.owner;
  return request(studio.system.internalUrl)
    .get(`${draft.path}/islands/module${name === null ? '' : `?name=${name}`}`)
    .set(await studio.system.as({ kind: 'user', userId: id, email }))
    .buffer()
    .parse(collectBytes);
};
const approve = async (draft: { id: string; submit(): Promise<{ status: number }> }) => {
  expect((await draft.submit()).status).toBe(200);
  expect((await studio.review('post', `/api/review/versions/${draft.id}/approve`)).status).toBe(200);
};
const fetchModule = (file: string) => request(studio.system.internalUrl).get(`/islands/${file}`);

async function newDraft(...names: string[]) {
  const draft = await app.newVersion();
  expect((await draft.putIslands(...names)).status).toBe(200);
  return {
    ...draft,
    upload: (name: string | null, bytes: string | Buffer, headers?: Record<string, string>) =>
      draft.upload(name, bytes, headers, app.owner),
  };
}

describe('PUT islands', () => {
  test('replaces the declaration; an island that stays keeps its module', async () => {
    const draft = await newDraft('stars', 'more');
    await draft.upload('stars', module);
    const res = await draft.putIslands('new', 'stars');
    expect(res.body).toEqual({
      islands: [
        { name: 'new', moduleSha256: null, moduleUrl: null, sizeBytes: null },
        {
          name: 'stars',
          moduleSha256: sha256(module),
          moduleUrl: `${baseUrl}/islands/${sha256(module)}.js`,
          sizeBytes: Buffer.byteLength(module),
        },
      ],
    });
    const version = await draft.get();
    expect(version.islands).toEqual(res.body.islands);
    await draft.putIslands('new', 'stars');
    expect((await draft.get()).updatedAt).toBe(version.updatedAt);
    expect((await draft.putIslands()).body).toEqual({ islands: [] });
    // An island that was removed and declared again starts without a module.
    expect((await draft.putIslands('stars')).body.islands[0].moduleSha256).toBeNull();
  });

  test.each(['Stars', 'a.b', 'a b', 'a#b', '', '-a', 'a--b', 'é', 'x'.repeat(121), 7, null, undefined])(
    '%j is invalid_island_name',
    async (name) => {
      const draft = await newDraft('kept');
      const res = await draft.putIslands('fine', name);
      expect(getStatusAndCode(res)).toEqual([400, 'invalid_island_name']);
      expect(res.body.details).toMatchObject([{ pointer: '/islands/1/name', code: 'invalid_island_name' }]);
      expect((await draft.get()).islands).toMatchObject([{ name: 'kept' }]);
    },
  );

  test('duplicate_island_name, too_many_islands, invalid_body, with every problem', async () => {
    const draft = await newDraft();
    expect(getStatusAndCode(await draft.putIslands('a', 'a'))).toEqual([409, 'duplicate_island_name']);
    const many = Array.from({ length: 13 }, (_, i) => `island-${i}`);
    expect(getStatusAndCode(await draft.putIslands(...many))).toEqual([409, 'too_many_islands']);
    expect((await draft.putIslands(...many.slice(1))).status).toBe(200);
    const several = await draft.putIslands('a', 'B', 'a', '');
    expect(several.body.details.map(({ pointer, code }: Record<string, string>) => [pointer, code])).toEqual([
      ['/islands/1/name', 'invalid_island_name'],
      ['/islands/2/name', 'duplicate_island_name'],
      ['/islands/3/name', 'invalid_island_name'],
    ]);
    for (const body of ['{', '{}', '{"islands":{}}', '{"islands":["stars"]}', '{"islands":[null]}']) {
      expect(getStatusAndCode(await app.call('put', `${draft.path}/islands`, body))).toEqual([
        400,
        'invalid_body',
      ]);
    }
  });
});

describe('POST islands/module', () => {
  test('stores equal bytes once under their hash, and serves them as immutable', async () => {
    const draft = await newDraft('stars', 'twin');
    const res = await draft.upload('stars', module);
    expect([res.status, res.body]).toEqual([
      201,
      {
        island: {
          name: 'stars',
          moduleSha256: sha256(module),
          moduleUrl: `${baseUrl}/islands/${sha256(module)}.js`,
          sizeBytes: Buffer.byteLength(module),
        },
      },
    ]);
    const all = await Promise.all([draft.upload('twin', module), draft.upload('twin', module)]);
    expect(all.map(({ status }) => status)).toEqual([201, 201]);
    const files = await readdir(join(studio.dataDir, 'objects'), { recursive: true });
    expect(files.filter((file) => file.includes(sha256(module)))).toHaveLength(1);

    await approve(draft);
    const served = await fetchModule(`${sha256(module)}.js`);
    expect(served.status).toBe(200);
    expect(served.text).toBe(module);
    expect(served.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      'content-length': String(Buffer.byteLength(module)),
      etag: `"${sha256(module)}"`,
    });
    const again = await fetchModule(`${sha256(module)}.js`).set('if-none-match', `"${sha256(module)}"`);
    expect([again.status, again.text]).toEqual([304, '']);
    const head = await request(studio.system.internalUrl).head(`/islands/${sha256(module)}.js`);
    expect([head.status, head.headers['content-length']]).toEqual([200, String(Buffer.byteLength(module))]);
  });

  test('an approved version’s module stays unchanged when a later version uploads another', async () => {
    const own = await studio.newApp();
    const upload = async (text: string) => {
      const draft = await own.newVersion();
      await draft.putIslands('stars');
      await draft.upload('stars', text, undefined, own.owner);
      await approve(draft);
      return draft;
    };
    const first = await upload('export const version = 1;');
    await upload('export const version = 2;');
    const { moduleSha256 } = (await first.get()).islands[0];
    expect((await fetchModule(`${moduleSha256}.js`)).text).toBe('export const version = 1;');
  });

  test('the name must be sent and declared', async () => {
    const draft = await newDraft('stars');
    expect(getStatusAndCode(await draft.upload(null, module))).toEqual([400, 'island_name_required']);
    expect(getStatusAndCode(await draft.upload('', module))).toEqual([400, 'island_name_required']);
    expect(getStatusAndCode(await draft.upload('moons', module))).toEqual([404, 'island_not_found']);
    expect(getStatusAndCode(await draft.upload('%00', module))).toEqual([404, 'island_not_found']);
  });

  test('empty, not UTF-8: island_module_not_text; not text/javascript: invalid_body', async () => {
    const draft = await newDraft('stars');
    const notText = [Buffer.alloc(0), Buffer.from([0xff, 0xfe, 0x41]), Buffer.from([0x61, 0xc3])];
    for (const bytes of notText) {
      expect(getStatusAndCode(await draft.upload('stars', bytes))).toEqual([400, 'island_module_not_text']);
    }
    for (const type of [
      'application/json',
      'text/plain',
      'text/javascript; charset=latin1',
      'multipart/form-data; boundary=x',
    ]) {
      const res = await draft.upload('stars', module, { 'content-type': type });
      expect([type, ...getStatusAndCode(res)]).toEqual([type, 400, 'invalid_body']);
    }
    expect((await draft.get()).islands[0].moduleSha256).toBeNull();
    const type = { 'content-type': 'Text/JavaScript; charset="UTF-8"' };
    expect((await draft.upload('stars', module, type)).status).toBe(201);
  });

  test('512 KiB are a module, one byte more is island_module_too_large, and the answer arrives', async () => {
    const draft = await newDraft('stars');
    const most = Buffer.alloc(512 * 1024, 'a');
    expect((await draft.upload('stars', most)).status).toBe(201);
    const more = [Buffer.concat([most, Buffer.from('a')]), Buffer.alloc(3 * 1024 * 1024, 'a')];
    for (const bytes of more) {
      expect(getStatusAndCode(await draft.upload('stars', bytes))).toEqual([413, 'island_module_too_large']);
    }
    expect((await draft.get()).islands[0].moduleSha256).toBe(sha256(most));
  });

  test('whatever the text, it is read back byte for byte', async () => {
    const draft = await newDraft('stars');
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), async (text) => {
        const bytes = Buffer.from(text.toWellFormed());
        const res = await draft.upload('stars', bytes);
        expect(res.status).toBe(201);
        expect(bytes.equals((await readModule(draft, 'stars')).body)).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  test('without an object store: image_storage_unavailable', async () => {
    const own = await startStudio({ MEDIA_STORE: 'off' });
    try {
      const theirs = await own.newApp();
      const draft = await theirs.newVersion();
      await draft.putIslands('stars');
      expect(getStatusAndCode(await draft.upload('stars', module, undefined, theirs.owner))).toEqual([
        503,
        'image_storage_unavailable',
      ]);
    } finally {
      await own.stop();
    }
  });
});

describe('GET /islands/{sha256}.js', () => {
  test('serves ever-approved versions, also withdrawn ones, but not drafts, submitted or rejected ones', async () => {
    const fetchStatus = async (text: string) => (await fetchModule(`${sha256(text)}.js`)).status;
    const text = 'let reviewed;';
    const [draft, twin] = [await newDraft('stars'), await newDraft('stars')];
    for (const each of [draft, twin]) await each.upload('stars', text);
    expect(await fetchStatus(text)).toBe(404);
    await twin.submit();
    expect(await fetchStatus(text)).toBe(404);
    await studio.review('post', `/api/review/versions/${twin.id}/reject`, { reason: 'No.' });
    expect(await fetchStatus(text)).toBe(404);
    await approve(draft);
    expect(await fetchStatus(text)).toBe(200);
    await draft.withdraw();
    expect(await fetchStatus(text)).toBe(200);
    await draft.restore();
    expect(await fetchStatus(text)).toBe(200);
  });

  test('404 for what no island has, and for everything else', async () => {
    const draft = await newDraft('stars');
    await draft.upload('stars', 'let gone;');
    await draft.putIslands();
    for (const file of [
      `${sha256('let gone;')}.js`,
      `${sha256('unknown')}.js`,
      `${sha256(module)}`,
      `${sha256(module).toUpperCase()}.js`,
      '..%2f..%2fsecrets.json',
      'x.js',
    ]) {
      expect([file, (await fetchModule(file)).status]).toEqual([file, 404]);
    }
  });

  test('503 resource_unavailable while the object store fails', async () => {
    const draft = await newDraft('stars');
    const text = 'let unreadable;';
    await draft.upload('stars', text);
    await approve(draft);
    const file = join(studio.dataDir, 'objects/islands', `${sha256(text)}.js`);
    await rm(file);
    // A link to itself leads nowhere, not even for root.
    await symlink(file, file);
    const res = await fetchModule(`${sha256(text)}.js`);
    expect(getStatusAndCode(res)).toEqual([503, 'resource_unavailable']);
    expect(res.headers['retry-after']).toBe('5');
    const next = await newDraft('stars');
    expect(getStatusAndCode(await next.upload('stars', text))).toEqual([503, 'resource_unavailable']);
  });
});

describe('GET islands/module', () => {
  test('returns the bytes of a version in any state only to its developers and reviewers', async () => {
    const draft = await newDraft('stars', 'empty');
    await draft.upload('stars', module);
    const own = await readModule(draft, 'stars');
    expect(own.body.toString()).toBe(module);
    expect(own.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(Buffer.byteLength(module)),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
    const path = `/api/review/versions/${draft.id}/islands/module`;
    expect((await studio.review('get', `${path}?name=stars`)).text).toBe(module);
    expect(getStatusAndCode(await studio.review('get', path))).toEqual([400, 'island_name_required']);
    expect(getStatusAndCode(await studio.review('get', `${path}?name=moons`))).toEqual([
      404,
      'island_not_found',
    ]);
    const stranger = studio.as(studio.newPerson());
    expect(getStatusAndCode(await stranger('get', `${path}?name=stars`))).toEqual([403, 'reviewer_required']);
    const theirs = `${draft.path}/islands/module?name=stars`;
    expect(getStatusAndCode(await stranger('get', theirs))).toEqual([404, 'not_found']);
    expect(getStatusAndCode(await studio.review('get', theirs))).toEqual([404, 'not_found']);
    const readStatus = async (name: string | null) => (await readModule(draft, name)).status;
    expect([await readStatus(null), await readStatus('moons'), await readStatus('empty')]).toEqual([
      400, 404, 404,
    ]);
  });
});

function collectBytes(res: request.Response, done: (error: Error | null, body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  res.on('data', (chunk: Buffer) => chunks.push(chunk));
  res.on('end', () => done(null, Buffer.concat(chunks)));
}
