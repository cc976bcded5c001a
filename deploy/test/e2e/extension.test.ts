import { createHash } from 'node:crypto';
import { expectStatus, newPerson } from './accounts.ts';
import { callerOf, send } from './client.ts';
import { type SharedSystem, topologies } from './topologies.ts';

describe.each(topologies)('$name', ({ share }) => {
  let system: SharedSystem;
  beforeAll(async () => {
    system = await share();
  });

  /** The caller of a demo account. */
  async function signIn(account: 'developer' | 'reviewer') {
    const { email, password } = system.demo[account];
    const res = await callerOf(system.baseUrl, undefined)('POST', '/api/auth/login', { email, password });
    expect(res.status).toBe(200);
    return { token: res.body.accessToken as string, call: callerOf(system.baseUrl, res.body.accessToken) };
  }

  test('an app goes from an organisation to an approved version, through every hand', async () => {
    const { token, call } = await signIn('developer');
    const { org } = expectStatus(await call('POST', '/api/orgs', { name: 'Acme' }), 201).body;
    const { app, clientSecret } = expectStatus(
      await call('POST', `/api/orgs/${org.id}/apps`, {
        name: 'Reviews',
        redirectUris: ['https://app.example/cb'],
      }),
      201,
    ).body;
    expect(clientSecret).toEqual(expect.any(String));
    const scopes = ['appdata.read', 'appdata.write'];
    const versions = `/api/orgs/${org.id}/apps/${app.id}/versions`;
    const { version } = expectStatus(await call('POST', versions, { scopes }), 201).body;
    const path = `${versions}/${version.id}`;

    const islands = { islands: [{ name: 'stars' }] };
    expect((await call('PUT', `${path}/islands`, islands)).status).toBe(200);
    const block = {
      key: 'stars',
      name: 'Stars',
      rootId: 'root',
      nodes: [
        { id: 'root', type: 'stack', children: ['text'] },
        { id: 'text', type: 'text', island: 'stars', props: { specials: { text: 'No reviews yet' } } },
      ],
      slots: [],
      traits: [],
    };
    const wrong = await call('PUT', `${path}/blocks`, {
      blocks: [{ ...block, nodes: [{ id: 'root', type: 'stak' }] }],
    });
    expect(wrong).toMatchObject({
      status: 400,
      body: { code: 'unknown_element_type', details: [{ pointer: '/blocks/0/nodes/0/type' }] },
    });
    expect(wrong.body.details[0].message).toContain('stack');
    expect((await call('PUT', `${path}/blocks`, { blocks: [block] })).body).toEqual({ blocks: [block] });
    expect((await call('POST', `${path}/submit`)).body.code).toBe('island_no_module');

    const module = `window.WB.register('app.${app.id}.stars', class {});`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/javascript' };
    const upload = (body: string | Buffer) =>
      send(system.baseUrl, 'POST', `${path}/islands/module?name=stars`, { headers, body });
    const { island } = expectStatus(await upload(module), 201).body;
    expect(island.moduleSha256).toBe(createHash('sha256').update(module).digest('hex'));
    expect(island.moduleUrl.startsWith(system.baseUrl)).toBe(true);
    const serve = () => send(system.baseUrl, 'GET', new URL(island.moduleUrl).pathname);
    expect((await serve()).status).toBe(404);
    const own = await send(system.baseUrl, 'GET', `${path}/islands/module?name=stars`, { headers });
    expect([own.status, own.text]).toEqual([200, module]);
    expect((await upload(Buffer.alloc(600 * 1024, 'a'))).body.code).toBe('island_module_too_large');
    expect((await call('POST', `${path}/submit`)).body.version.state).toBe('submitted');

    const { call: review } = await signIn('reviewer');
    expect((await call('GET', '/api/review/versions')).body.code).toBe('reviewer_required');
    const queue = expectStatus(await review('GET', '/api/review/versions?state=submitted'), 200).body;
    expect(queue.versions.map(({ id }: { id: string }) => id)).toEqual([version.id]);
    expect((await serve()).status).toBe(404);
    const toReview = `/api/review/versions/${version.id}/islands/module?name=stars`;
    expect((await review('GET', toReview)).text).toBe(module);
    expect((await call('GET', toReview)).body.code).toBe('reviewer_required');
    const approved = await review('POST', `/api/review/versions/${version.id}/approve`);
    expect([approved.status, approved.body.version.state]).toEqual([200, 'approved']);
    const served = await serve();
    expect([served.status, served.text]).toEqual([200, module]);
    expect(served.headers['cache-control']).toContain('immutable');
    expect((await call('PUT', `${path}/blocks`, { blocks: [] })).body.code).toBe('not_draft');

    const schema = await send(system.baseUrl, 'GET', '/schemas/block-manifest.json');
    expect(JSON.parse(schema.text).$id).toBe(`${system.baseUrl}/schemas/block-manifest.json`);
  });

  test('a colleague joins by e-mail address; nobody else, no key and no app gets in', async () => {
    const { call } = await signIn('developer');
    const { org } = expectStatus(await call('POST', '/api/orgs', { name: 'Two' }), 201).body;
    const colleague = await newPerson(system.baseUrl);
    const theirs = colleague.call;
    const apps = `/api/orgs/${org.id}/apps`;
    expect(await theirs('GET', apps)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const body = { email: colleague.email, role: 'developer' };
    expect((await call('POST', `/api/orgs/${org.id}/members`, body)).status).toBe(201);
    expect((await theirs('GET', apps)).body).toEqual({ apps: [], total: 0, nextCursor: null });
    expect((await callerOf(system.baseUrl, system.demo.apiKey)('GET', apps)).body.code).toBe(
      'user_token_required',
    );
    expect((await callerOf(system.baseUrl, undefined)('GET', apps)).body.code).toBe('missing_credential');
  });
});
