import { createHash } from 'node:crypto';
import { acceptNext, expectStatus, newPerson, newStore, verify } from '../../testing/accounts.ts';
import { createCaller, send } from '../../testing/client.ts';
import { type SharedSystem, topologies } from './topologies.ts';

describe.each(topologies)('$name', ({ share }) => {
  let system: SharedSystem;
  beforeAll(async () => {
    system = await share();
  });

  /** Returns a caller for a demo account. */
  async function signIn(account: 'developer' | 'reviewer') {
    const { email, password } = system.demo[account];
    const res = await createCaller(system.baseUrl, undefined)('POST', '/api/auth/login', { email, password });
    expect(res.status).toBe(200);
    return {
      token: res.body.accessToken as string,
      call: createCaller(system.baseUrl, res.body.accessToken),
    };
  }

  test('an app gets from an organisation to an approved version', async () => {
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
    // There may be versions of other suites too.
    expect(queue.versions.map(({ id }: { id: string }) => id)).toContain(version.id);
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

  test('a developer copies, recalls and deletes; a merchant and a reviewer see what changes', async () => {
    const { call } = await signIn('developer');
    const { call: review } = await signIn('reviewer');
    const { org } = expectStatus(await call('POST', '/api/orgs', { name: 'Loop' }), 201).body;
    const { app } = expectStatus(await call('POST', `/api/orgs/${org.id}/apps`, { name: 'Walls' }), 201).body;
    const appPath = `/api/orgs/${org.id}/apps/${app.id}`;
    const begin = async (body: object) =>
      expectStatus(await call('POST', `${appPath}/versions`, body), 201).body.version;
    const block = (key: string, says: string) => ({
      key,
      name: key,
      rootId: 'root',
      nodes: [{ id: 'root', type: 'text', props: { specials: { text: says } } }],
    });
    const first = await begin({ scopes: [] });
    const path = `${appPath}/versions/${first.id}`;
    const blocks = [block('wall', 'Bricks'), block('door', 'Oak')];
    expectStatus(await call('PUT', `${path}/blocks`, { blocks }), 200);
    expectStatus(await call('POST', `${path}/submit`), 200);
    expect((await call('DELETE', path)).body.code).toBe('invalid_state');
    expect((await call('POST', `${path}/recall`)).body.version.state).toBe('draft');
    expectStatus(await call('POST', `${path}/submit`), 200);
    expectStatus(await review('POST', `/api/review/versions/${first.id}/approve`), 200);

    const merchant = await newPerson(system.baseUrl);
    const storeId = await newStore(merchant);
    const at = (rest: string) => `/api/stores/${storeId}/apps/${app.id}${rest}`;
    expectStatus(await merchant.call('POST', at('/install'), { scopes: [] }), 201);
    const created = await merchant.call('POST', `/api/stores/${storeId}/pages`, { name: 'Home' });
    const { page } = expectStatus(created, 201).body;
    const props = { specials: { appId: app.id, blockKey: 'wall' } };
    const nodes = [
      { id: 'root', type: 'section', children: ['b'] },
      { id: 'b', type: 'blockRef', props },
    ];
    const draft = `/api/stores/${storeId}/pages/${page.id}/draft`;
    expectStatus(await merchant.call('PUT', draft, { document: { rootId: 'root', nodes } }), 200);

    const copy = await begin({ from: first.id, scopes: ['products.read'] });
    const second = `${appPath}/versions/${copy.id}`;
    expect((await call('GET', second)).body.version).toMatchObject({ number: 2, blocks });
    expectStatus(await call('DELETE', second), 204);
    const third = await begin({ from: first.id, scopes: ['products.read'] });
    expect(third.number).toBe(3);
    const changed = `${appPath}/versions/${third.id}`;
    expectStatus(await call('PUT', `${changed}/blocks`, { blocks: [block('door', 'Iron')] }), 200);
    expectStatus(await call('POST', `${changed}/submit`), 200);
    const toReview = `/api/review/versions/${third.id}`;
    const { version } = expectStatus(await review('GET', toReview), 200).body;
    expect(version.org).toMatchObject({ id: org.id, members: 1, approvals: 1 });
    const difference = {
      before: 'Oak',
      after: 'Iron',
      pointer: '/nodes/0/props/specials/text',
      isCut: false,
    };
    expect(version.changes.blockChanges).toEqual([
      { key: 'door', differences: [difference], hasMore: false },
    ]);
    const drawn = await review('GET', `${toReview}/renderings`);
    const [door, wall] = expectStatus(drawn, 200).body.renderings;
    expect([door.before.html, door.after.html]).toEqual([
      expect.stringContaining('Oak'),
      expect.stringContaining('Iron'),
    ]);
    expect(wall).toMatchObject({
      key: 'wall',
      before: { html: expect.stringContaining('Bricks') },
      after: null,
    });
    expect(drawn.headers['content-security-policy']).toBe("default-src 'none'; sandbox");
    expectStatus(await review('POST', `${toReview}/approve`), 200);

    const place = { type: 'page', id: page.id, name: 'Home', live: false, draft: true };
    const lost = { key: 'wall', name: 'wall', pages: [], places: [place], hasMore: false };
    expect((await merchant.call('GET', at('/consent'))).body).toEqual({ missingBlocks: [lost] });
    expect((await merchant.call('GET', at('/uses'))).body).toEqual({ uses: [lost] });
    expect((await merchant.call('GET', at('/versions'))).body.versions).toMatchObject([
      { number: 3, isInstalled: false, isWaiting: true, needsConsent: true, blocks: [{ key: 'door' }] },
      { number: 1, isInstalled: true, isWaiting: false, needsConsent: false },
    ]);

    expect((await call('DELETE', appPath)).body.code).toBe('app_installed');
    expectStatus(await merchant.call('DELETE', at('')), 204);
    expect((await call('DELETE', `/api/orgs/${org.id}`)).body.code).toBe('org_not_empty');
    expectStatus(await call('DELETE', appPath), 204);
    expectStatus(await call('DELETE', `/api/orgs/${org.id}`), 204);
    expect((await call('GET', `/api/orgs/${org.id}`)).status).toBe(404);
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
    await verify(colleague);
    await acceptNext(colleague);
    expect((await theirs('GET', apps)).body).toEqual({ apps: [], total: 0, nextCursor: null });
    expect((await createCaller(system.baseUrl, system.demo.apiKey)('GET', apps)).body.code).toBe(
      'user_token_required',
    );
    expect((await createCaller(system.baseUrl, undefined)('GET', apps)).body.code).toBe('missing_credential');
  });
});
