import { hashCredential } from '@waybill/contracts';
import { runSql, silenceNameServers } from '@waybill/testing';
import request from 'supertest';
import { type Studio, startStudio } from './developers.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await startStudio();
});
afterAll(() => studio.stop());

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const getStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];

describe('organisations', () => {
  test('are created with their creator as owner, and listed to their members only', async () => {
    const [ann, ben] = [studio.newPerson(), studio.newPerson()];
    const created = await studio.as(ann)('post', '/api/orgs', { name: 'Acme' });
    const org = {
      id: expect.stringMatching(/^org_[0-9a-z]{26}$/),
      name: 'Acme',
      role: 'owner',
      createdAt: moment,
      updatedAt: moment,
    };
    expect([created.status, created.body]).toEqual([201, { org }]);
    expect((await studio.as(ann)('get', '/api/orgs')).body).toEqual({
      orgs: [created.body.org],
      total: 1,
      nextCursor: null,
    });
    expect((await studio.as(ann)('get', `/api/orgs/${created.body.org.id}`)).body).toEqual(created.body);
    expect((await studio.as(ben)('get', '/api/orgs')).body).toEqual({ orgs: [], total: 0, nextCursor: null });
    expect(getStatusAndCode(await studio.as(ben)('get', `/api/orgs/${created.body.org.id}`))).toEqual([
      404,
      'not_found',
    ]);
    expect(getStatusAndCode(await studio.as(ann)('post', '/api/orgs', { name: '' }))).toEqual([
      400,
      'invalid_body',
    ]);
  });

  test('409 too_many_orgs for who owns 10,000; those of others, where they are developers, do not count', async () => {
    const [many, helper] = [studio.newPerson(), studio.newPerson()];
    await runSql(
      studio.system,
      'app-platform',
      `with made as (
         insert into organisation (id, name) select 'org_many_' || n, 'Many' from generate_series(1, 9999) n returning id
       )
       insert into org_member (org_id, user_id, email, role)
       select id, '${many.id}', '${many.email}', 'owner' from made
       union all select id, '${helper.id}', '${helper.email}', 'developer' from made`,
    );
    const make = (person: typeof many) => studio.as(person)('post', '/api/orgs', { name: 'One more' });
    const all = await Promise.all(Array.from({ length: 5 }, () => make(many)));
    expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(all.find(({ status }) => status === 409)!.body.code).toBe('too_many_orgs');
    expect((await make(helper)).status).toBe(201);
  });

  test('409 too_many_apps in an organisation that has 10,000', async () => {
    const ann = studio.newPerson();
    const { org } = (await studio.as(ann)('post', '/api/orgs', { name: 'Acme' })).body;
    await runSql(
      studio.system,
      'app-platform',
      `insert into app (id, org_id, name, client_secret_hash, redirect_uris)
       select 'app_many_' || n, '${org.id}', 'Many', '', '{}' from generate_series(1, 9999) n`,
    );
    const make = () => studio.as(ann)('post', `/api/orgs/${org.id}/apps`, { name: 'One more' });
    const all = await Promise.all(Array.from({ length: 5 }, make));
    expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(all.find(({ status }) => status === 409)!.body.code).toBe('too_many_apps');
  });

  test('identity gets a user’s memberships, a hundred at most and whether there are more', async () => {
    const [ann, ben] = [studio.newPerson(), studio.newPerson()];
    const { body } = await studio.as(ann)('post', '/api/orgs', { name: 'Acme' });
    await studio.as(ben)('post', '/api/orgs', { name: 'Other' });
    const ask = async () =>
      (
        await request(studio.system.internalUrl)
          .post('/internal/orgs/of-user')
          .set('authorization', `Bearer ${studio.system.serviceToken}`)
          .send({ userId: ann.id })
      ).body;
    const own = { id: body.org.id, name: 'Acme', role: 'owner' };
    expect(await ask()).toEqual({ orgs: [own], hasMore: false });
    await runSql(
      studio.system,
      'app-platform',
      `with made as (
         insert into organisation (id, name) select 'org_' || lpad(n::text, 26, '0'), 'Org ' || n
         from generate_series(1, 100) n returning id)
       insert into org_member (org_id, user_id, email, role) select id, '${ann.id}', '${ann.email}', 'developer' from made`,
    );
    const all = await ask();
    expect([all.orgs.length, all.hasMore]).toEqual([100, true]);
    expect(all.orgs[0]).toEqual({ id: `org_${'1'.padStart(26, '0')}`, name: 'Org 1', role: 'developer' });
  });

  test('401 without a principal, and with an API key’s', async () => {
    const path = `${studio.system.internalUrl}/api/orgs`;
    expect(getStatusAndCode(await request(path).get(''))).toEqual([401, 'missing_credential']);
    const key = await studio.system.as({
      kind: 'apiKey',
      storeId: 'str_1',
      keyId: 'key_1',
      scopes: ['integrations.write'],
      creatorPermissions: ['integrations.write'],
    });
    expect(getStatusAndCode(await request(path).get('').set(key))).toEqual([401, 'user_token_required']);
  });

  test('owners invite, change and remove members; developers do everything else', async () => {
    const { owner, org, call } = await studio.newApp();
    const [dev, other] = [studio.newPerson(), studio.newPerson()];
    const members = `/api/orgs/${org.id}/members`;
    for (const email of [dev.email, 'no@body.example']) {
      const invited = await call('post', members, { email: email.toUpperCase(), role: 'developer' });
      expect([invited.status, invited.body]).toMatchObject([
        201,
        { invitation: { email, role: 'developer', invitedBy: owner.id } },
      ]);
    }
    expect((await call('get', members)).body.total).toBe(1);
    await studio.addMember(org.id, dev, 'developer');
    const member = { userId: dev.id, email: dev.email, role: 'developer', createdAt: moment };
    for (const route of [members, `/api/orgs/${org.id}/invitations`])
      expect(getStatusAndCode(await call('post', route, { email: dev.email, role: 'owner' }))).toEqual([
        409,
        'already_member',
      ]);
    Object.assign(owner, { isVerified: false });
    for (const route of [members, `/api/orgs/${org.id}/invitations`])
      expect(getStatusAndCode(await call('post', route, { email: other.email, role: 'owner' }))).toEqual([
        409,
        'email_unverified',
      ]);
    Object.assign(owner, { isVerified: true });
    expect(getStatusAndCode(await call('post', members, { email: other.email, role: 'boss' }))).toEqual([
      400,
      'invalid_body',
    ]);
    const list = (await call('get', members)).body;
    expect(list).toEqual({
      members: [{ userId: owner.id, email: owner.email, role: 'owner', createdAt: moment }, member],
      total: 2,
      nextCursor: null,
    });

    const asDev = studio.as(dev);
    for (const [method, path, body] of [
      ['post', members, { email: other.email, role: 'developer' }],
      ['post', members, {}],
      ['patch', `${members}/${dev.id}`, {}],
      ['patch', `${members}/${dev.id}`, { role: 'owner' }],
      ['delete', `${members}/${owner.id}`],
    ] as const) {
      expect(getStatusAndCode(await asDev(method, path, body))).toEqual([403, 'insufficient_role']);
    }
    expect((await asDev('post', `/api/orgs/${org.id}/apps`, { name: 'Second' })).status).toBe(201);
    expect(getStatusAndCode(await studio.as(other)('get', members))).toEqual([404, 'not_found']);

    expect(getStatusAndCode(await call('delete', `${members}/${owner.id}`))).toEqual([409, 'last_owner']);
    expect(getStatusAndCode(await call('patch', `${members}/${owner.id}`, { role: 'developer' }))).toEqual([
      409,
      'last_owner',
    ]);
    expect((await call('patch', `${members}/${dev.id}`, { role: 'owner' })).body.member.role).toBe('owner');
    expect((await asDev('delete', `${members}/${owner.id}`)).status).toBe(204);
    expect(getStatusAndCode(await call('get', members))).toEqual([404, 'not_found']);
    expect(getStatusAndCode(await asDev('delete', `${members}/${other.id}`))).toEqual([404, 'not_found']);
  });

  test('of two owners who leave simultaneously one stays', async () => {
    const { owner, org, call } = await studio.newApp();
    const other = studio.newPerson();
    const members = `/api/orgs/${org.id}/members`;
    await studio.addMember(org.id, other, 'owner');
    const left = await Promise.all([
      call('delete', `${members}/${owner.id}`),
      studio.as(other)('delete', `${members}/${other.id}`),
    ]);
    expect(left.map(({ status }) => status).sort()).toEqual([204, 409]);
  });
});

