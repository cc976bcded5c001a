import { runSql, shiftTimes } from '@waybill/testing';
import request from 'supertest';
import { type Person, type Studio, startStudio } from './developers.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await startStudio();
});
afterAll(() => studio.stop());

const getStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** Makes the request that identity makes for a user with an invitation's token. */
const accept = (orgId: string, invitationId: string, { id: userId, email }: Person) =>
  request(studio.system.internalUrl)
    .post('/internal/org-invitations/accept')
    .set({ authorization: `Bearer ${studio.system.serviceToken}` })
    .send({ orgId, invitationId, userId, email });

async function newOrg() {
  const owner = studio.newPerson();
  const call = studio.as(owner);
  const { id } = (await call('post', '/api/orgs', { name: 'Acme' })).body.org;
  const path = `/api/orgs/${id}`;
  const invite = (email: string, role = 'developer', by = owner) =>
    studio.as(by)('post', `${path}/invitations`, { email, role });
  const list = async () => (await call('get', `${path}/invitations`)).body;
  const roles = async () =>
    Object.fromEntries(
      (await call('get', `${path}/members`)).body.members.map((member: { userId: string; role: string }) => [
        member.userId,
        member.role,
      ]),
    );
  return { id, path, owner, call, invite, list, roles };
}

describe('an invitation to an organisation', () => {
  test('is listed, and makes a member with its role; only the invitee may repeat the acceptance', async () => {
    const { id, path, owner, call, invite, list, roles } = await newOrg();
    const [guest, eve] = [studio.newPerson(), studio.newPerson()];
    const created = await invite(guest.email.toUpperCase());
    const { invitation } = created.body;
    expect([created.status, invitation]).toEqual([
      201,
      {
        id: expect.stringMatching(/^inv_[0-9a-z]{26}$/),
        email: guest.email,
        role: 'developer',
        invitedBy: owner.id,
        createdAt: moment,
        expiresAt: moment,
      },
    ]);
    expect(await list()).toEqual({ invitations: [invitation], total: 1, nextCursor: null });
    const item = `${path}/invitations/${invitation.id}`;
    expect((await call('get', item)).body).toEqual({ invitation });
    expect(getStatusAndCode(await studio.as(eve)('get', item))).toEqual([404, 'not_found']);
    expect(getStatusAndCode(await accept(id, invitation.id, eve))).toEqual([404, 'not_found']);
    for (const _ of [1, 2]) {
      const { status, body } = await accept(id, invitation.id, guest);
      expect([status, body]).toEqual([200, { org: { id, name: 'Acme' }, role: 'developer' }]);
    }
    expect(getStatusAndCode(await accept(id, invitation.id, { ...eve, email: guest.email }))).toEqual([
      404,
      'not_found',
    ]);
    expect(await roles()).toEqual({ [owner.id]: 'owner', [guest.id]: 'developer' });
    expect((await list()).total).toBe(0);
    expect(getStatusAndCode(await call('get', item))).toEqual([404, 'not_found']);
    expect(getStatusAndCode(await invite(guest.email))).toEqual([409, 'already_member']);
  });

  test('does not readmit a member who was removed since, without a new invitation', async () => {
    const { id, path, call, invite, roles } = await newOrg();
    const guest = studio.newPerson();
    const first = (await invite(guest.email)).body.invitation;
    await accept(id, first.id, guest);
    await call('delete', `${path}/members/${guest.id}`);
    expect(getStatusAndCode(await accept(id, first.id, guest))).toEqual([404, 'not_found']);
    const second = (await invite(guest.email, 'owner')).body.invitation;
    expect(second.id).not.toBe(first.id);
    expect((await accept(id, second.id, guest)).body.role).toBe('owner');
    expect((await roles())[guest.id]).toBe('owner');
  });

  test('that is withdrawn, expired, or from a former owner is invalid', async () => {
    const { id, path, owner, call, invite, list } = await newOrg();
    const [guest, second] = [studio.newPerson(), studio.newPerson()];
    const withdrawn = (await invite(guest.email)).body.invitation;
    expect((await call('delete', `${path}/invitations/${withdrawn.id}`)).status).toBe(204);
    expect(getStatusAndCode(await call('delete', `${path}/invitations/${withdrawn.id}`))).toEqual([
      404,
      'not_found',
    ]);
    expect(getStatusAndCode(await accept(id, withdrawn.id, guest))).toEqual([404, 'not_found']);

    await studio.addMember(id, second, 'owner');
    const bySecond = (await invite(guest.email, 'owner', second)).body.invitation;
    await call('patch', `${path}/members/${second.id}`, { role: 'developer' });
    expect(getStatusAndCode(await accept(id, bySecond.id, guest))).toEqual([404, 'not_found']);
    expect((await list()).total).toBe(0);

    const renewed = (await invite(guest.email)).body.invitation;
    expect([renewed.id, renewed.role, renewed.invitedBy]).toEqual([bySecond.id, 'developer', owner.id]);
    await runSql(
      studio.system,
      'app-platform',
      `update org_invitation set ${shiftTimes('expires_at', '7 days')} where org_id = '${id}'`,
    );
    expect(getStatusAndCode(await accept(id, renewed.id, guest))).toEqual([404, 'not_found']);
    expect((await list()).total).toBe(0);
  });

  test('is for owners; ten thousand may be open, and five an hour go to one address', async () => {
    const { id, path, owner, invite } = await newOrg();
    const [dev, stranger] = [studio.newPerson(), studio.newPerson()];
    await studio.addMember(id, dev, 'developer');
    expect(getStatusAndCode(await invite('x@example.com', 'developer', dev))).toEqual([
      403,
      'insufficient_role',
    ]);
    expect(getStatusAndCode(await studio.as(dev)('get', `${path}/invitations`))).toEqual([
      403,
      'insufficient_role',
    ]);
    expect(getStatusAndCode(await invite('x@example.com', 'developer', stranger))).toEqual([
      404,
      'not_found',
    ]);
    expect(getStatusAndCode(await invite('x@example.com', 'king'))).toEqual([400, 'invalid_body']);
    await runSql(
      studio.system,
      'app-platform',
      `insert into org_invitation (org_id, id, email, role, invited_by, expires_at)
       select '${id}', 'inv_' || n, n || '@example.com', 'developer', '${owner.id}', now() + interval '1 day'
       from generate_series(1, 9999) n`,
    );
    expect((await invite('last@example.com')).status).toBe(201);
    expect(getStatusAndCode(await invite('one-more@example.com'))).toEqual([409, 'too_many_invitations']);
    const again = await Promise.all(Array.from({ length: 6 }, () => invite('last@example.com')));
    expect(again.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 429, 429]);
  });
});
