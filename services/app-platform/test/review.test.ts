import { eventually } from '@waybill/testing';
import { plainStars, type Studio, stars, startStudio } from './developers.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await startStudio();
});
afterAll(() => studio.stop());

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
const getStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];
const review = (versionId: string, rest = '') => `/api/review/versions/${versionId}${rest}`;

describe('a reviewer', () => {
  test('403 reviewer_required for everybody else, on every route', async () => {
    const app = await studio.newApp();
    const draft = await app.newVersion();
    for (const [method, path, body] of [
      ['get', '/api/review/versions?state=submitted'],
      ['get', review(draft.id)],
      ['get', review(draft.id, '/renderings')],
      ['post', review(draft.id, '/approve')],
      ['post', review(draft.id, '/reject'), { reason: 'x' }],
      ['post', review(draft.id, '/reject')],
      ['post', `/api/review/apps/${app.app.id}/suspend`],
      ['delete', `/api/review/apps/${app.app.id}/suspend`],
      ['get', review('no-id')],
      ['post', review('no-id', '/reject'), { reason: 'x' }],
      ['post', '/api/review/apps/no-id/suspend'],
    ] as const) {
      expect(getStatusAndCode(await app.call(method, path, body))).toEqual([403, 'reviewer_required']);
    }
    for (const id of ['no-id', '%00', app.app.id, `ver_${'0'.repeat(26)}`]) {
      expect(getStatusAndCode(await studio.review('get', review(id)))).toEqual([404, 'not_found']);
      expect(getStatusAndCode(await studio.review('post', review(id, '/approve')))).toEqual([
        404,
        'not_found',
      ]);
    }
    expect(getStatusAndCode(await studio.review('post', '/api/review/apps/%00/suspend'))).toEqual([
      404,
      'not_found',
    ]);
  });

  test('reads the queue in the order of submission', async () => {
    const app = await studio.newApp();
    const [first, second, third] = [await app.newVersion(), await app.newVersion(), await app.newVersion()];
    await second.submit();
    await first.submit();
    const queue = async (state: string) =>
      (await studio.review('get', `/api/review/versions?state=${state}&limit=200`)).body.versions.filter(
        ({ appId }: { appId: string }) => appId === app.app.id,
      );
    expect(await queue('submitted')).toMatchObject([
      { id: second.id, app: { id: app.app.id, name: 'Reviews', orgId: app.org.id, suspendedAt: null } },
      { id: first.id },
    ]);
    expect(await queue('draft')).toMatchObject([{ id: third.id }]);
    expect((await queue('unknown')).map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
  });

  test('sees a version’s contributions and the changes since the last approved one', async () => {
    const app = await studio.newApp();
    const publish = async (
      scopes: Parameters<typeof app.newVersion>[0],
      blocks: unknown[],
      modules: Record<string, string>,
      connectOrigins: string[] = [],
    ) => {
      const draft = await app.newVersion(scopes, connectOrigins);
      await draft.putIslands(...Object.keys(modules));
      for (const [name, text] of Object.entries(modules)) {
        expect((await draft.upload(name, text, undefined, app.owner)).status).toBe(201);
      }
      expect((await draft.putBlocks({ blocks })).status).toBe(200);
      expect((await draft.submit()).status).toBe(200);
      return draft;
    };
    const first = await publish(['products.read', 'orders.read'], [stars, { ...plainStars, key: 'old' }], {
      stars: 'one',
      gone: 'gone',
    });
    const alone = (await studio.review('get', review(first.id))).body.version;
    expect(alone).toMatchObject({ id: first.id, app: { name: 'Reviews' }, blocks: [stars, { key: 'old' }] });
    expect(alone.changes).toMatchObject({
      since: null,
      scopes: { added: ['products.read', 'orders.read'], removed: [] },
      blocks: { added: ['stars', 'old'], removed: [], changed: [] },
      islands: { added: ['stars', 'gone'], removed: [], changed: [] },
    });
    await studio.review('post', review(first.id, '/approve'));
    const rejected = await publish([], [], {});
    await studio.review('post', review(rejected.id, '/reject'), { reason: 'Empty.' });

    const second = await publish(
      ['products.read', 'appdata.write'],
      [
        { ...stars, name: 'Better stars' },
        { ...plainStars, key: 'new' },
      ],
      { stars: 'two' },
      ['https://api.example.com'],
    );
    const { changes } = (await studio.review('get', review(second.id))).body.version;
    expect(changes).toEqual({
      since: { versionId: first.id, number: 1 },
      scopes: { added: ['appdata.write'], removed: ['orders.read'] },
      connectOrigins: { added: ['https://api.example.com'], removed: [] },
      blocks: { added: ['new'], removed: ['old'], changed: ['stars'] },
      blockChanges: [
        {
          key: 'stars',
          differences: [{ pointer: '/name', before: 'Stars', after: 'Better stars', isCut: false }],
          hasMore: false,
        },
      ],
      islands: { added: [], removed: ['gone'], changed: ['stars'] },
      modules: [
        { island: 'gone', before: expect.stringMatching(/^[0-9a-f]{64}$/), after: null },
        {
          island: 'stars',
          before: expect.stringMatching(/^[0-9a-f]{64}$/),
          after: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ],
    });
    expect(changes.modules[1].before).not.toBe(changes.modules[1].after);
  });

  test('approves or rejects a submitted version once; a rejection is final and has a reason', async () => {
    const app = await studio.newApp();
    const draft = await app.newVersion();
    expect(getStatusAndCode(await studio.review('post', review(draft.id, '/approve')))).toEqual([
      409,
      'invalid_state',
    ]);
    await draft.submit();
    expect(getStatusAndCode(await studio.review('post', review(draft.id, '/reject'), {}))).toEqual([
      400,
      'invalid_body',
    ]);
    const rejected = await studio.review('post', review(draft.id, '/reject'), { reason: 'No icon.' });
    expect([rejected.status, rejected.body.version]).toMatchObject([
      200,
      { state: 'rejected', rejectionReason: 'No icon.', reviewedAt: moment },
    ]);
    expect(getStatusAndCode(await studio.review('post', review(draft.id, '/approve')))).toEqual([
      409,
      'invalid_state',
    ]);
    expect(getStatusAndCode(await draft.submit())).toEqual([409, 'not_draft']);
    expect(getStatusAndCode(await draft.withdraw())).toEqual([409, 'invalid_state']);
    expect(getStatusAndCode(await draft.putBlocks({ blocks: [] }))).toEqual([409, 'not_draft']);
    expect((await draft.get()).rejectionReason).toBe('No icon.');
  });

  test('sees the organisation and the history of its versions', async () => {
    const app = await studio.newApp();
    await app.call('post', `/api/orgs/${app.org.id}/apps`, { name: 'Second' });
    const colleague = studio.newPerson();
    await studio.addMember(app.org.id, colleague, 'developer');
    for (const end of ['/approve', '/reject', '/reject']) {
      const draft = await app.newVersion();
      await draft.submit();
      await studio.review('post', review(draft.id, end), { reason: 'No.' });
    }
    const draft = await app.newVersion();
    expect((await studio.review('get', review(draft.id))).body.version.org).toEqual({
      id: app.org.id,
      name: 'Acme',
      createdAt: moment,
      members: 2,
      apps: 2,
      approvals: 1,
      rejections: 2,
    });
  });

  test('sees the blocks drawn, beside those of the approved version; without content 503', async () => {
    const app = await studio.newApp();
    const submitBlocks = async (...blocks: object[]) => {
      const draft = await app.newVersion();
      expect((await draft.putBlocks({ blocks })).status).toBe(200);
      await draft.submit();
      return draft;
    };
    const drawing = (padding: string) => ({
      ...plainStars,
      nodes: plainStars.nodes.map((node) =>
        node.id === 'root' ? { ...node, props: { style: { base: { paddingTop: padding } } } } : node,
      ),
    });
    const first = await submitBlocks(drawing('1px'), { ...plainStars, key: 'gone' });
    await studio.review('post', review(first.id, '/approve'));
    const second = await submitBlocks({ ...plainStars, key: 'new' }, drawing('2px'));
    const read = () => studio.review('get', review(second.id, '/renderings'));
    const { body, headers } = await read();
    const isDrawn = (padding: string) => ({ html: expect.stringContaining(padding), css: '' });
    expect(body.renderings).toEqual([
      { key: 'new', name: 'Stars', before: null, after: isDrawn('8px'), isCut: false },
      { key: 'stars', name: 'Stars', before: isDrawn('1px'), after: isDrawn('2px'), isCut: false },
      { key: 'gone', name: 'Stars', before: isDrawn('8px'), after: null, isCut: false },
    ]);
    expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox");
    const { vocabulary } = studio.content;
    studio.content.vocabulary = null;
    expect(getStatusAndCode(await read())).toEqual([503, 'resource_unavailable']);
    studio.content.vocabulary = vocabulary;
  });

  test('and the decision is mailed to owners and the submitter', async () => {
    const app = await studio.newApp();
    const [submitter, bystander] = [studio.newPerson(), studio.newPerson()];
    for (const person of [submitter, bystander]) await studio.addMember(app.org.id, person, 'developer');
    const name = `Stars of ${app.app.id}`;
    await app.call('patch', app.path, { name });
    const listNotices = () =>
      studio.mails.filter(({ mail }) => 'appName' in mail.data && mail.data.appName === name);
    const submitted = async () => {
      const draft = await app.newVersion();
      expect((await studio.as(submitter)('post', `${draft.path}/submit`)).status).toBe(200);
      return draft;
    };
    await studio.review('post', review((await submitted()).id, '/approve'));
    await studio.review('post', review((await submitted()).id, '/reject'), { reason: 'No icon.\nNone.' });
    const suspension = `/api/review/apps/${app.app.id}/suspend`;
    for (const method of ['post', 'post', 'delete', 'delete'] as const)
      await studio.review(method, suspension);
    await eventually(() => listNotices().length >= 4);
    const data = { orgName: 'Acme', appName: name };
    expect(listNotices().map(({ mail }) => mail)).toEqual([
      { template: 'appVersionApproved', data: { ...data, number: '1' } },
      { template: 'appVersionRejected', data: { ...data, number: '2', reason: 'No icon.\nNone.' } },
      { template: 'appSuspended', data },
      { template: 'appRestored', data },
    ]);
    for (const { audience } of listNotices())
      expect(audience).toEqual({ users: [submitter.id, app.owner.id] });
    await app.call('delete', `/api/orgs/${app.org.id}/members/${submitter.id}`);
    await studio.review('post', suspension);
    await eventually(() => listNotices().length === 5);
    expect(listNotices()[4]!.audience).toEqual({ users: [app.owner.id] });
  });

  test('of simultaneous approvals and rejections, one counts', async () => {
    const app = await studio.newApp();
    const draft = await app.newVersion();
    await draft.submit();
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        i % 2
          ? studio.review('post', review(draft.id, '/approve'))
          : studio.review('post', review(draft.id, '/reject'), { reason: 'x' }),
      ),
    );
    const [won, ...more] = all.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    expect((await draft.get()).state).toBe(won!.body.version.state);
  });

  test('suspends an app and puts it back; doing so again changes nothing', async () => {
    const app = await studio.newApp();
    const path = `/api/review/apps/${app.app.id}/suspend`;
    const suspended = await studio.review('post', path);
    expect([suspended.status, suspended.body.app]).toMatchObject([200, { suspendedAt: moment }]);
    expect((await studio.review('post', path)).body).toEqual(suspended.body);
    expect((await app.call('get', app.path)).body.app.suspendedAt).toBe(suspended.body.app.suspendedAt);
    // A version that fixes the cause of a suspension can be reviewed while the app is suspended.
    const draft = await app.newVersion();
    await draft.submit();
    const approved = await studio.review('post', review(draft.id, '/approve'));
    expect(approved.body.version.state).toBe('approved');
    const back = await studio.review('delete', path);
    expect([back.status, back.body.app.suspendedAt]).toEqual([200, null]);
    expect((await studio.review('delete', path)).status).toBe(200);
  });

  test('404 for versions and apps that are not', async () => {
    const unknown = `ver_${'0'.repeat(26)}`;
    for (const id of [unknown, 'ver_1', 'app_1']) {
      expect((await studio.review('get', review(id))).status).toBe(404);
      expect((await studio.review('post', review(id, '/approve'))).status).toBe(404);
      expect((await studio.review('post', review(id, '/reject'), { reason: 'x' })).status).toBe(404);
      expect(
        (await studio.review('post', `/api/review/apps/${id.replace('ver', 'app')}/suspend`)).status,
      ).toBe(404);
    }
  });
});
