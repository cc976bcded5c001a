import { plainStars, type Studio, type StudioApp, stars, startStudio } from './developers.ts';

let studio: Studio;
let app: StudioApp;
beforeAll(async () => {
  studio = await startStudio();
  app = await studio.newApp();
});
afterAll(() => studio.stop());

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const getStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];

/** Creates an approved version with a block. */
async function newApproved() {
  const draft = await app.newVersion();
  expect((await draft.putBlocks({ blocks: [plainStars] })).status).toBe(200);
  expect((await draft.submit()).status).toBe(200);
  expect((await studio.review('post', `/api/review/versions/${draft.id}/approve`)).status).toBe(200);
  return draft;
}

describe('the life of a version', () => {
  test('is numbered, starts as an empty draft, and is read with blocks and islands', async () => {
    const own = await studio.newApp();
    const draft = await own.newVersion(['products.read', 'appdata.write', 'products.read']);
    expect(draft.number).toBe(1);
    expect(await draft.get()).toEqual({
      id: draft.id,
      appId: own.app.id,
      number: 1,
      state: 'draft',
      scopes: ['products.read', 'appdata.write'],
      connectOrigins: [],
      payments: null,
      rejectionReason: null,
      createdAt: moment,
      updatedAt: moment,
      submittedAt: null,
      reviewedAt: null,
      withdrawnAt: null,
      blocks: [],
      islands: [],
    });
    const second = await own.newVersion();
    const list = await own.call('get', `${own.path}/versions?limit=1`);
    expect(list.body).toMatchObject({ versions: [{ id: second.id, number: 2 }], total: 2 });
    expect(list.body.versions[0]).not.toHaveProperty('blocks');
  });

  test('names the https origins that it connects to; http ones on loopback only as a draft', async () => {
    const create = (connectOrigins: unknown) =>
      app.call('post', `${app.path}/versions`, { scopes: [], connectOrigins });
    const good = ['https://api.example.com', 'https://x-1.example.com:8443', 'https://192.0.2.1'];
    const created = await create([...good, good[0]]);
    expect([created.status, created.body.version.connectOrigins]).toEqual([201, good]);
    const submit = (id: string) => app.call('post', `${app.path}/versions/${id}/submit`);
    expect((await submit(created.body.version.id)).body.version).toMatchObject({
      state: 'submitted',
      connectOrigins: good,
    });
    const local = await create([good[0], 'http://localhost:3000', 'http://127.0.0.1']);
    expect(local.status).toBe(201);
    const refused = await submit(local.body.version.id);
    expect(getStatusAndCode(refused)).toEqual([400, 'invalid_body']);
    expect(refused.body.details).toMatchObject([
      { pointer: '/connectOrigins/1' },
      { pointer: '/connectOrigins/2' },
    ]);
  });

  test.each([
    'http://api.example.com',
    'https://api.example.com/',
    'https://api.example.com/path',
    'https://api.example.com?x',
    'https://api.example.com:443',
    'https://API.example.com',
    'https://user@api.example.com',
    'https://*.example.com',
    'https://*',
    'https://a.example;script-src',
    'https://a.example, https://b.example',
    "https://a.example 'unsafe-inline'",
    'https://127.1',
    'https://[::1]',
    'http://[::1]:3000',
    'http://127.0.0.1.example.com',
    'wss://a.example',
    'https:',
    '*',
    "'self'",
    '',
    7,
  ])('%j is no origin to connect to', async (origin) => {
    const connectOrigins = ['https://fine.example', origin];
    const res = await app.call('post', `${app.path}/versions`, { scopes: [], connectOrigins });
    expect(getStatusAndCode(res)).toEqual([400, 'invalid_body']);
    expect(res.body.details).toMatchObject([{ pointer: '/connectOrigins/1' }]);
  });

  test('connects to ten origins at most', async () => {
    const connectOrigins = Array.from({ length: 11 }, (_, i) => `https://a${i}.example`);
    const res = await app.call('post', `${app.path}/versions`, { scopes: [], connectOrigins });
    expect(getStatusAndCode(res)).toEqual([400, 'invalid_body']);
  });

  test('twenty simultaneous versions get twenty numbers', async () => {
    const own = await studio.newApp();
    const drafts = await Promise.all(Array.from({ length: 20 }, () => own.newVersion()));
    expect(drafts.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
  });

  test('draft → submitted → approved → withdrawn → approved, and nothing else from there', async () => {
    const draft = await newApproved();
    expect(await draft.get()).toMatchObject({ state: 'approved', submittedAt: moment, reviewedAt: moment });
    expect(getStatusAndCode(await draft.submit())).toEqual([409, 'not_draft']);
    expect(getStatusAndCode(await draft.putBlocks({ blocks: [] }))).toEqual([409, 'not_draft']);
    expect(getStatusAndCode(await draft.putIslands('stars'))).toEqual([409, 'not_draft']);
    expect(getStatusAndCode(await draft.upload('stars', 'x', undefined, app.owner))).toEqual([
      409,
      'not_draft',
    ]);
    expect(getStatusAndCode(await draft.restore())).toEqual([409, 'invalid_state']);
    expect((await draft.withdraw()).body.version).toMatchObject({ state: 'withdrawn', withdrawnAt: moment });
    expect(getStatusAndCode(await draft.withdraw())).toEqual([409, 'invalid_state']);
    expect(getStatusAndCode(await draft.submit())).toEqual([409, 'not_draft']);
    expect((await draft.restore()).body.version).toMatchObject({ state: 'approved', withdrawnAt: null });
    expect((await draft.get()).blocks).toEqual([plainStars]);
  });

  test('not_draft under an Idempotency-Key is the answer to the key, also when it is a draft again', async () => {
    const draft = await app.newVersion();
    const stars = { islands: [{ name: 'stars' }] };
    const { id, email } = app.owner;
    const owner = await studio.system.as({ kind: 'user', userId: id, email });
    const upload = (key: string, module = 'export {};') =>
      draft.upload('stars', module, { ...owner, 'content-type': 'text/javascript', 'idempotency-key': key });
    const put = (part: string) => (key: string, body?: object) =>
      app.call('put', `${draft.path}/${part}`, body ?? { [part]: [] }, { 'idempotency-key': key });
    const submit = (key: string, body?: object) =>
      app.call('post', `${draft.path}/submit`, body, { 'idempotency-key': key });
    await draft.putIslands('stars');
    const uploaded = await upload('uploaded');
    expect([uploaded.status, (await draft.submit()).status]).toEqual([201, 200]);
    const again = await upload('uploaded');
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([
      201,
      uploaded.text,
      'true',
    ]);

    const requests = [put('blocks'), put('islands'), submit, upload];
    const refused = await Promise.all(requests.map((send) => send('late')));
    expect(refused.map(getStatusAndCode)).toEqual(Array(4).fill([409, 'not_draft']));
    expect((await draft.recall()).status).toBe(200);
    for (const [i, send] of requests.entries()) {
      const repeated = await send('late');
      expect([repeated.status, repeated.text, repeated.headers['idempotent-replayed']]).toEqual([
        409,
        refused[i]!.text,
        'true',
      ]);
    }
    for (const send of [() => put('islands')('late', stars), () => upload('late', 'export default 1;')])
      expect(getStatusAndCode(await send())).toEqual([422, 'idempotency_key_reused']);
    expect((await upload('in-time')).status).toBe(201);
  });

  test('a draft can be neither withdrawn nor restored', async () => {
    const draft = await app.newVersion();
    expect(getStatusAndCode(await draft.withdraw())).toEqual([409, 'invalid_state']);
    expect(getStatusAndCode(await draft.restore())).toEqual([409, 'invalid_state']);
  });

  test('not_draft is reported before problems of the body, but not before its size', async () => {
    const draft = await newApproved();
    for (const body of ['{', '[]', '{}', '{"blocks":{}}', JSON.stringify({ blocks: Array(25).fill({}) })]) {
      expect(getStatusAndCode(await draft.putBlocks(body))).toEqual([409, 'not_draft']);
      expect(getStatusAndCode(await app.call('put', `${draft.path}/islands`, body))).toEqual([
        409,
        'not_draft',
      ]);
    }
    expect(getStatusAndCode(await draft.putBlocks(`{"blocks":["${'x'.repeat(1024 * 1024)}"]}`))).toEqual([
      413,
      'body_too_large',
    ]);
  });

  test.each([{}, { scopes: 'products.read' }, { scopes: ['products.own'] }, { scopes: [null] }])(
    'scopes %j are invalid_body',
    async (body) => {
      const res = await app.call('post', `${app.path}/versions`, body);
      expect(getStatusAndCode(res)).toEqual([400, 'invalid_body']);
    },
  );
});

describe('POST submit', () => {
  test('checks with the current vocabulary, and changes nothing on failure', async () => {
    const own = await startStudio();
    try {
      const draft = await (await own.newApp()).newVersion();
      expect((await draft.putBlocks({ blocks: [plainStars] })).status).toBe(200);
      const { heading: _gone, ...elementTypes } = own.content.vocabulary!.elementTypes;
      own.content.vocabulary = { ...own.content.vocabulary!, elementTypes };
      await own.system.restart();
      const res = await draft.submit();
      expect(getStatusAndCode(res)).toEqual([400, 'unknown_element_type']);
      expect(res.body.details).toEqual([
        {
          pointer: '/blocks/0/nodes/1/type',
          code: 'unknown_element_type',
          message: expect.stringContaining('is no element type'),
        },
      ]);
      expect((await draft.get()).state).toBe('draft');
      own.content.vocabulary = null;
      await own.system.restart();
      expect(getStatusAndCode(await draft.submit())).toEqual([503, 'block_vocabulary_unavailable']);
      expect((await draft.get()).state).toBe('draft');
    } finally {
      await own.stop();
    }
  });

  test('an island that went since the blocks were saved is unknown_island, one without a module island_no_module', async () => {
    const draft = await app.newVersion();
    await draft.putIslands('stars', 'more');
    expect((await draft.putBlocks({ blocks: [stars] })).status).toBe(200);
    expect((await draft.putIslands('more')).status).toBe(200);
    const gone = await draft.submit();
    expect(getStatusAndCode(gone)).toEqual([409, 'unknown_island']);
    expect(gone.body.details).toMatchObject([
      { pointer: '/blocks/0/nodes/2/island', code: 'unknown_island' },
      { pointer: '/islands/0', code: 'island_no_module' },
    ]);
    await draft.putIslands('stars');
    expect(getStatusAndCode(await draft.submit())).toEqual([409, 'island_no_module']);
    await draft.upload('stars', 'export {}', undefined, app.owner);
    expect((await draft.submit()).body.version.state).toBe('submitted');
  });

  test('of ten simultaneous requests one submits, and simultaneous blocks are included or refused', async () => {
    const draft = await app.newVersion();
    await draft.putBlocks({ blocks: [plainStars] });
    const renamed = { ...plainStars, name: 'Renamed' };
    const [put, ...submits] = await Promise.all([
      draft.putBlocks({ blocks: [renamed] }),
      ...Array.from({ length: 10 }, () => draft.submit()),
    ]);
    expect(submits.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(submits.filter(({ body }) => body.code === 'not_draft')).toHaveLength(9);
    expect((await draft.get()).blocks).toEqual(put.status === 200 ? [renamed] : [plainStars]);
  });

  test('a version without blocks and islands may be submitted', async () => {
    expect((await (await app.newVersion()).submit()).status).toBe(200);
  });
});

describe('who may', () => {
  test("another organisation's, another app's and unknown ids are not_found on every route", async () => {
    const [other, sibling] = [await studio.newApp(), await studio.newApp(app.owner)];
    const draft = await app.newVersion();
    const versions = (org: { id: string }, appId: string) =>
      `/api/orgs/${org.id}/apps/${appId}/versions/${draft.id}`;
    const unknown = draft.id.replace(/.$/, (digit: string) => (digit === '0' ? '1' : '0'));
    const calls = [
      [other.call, draft.path],
      [other.call, versions(other.org, app.app.id)],
      [other.call, versions(other.org, other.app.id)],
      [app.call, versions(sibling.org, sibling.app.id)],
      [app.call, versions(app.org, sibling.app.id)],
      [app.call, draft.path.replace(draft.id, unknown)],
      [app.call, draft.path.replace(draft.id, 'ver_1')],
      [app.call, draft.path.replace(draft.id, app.app.id)],
    ] as const;
    for (const [call, path] of calls) {
      for (const [method, rest, body] of [
        ['get', ''],
        ['put', '/blocks', { blocks: [] }],
        ['put', '/islands', { islands: [] }],
        ['post', '/islands/module?name=stars'],
        ['post', '/submit'],
        ['post', '/withdraw'],
        ['delete', '/withdraw'],
      ] as const) {
        expect(getStatusAndCode(await call(method, `${path}${rest}`, body))).toEqual([404, 'not_found']);
      }
    }
    for (const path of [app.path, `${app.path}/versions`, `/api/orgs/${app.org.id}/apps`]) {
      expect(getStatusAndCode(await other.call('get', path))).toEqual([404, 'not_found']);
    }
    expect(getStatusAndCode(await other.call('post', `${app.path}/versions`, { scopes: [] }))).toEqual([
      404,
      'not_found',
    ]);
    expect(getStatusAndCode(await other.call('post', `${app.path}/client-secret`))).toEqual([
      404,
      'not_found',
    ]);
    expect(getStatusAndCode(await other.call('patch', app.path, { name: 'Mine' }))).toEqual([
      404,
      'not_found',
    ]);
    expect(await draft.get()).toMatchObject({ state: 'draft', blocks: [] });
  });
});
