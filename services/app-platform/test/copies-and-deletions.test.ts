import { eventually } from '@waybill/testing';
import { sql } from 'kysely';
import { plainStars, type Studio, stars, startStudio } from './developers.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await startStudio();
});
afterAll(() => studio.stop());

const getStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];
const listActions = async (orgId: string): Promise<string[]> => {
  const { rows } = await sql<{ action: string }>`
    select action from audit_entry where owner_id = ${orgId} order by id`.execute(studio.db);
  return rows.map(({ action }) => action);
};
const approve = (id: string) => studio.review('post', `/api/review/versions/${id}/approve`);

describe('a version from another', () => {
  test('copies blocks, islands, modules, scopes and origins, except those in the body', async () => {
    const app = await studio.newApp();
    const source = await app.newVersion(['products.read'], ['https://api.example.com']);
    await source.putIslands('wall', 'stars');
    await source.upload('stars', 'the module', undefined, app.owner);
    await source.putBlocks({ blocks: [stars] });
    await source.submit();
    const copy = async (body: object) => {
      const { status, body: answer } = await app.call('post', `${app.path}/versions`, body);
      expect([status, answer.version?.state]).toEqual([201, 'draft']);
      return (await app.call('get', `${app.path}/versions/${answer.version.id}`)).body.version;
    };
    const original = await source.get();
    const like = ({ blocks, islands, scopes, connectOrigins }: typeof original) => ({
      blocks,
      islands,
      scopes,
      connectOrigins,
    });
    const whole = await copy({ from: source.id });
    expect(like(whole)).toEqual(like(original));
    expect([whole.number, whole.submittedAt]).toEqual([2, null]);
    expect(whole.islands[1].moduleSha256).toMatch(/^[0-9a-f]{64}$/);
    const named = await copy({ from: source.id, scopes: ['orders.read', 'orders.read'], connectOrigins: [] });
    expect(named).toMatchObject({ scopes: ['orders.read'], connectOrigins: [], blocks: [{ key: 'stars' }] });
    // One copy is changed and the other is not.
    const path = `${app.path}/versions/${whole.id}`;
    expect((await app.call('put', `${path}/blocks`, { blocks: [] })).status).toBe(200);
    expect((await source.get()).blocks).toEqual([stars]);
  });

  test("404 for what is not the app's own; without it scopes are required", async () => {
    const [app, other] = [await studio.newApp(), await studio.newApp()];
    const theirs = await other.newVersion();
    const create = (body: object) => app.call('post', `${app.path}/versions`, body);
    for (const from of [theirs.id, `ver_${'0'.repeat(26)}`, '', 'x']) {
      expect(getStatusAndCode(await create({ from, scopes: [] }))).toEqual([404, 'not_found']);
    }
    const without = await create({});
    expect(getStatusAndCode(without)).toEqual([400, 'invalid_body']);
    expect(without.body.details).toMatchObject([{ pointer: '/scopes' }]);
    expect((await app.newVersion()).number).toBe(1);
  });

  test('a thousand may be open', async () => {
    const app = await studio.newApp();
    const first = await app.newVersion();
    await sql`insert into app_version (id, app_id, number, scopes)
      select 'ver_' || i || ${app.app.id}, ${app.app.id}, 1000 + i, '{}' from generate_series(1, 998) i`.execute(
      studio.db,
    );
    const create = () => app.call('post', `${app.path}/versions`, { from: first.id });
    const created = await Promise.all([create(), create(), create()]);
    expect(created.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(getStatusAndCode(await create())).toEqual([409, 'too_many_versions']);
    await first.delete();
    expect((await app.call('post', `${app.path}/versions`, { scopes: [] })).status).toBe(201);
  });

  test('an app has 10,000 versions at most, whatever became of them', async () => {
    const app = await studio.newApp();
    await app.newVersion();
    await sql`insert into app_version (id, app_id, number, scopes, state)
      select 'ver_' || i || ${app.app.id}, ${app.app.id}, 100000 + i, '{}', 'withdrawn' from generate_series(1, 9998) i`.execute(
      studio.db,
    );
    const create = () => app.call('post', `${app.path}/versions`, { scopes: [] });
    const created = await Promise.all([create(), create()]);
    expect(created.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(getStatusAndCode(await create())).toEqual([409, 'too_many_versions']);
  });
});

describe('a submitted version', () => {
  test('is recalled to a draft, leaves the queue, and can be submitted again', async () => {
    const app = await studio.newApp();
    const draft = await app.newVersion();
    expect(getStatusAndCode(await draft.recall())).toEqual([409, 'invalid_state']);
    await draft.submit();
    expect((await draft.recall()).body.version).toMatchObject({ state: 'draft', submittedAt: null });
    const { versions } = (await studio.review('get', '/api/review/versions?limit=200')).body;
    expect(versions.filter(({ id }: { id: string }) => id === draft.id)).toEqual([]);
    expect(getStatusAndCode(await approve(draft.id))).toEqual([409, 'invalid_state']);
    expect((await draft.putBlocks({ blocks: [plainStars] })).status).toBe(200);
    expect((await draft.submit()).status).toBe(200);
    expect((await approve(draft.id)).status).toBe(200);
    expect(getStatusAndCode(await draft.recall())).toEqual([409, 'invalid_state']);
    const recalled = (await listActions(app.org.id)).filter((action) => action === 'appVersion.recalled');
    expect(recalled).toHaveLength(1);
    const stranger = studio.as(studio.newPerson());
    expect(getStatusAndCode(await stranger('post', `${draft.path}/recall`))).toEqual([404, 'not_found']);
  });

  test('a simultaneous recall and approval end in one of the two', async () => {
    const app = await studio.newApp();
    for (let i = 0; i < 5; i++) {
      const draft = await app.newVersion();
      await draft.submit();
      const [recalled, approved] = await Promise.all([draft.recall(), approve(draft.id)]);
      expect([recalled.status, approved.status].sort()).toEqual([200, 409]);
      expect((await draft.get()).state).toBe(recalled.status === 200 ? 'draft' : 'approved');
    }
  });
});

describe('deleting', () => {
  test('only drafts are deleted, and their numbers are not reused', async () => {
    const app = await studio.newApp();
    const draft = await app.newVersion();
    await draft.putIslands('stars');
    const stranger = studio.as(studio.newPerson());
    expect(getStatusAndCode(await stranger('delete', draft.path))).toEqual([404, 'not_found']);
    expect((await draft.delete()).status).toBe(204);
    expect(getStatusAndCode(await draft.delete())).toEqual([404, 'not_found']);
    expect(getStatusAndCode(await draft.putBlocks({ blocks: [] }))).toEqual([404, 'not_found']);
    const next = await app.newVersion();
    expect(next.number).toBe(2);
    await next.submit();
    expect(getStatusAndCode(await next.delete())).toEqual([409, 'invalid_state']);
    await approve(next.id);
    expect(getStatusAndCode(await next.delete())).toEqual([409, 'invalid_state']);
    expect(await listActions(app.org.id)).toContain('appVersion.deleted');
  });

  test('a draft that is submitted, changed or copied simultaneously stays consistent', async () => {
    const app = await studio.newApp();
    for (let i = 0; i < 4; i++) {
      const draft = await app.newVersion();
      // The draft has blocks, so that submitting always asks for the vocabulary.
      await draft.putBlocks({ blocks: [plainStars] });
      const all = await Promise.all([
        draft.delete(),
        draft.submit(),
        draft.putBlocks({ blocks: [] }),
        app.call('post', `${app.path}/versions`, { from: draft.id }),
      ]);
      expect(all.filter(({ status }) => status >= 500)).toEqual([]);
      const [deleted] = all;
      const { status } = await app.call('get', draft.path);
      expect(deleted!.status === 204 ? 404 : 200).toBe(status);
    }
  });

  test('an app: with its versions and its icon, and its name is in no list any more', async () => {
    const app = await studio.newApp();
    const draft = await app.newVersion();
    await draft.submit();
    await approve(draft.id);
    await app.call('patch', app.path, { isListed: true, description: app.app.id });
    const find = async () => (await app.call('get', `/api/apps?q=${app.app.id}`)).body.total;
    expect(await find()).toBe(1);
    const stranger = studio.as(studio.newPerson());
    expect(getStatusAndCode(await stranger('delete', app.path))).toEqual([404, 'not_found']);
    expect((await app.call('delete', app.path)).status).toBe(204);
    expect(getStatusAndCode(await app.call('delete', app.path))).toEqual([404, 'not_found']);
    expect(await find()).toBe(0);
    for (const path of [app.path, draft.path, `/api/apps/${app.app.id}`]) {
      expect(getStatusAndCode(await app.call('get', path))).toEqual([404, 'not_found']);
    }
    expect((await studio.review('get', `/api/review/versions/${draft.id}`)).status).toBe(404);
    expect(await listActions(app.org.id)).toContain('app.deleted');
    await eventually(
      async () => (await studio.db.selectFrom('deleted_app').selectAll().execute()).length === 0,
    );
  });

  test('an app while everything else is done to it: nothing breaks', async () => {
    for (let i = 0; i < 3; i++) {
      const app = await studio.newApp();
      const draft = await app.newVersion();
      await draft.submit();
      const all = await Promise.all([
        app.call('delete', app.path),
        approve(draft.id),
        draft.recall(),
        app.call('post', `${app.path}/versions`, { scopes: [] }),
        app.call('patch', app.path, { name: 'Other' }),
        app.call('post', `${app.path}/client-secret`),
        studio.review('post', `/api/review/apps/${app.app.id}/suspend`),
      ]);
      expect(all[0]!.status).toBe(204);
      expect(all.filter(({ status }) => status >= 500)).toEqual([]);
      expect((await app.call('get', app.path)).status).toBe(404);
    }
    await eventually(
      async () => (await studio.db.selectFrom('install_sweep').selectAll().execute()).length === 0,
    );
  });

  test('an organisation is deleted by an owner, without apps and stores, and consistently with simultaneous creates', async () => {
    const app = await studio.newApp();
    const dev = studio.newPerson();
    const org = `/api/orgs/${app.org.id}`;
    await studio.addMember(app.org.id, dev, 'developer');
    expect(getStatusAndCode(await app.call('delete', org))).toEqual([409, 'org_not_empty']);
    expect((await app.call('delete', app.path)).status).toBe(204);
    studio.developmentStores.set('str_of_the_organisation', app.org.id);
    expect(getStatusAndCode(await app.call('delete', org))).toEqual([409, 'org_not_empty']);
    studio.developmentStores.delete('str_of_the_organisation');
    expect(getStatusAndCode(await studio.as(dev)('delete', org))).toEqual([403, 'insufficient_role']);
    expect(getStatusAndCode(await studio.as(studio.newPerson())('delete', org))).toEqual([404, 'not_found']);
    const [deleted, ...created] = await Promise.all([
      app.call('delete', org),
      ...Array.from({ length: 4 }, () => app.call('post', `${org}/apps`, { name: 'Late' })),
    ]);
    const isDeleted = deleted!.status === 204;
    expect(created.map(({ status }) => status).filter((status) => status !== 201 && status !== 404)).toEqual(
      [],
    );
    expect(created.some(({ status }) => status === 201)).toBe(!isDeleted);
    expect((await app.call('get', org)).status).toBe(isDeleted ? 404 : 200);
  });

  test('a deleted organisation cannot be joined by an open invitation', async () => {
    const owner = studio.newPerson();
    const call = studio.as(owner);
    const { org } = (await call('post', '/api/orgs', { name: 'Short' })).body;
    const body = { email: 'late@example.com', role: 'developer' };
    expect((await call('post', `/api/orgs/${org.id}/invitations`, body)).status).toBe(201);
    expect((await call('delete', `/api/orgs/${org.id}`)).status).toBe(204);
    expect((await call('get', '/api/orgs')).body.total).toBe(0);
    expect(await listActions(org.id)).toContain('organisation.deleted');
    const left = await studio.db
      .selectFrom('org_invitation')
      .select('id')
      .where('org_id', '=', org.id)
      .execute();
    expect(left).toEqual([]);
  });
});