describe('apps', () => {
  test('show their client secret once, and only its hash is stored', async () => {
    const { app, org, clientSecret, call, path } = await studio.newApp();
    expect(app).toEqual({
      id: expect.stringMatching(/^app_[0-9a-z]{26}$/),
      orgId: org.id,
      name: 'Reviews',
      redirectUris: ['https://app.example.com/installed'],
      description: '',
      website: null,
      supportEmail: null,
      privacyUrl: null,
      installUrl: null,
      isListed: false,
      iconUrl: null,
      webhookUrl: null,
      webhookSecretIssuedAt: null,
      previousWebhookSecretExpiresAt: null,
      suspendedAt: null,
      createdAt: moment,
      updatedAt: moment,
    });
    expect(clientSecret).toMatch(/^[\w-]{43}$/);
    expect((await call('get', path)).body).toEqual({ app });
    expect((await call('get', `/api/orgs/${org.id}/apps`)).body).toEqual({
      apps: [app],
      total: 1,
      nextCursor: null,
    });
    const replaced = await call('post', `${path}/client-secret`);
    expect(replaced.status).toBe(200);
    expect(replaced.body.clientSecret).not.toBe(clientSecret);
    const row = await studio.db
      .selectFrom('app')
      .selectAll()
      .where('id', '=', app.id)
      .executeTakeFirstOrThrow();
    expect(row.client_secret_hash).toBe(hashCredential(replaced.body.clientSecret));
    expect(JSON.stringify(row)).not.toContain(replaced.body.clientSecret);
  });

  test('have an ETag that neither the end of an overlap nor the reader’s role changes', async () => {
    const { app, org, call, path } = await studio.newApp();
    const endOverlap = (at: Date) =>
      studio.db
        .updateTable('app')
        .set({ previous_webhook_secret_expires_at: at })
        .where('id', '=', app.id)
        .execute();
    await endOverlap(new Date(Date.now() + 3_600_000));
    const { headers, body } = await call('get', path);
    expect(body.app.previousWebhookSecretExpiresAt).toEqual(moment);
    await endOverlap(new Date());
    const read = await call('get', path);
    expect([read.body.app.previousWebhookSecretExpiresAt, read.headers.etag]).toEqual([null, headers.etag]);
    expect((await call('get', path, undefined, { 'if-none-match': headers.etag! })).status).toBe(304);
    expect((await call('patch', path, { name: 'Stars' }, { 'if-match': headers.etag! })).status).toBe(200);

    const developer = studio.newPerson();
    await studio.addMember(org.id, developer, 'developer');
    const seen = [call, studio.as(developer)].map((person) => person('get', `/api/orgs/${org.id}`));
    const [asOwner, asDeveloper] = await Promise.all(seen);
    expect([asOwner!.body.org.role, asDeveloper!.body.org.role]).toEqual(['owner', 'developer']);
    expect(asDeveloper!.headers.etag).toBe(asOwner!.headers.etag);
  });

  test('use no connection of others while a name server is silent', async () => {
    const { call, path } = await studio.newApp();
    const silence = silenceNameServers();
    const ends: string[] = [];
    // More requests than the service has connections.
    const writes = Array.from({ length: 20 }, async (_, i) => {
      const key = { 'idempotency-key': `key-${i}` };
      const { status } = await call('patch', path, { webhookUrl: `https://shop.example/${i}` }, key);
      ends.push('write');
      return status;
    });
    await silence.queried;
    const read = await call('get', path);
    ends.push('read');
    const statuses = await Promise.all(writes);
    silence.end();
    expect([read.status, ends[0]]).toEqual([200, 'read']);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test('can be renamed and led elsewhere; a change that changes nothing touches nothing', async () => {
    const { app, call, path } = await studio.newApp();
    const same = await call('patch', path, { name: app.name, redirectUris: app.redirectUris });
    expect(same.body).toEqual({ app });
    const redirectUris = ['http://127.0.0.1:3000/cb', 'http://[::1]/cb', 'http://localhost/cb?x=1'];
    const changed = await call('patch', path, { redirectUris });
    expect(changed.body.app).toMatchObject({ name: 'Reviews', redirectUris });
    expect(changed.body.app.updatedAt > app.updatedAt).toBe(true);
  });

  test('tell merchants what they need to know', async () => {
    const { app, org, call, path } = await studio.newApp();
    const listing = {
      description: 'Stars and words of customers',
      website: 'https://reviews.example.com/about#merchants',
      supportEmail: 'help@reviews.example.com',
      privacyUrl: 'https://reviews.example.com/privacy',
      installUrl: 'http://localhost:3000/install',
      isListed: true,
    };
    const changed = await call('patch', path, listing);
    expect(changed.body).toEqual({ app: { ...app, ...listing, updatedAt: moment } });
    expect((await call('get', path)).body).toEqual(changed.body);
    expect((await call('patch', path, listing)).body).toEqual(changed.body);
    const withdrawn = await call('patch', path, { website: null, isListed: false });
    expect(withdrawn.body.app).toMatchObject({ ...listing, website: null, isListed: false });
    expect(await studio.changesOf(org.id)).toEqual([Object.keys(listing), ['website', 'isListed']]);
  });

  test.each([
    [{ description: 'x'.repeat(2001) }, '/description'],
    [{ description: null }, '/description'],
    [{ website: 'http://reviews.example.com' }, '/website'],
    [{ website: 'javascript:alert(1)' }, '/website'],
    [{ installUrl: 'https://user:password@a.example/' }, '/installUrl'],
    [{ privacyUrl: '' }, '/privacyUrl'],
    [{ privacyUrl: '/privacy' }, '/privacyUrl'],
    [{ supportEmail: 'nobody' }, '/supportEmail'],
    [{ isListed: 'yes' }, '/isListed'],
  ])('%j is invalid_body', async (change, pointer) => {
    const { app, call, path } = await studio.newApp();
    const res = await call('patch', path, change);
    expect(getStatusAndCode(res)).toEqual([400, 'invalid_body']);
    expect(res.body.details).toMatchObject([{ pointer }]);
    expect((await call('get', path)).body).toEqual({ app });
  });

  test.each([
    [['/relative'], '/redirectUris/0'],
    [['javascript:alert(1)'], '/redirectUris/0'],
    [['https://a.example/', 'https://a.example/#fragment'], '/redirectUris/1'],
    [['https://user:password@a.example/'], '/redirectUris/0'],
    [['https://a.example/with space'], '/redirectUris/0'],
    [['https://a.example/', 'http://a.example/'], '/redirectUris/1'],
    [['http://localhost.a.example/'], '/redirectUris/0'],
    [['https://*.a.example/'], '/redirectUris/0'],
    [['https://a.example/*'], '/redirectUris/0'],
    [['https://a.example/#'], '/redirectUris/0'],
    [['app.example:/callback'], '/redirectUris/0'],
    [[''], '/redirectUris/0'],
    ['https://a.example/', '/redirectUris'],
  ])('redirectUris %j are invalid_body', async (redirectUris, pointer) => {
    const { org, call } = await studio.newApp();
    const res = await call('post', `/api/orgs/${org.id}/apps`, { name: 'x', redirectUris });
    expect(getStatusAndCode(res)).toEqual([400, 'invalid_body']);
    expect(res.body.details).toMatchObject([{ pointer }]);
  });

  test('404 for another organisation’s and unknown ones, whatever the body', async () => {
    const [one, other] = [await studio.newApp(), await studio.newApp()];
    const orgPath = `/api/orgs/${one.org.id}`;
    for (const path of [`${orgPath}/apps`, `${orgPath}/members`, `${one.path}/versions`]) {
      expect(getStatusAndCode(await other.call('post', path, '{'))).toEqual([404, 'not_found']);
    }
    expect(getStatusAndCode(await other.call('patch', one.path, '{'))).toEqual([404, 'not_found']);
    for (const path of [
      one.path,
      `/api/orgs/${other.org.id}/apps/${one.app.id}`,
      `${other.path.slice(0, -1)}_`,
    ]) {
      expect(getStatusAndCode(await other.call('get', path))).toEqual([404, 'not_found']);
      expect(getStatusAndCode(await other.call('patch', path, { name: 'x' }))).toEqual([404, 'not_found']);
    }
  });

  test('a stored answer is replayed only while its sender still has the right', async () => {
    const { org, call, path } = await studio.newApp();
    const other = studio.newPerson();
    const members = `/api/orgs/${org.id}/members`;
    await studio.addMember(org.id, other, 'owner');
    const asOther = studio.as(other);
    const key = { 'idempotency-key': 'still-may' };
    const invitation = { email: 'guest@example.com', role: 'developer' };
    const secret = await asOther('post', `${path}/client-secret`, {}, key);
    const invited = await asOther('post', `/api/orgs/${org.id}/invitations`, invitation, key);
    expect([secret.status, invited.status]).toEqual([200, 201]);
    // Another owner who sends the same key gets a different secret.
    const own = await call('post', `${path}/client-secret`, {}, key);
    expect(own.body.clientSecret).not.toBe(secret.body.clientSecret);
    expect((await asOther('post', `${path}/client-secret`, {}, key)).body).toEqual(secret.body);

    await call('patch', `${members}/${other.id}`, { role: 'developer' });
    expect(
      getStatusAndCode(await asOther('post', `/api/orgs/${org.id}/invitations`, invitation, key)),
    ).toEqual([403, 'insufficient_role']);
    await call('delete', `${members}/${other.id}`);
    expect(getStatusAndCode(await asOther('post', `${path}/client-secret`, {}, key))).toEqual([
      404,
      'not_found',
    ]);
  });

  test('a stored answer is replayed to its sender, and to nobody who guesses the key', async () => {
    const { call, path } = await studio.newApp();
    const stranger = studio.as(studio.newPerson());
    const key = { 'idempotency-key': '1' };
    const app = { name: 'Stars', redirectUris: ['https://example.com/cb'] };
    for (const [at, body] of [
      [`${path}/client-secret`, {}],
      [path.slice(0, path.lastIndexOf('/')), app],
    ] as const) {
      const first = await call('post', at, body, key);
      expect([200, 201]).toContain(first.status);
      expect((await call('post', at, body, key)).body).toEqual(first.body);
      expect(getStatusAndCode(await stranger('post', at, body, key))).toEqual([404, 'not_found']);
    }
  });
});
