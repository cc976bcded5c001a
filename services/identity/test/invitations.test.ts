import type { Role } from '@waybill/contracts';
import {
  listMailsTo,
  runSql,
  shiftTimes,
  startSystem,
  type TestSystem,
  waitForMailedToken,
} from '@waybill/testing';
import { identity } from '../src/index.ts';
import { type Client, createClient, type Person, repeat } from './people.ts';

let system: TestSystem;
let client: Client;
beforeAll(async () => {
  system = await startSystem([identity]);
  client = createClient(system);
});
afterAll(() => system.stop());

const getStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const verifyAll = () => runSql(system, 'identity', 'update user_account set email_verified_at = now()');
const accept = (person: Person, token: string) =>
  client.as(person).post('/api/invitations/accept', { token });
const linkTo = (email: string, count?: number) =>
  waitForMailedToken(system.dataDir, email, 'invitation', count);
const readRole = async (storeId: string, { id }: Person) =>
  (await client.internal('members/resolve', { storeId, userId: id })).body;

async function newShop() {
  const owner = await client.newPerson('Zoë');
  await client.verify(owner);
  const storeId = await client.newStore(owner);
  const path = `/api/stores/${storeId}/invitations`;
  const as = (person: Person, role: Role) => client.as(person, storeId, role);
  return {
    owner,
    storeId,
    path,
    as,
    invite: (email: string, role = 'editor', by = owner) => as(by, 'owner').post(path, { email, role }),
    list: async () => (await as(owner, 'owner').get(path)).body,
  };
}

describe('an invitation to a store', () => {
  test('is mailed, listed, and makes the owner of the address a member with its role from the next request on', async () => {
    const { owner, storeId, path, as, invite, list } = await newShop();
    const email = 'New.Hand@example.com';
    const created = await invite(email);
    expect([created.status, created.body]).toEqual([
      201,
      {
        invitation: {
          id: expect.stringMatching(/^inv_[0-9a-z]{26}$/),
          email: 'new.hand@example.com',
          role: 'editor',
          invitedBy: owner.id,
          createdAt: moment,
          expiresAt: moment,
        },
      },
    ]);
    expect(await list()).toEqual({ invitations: [created.body.invitation], total: 1, nextCursor: null });
    const read = () => as(owner, 'owner').get(`${path}/${created.body.invitation.id}`);
    expect((await read()).body).toEqual(created.body);
    const token = await linkTo('new.hand@example.com');
    expect((await listMailsTo(system.dataDir, 'new.hand@example.com'))[0]).toContain('Shop');

    const guest = await client.newPerson('Guest');
    await runSql(
      system,
      'identity',
      `update user_account set email = 'new.hand@example.com' where id = '${guest.id}'`,
    );
    expect(getStatusAndCode(await accept(guest, token))).toEqual([403, 'email_unverified']);
    await verifyAll();
    const { epoch } = await readRole(storeId, owner);
    const accepted = await accept(guest, token);
    expect([accepted.status, accepted.body]).toMatchObject([
      200,
      { store: { id: storeId, name: 'Shop', role: 'editor' }, role: 'editor' },
    ]);
    const seen = await readRole(storeId, guest);
    expect(seen.role).toBe('editor');
    expect(seen.epoch).not.toBe(epoch);
    expect((await list()).total).toBe(0);
    expect(getStatusAndCode(await read())).toEqual([404, 'not_found']);
    expect(getStatusAndCode(await accept(guest, token))).toEqual([400, 'invalid_token']);
  });

  test('is accepted once, even of twenty simultaneous uses, and only by its invitee', async () => {
    const { storeId, invite } = await newShop();
    const [guest, eve] = [await client.newPerson(), await client.newPerson()];
    await verifyAll();
    await invite(guest.email, 'viewer');
    const token = await linkTo(guest.email);
    expect(getStatusAndCode(await accept(eve, token))).toEqual([400, 'invalid_token']);
    const all = await repeat(20, () => accept(guest, token));
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(400)]);
    expect((await readRole(storeId, guest)).role).toBe('viewer');
    expect(getStatusAndCode(await readRole(storeId, eve).then((body) => ({ status: 0, body })))).toEqual([
      0,
      'not_found',
    ]);
  });

  test('who is a member by then keeps the role, and the token is used', async () => {
    const { owner, storeId, invite } = await newShop();
    const guest = await client.newPerson();
    await verifyAll();
    await invite(guest.email, 'admin');
    const token = await linkTo(guest.email);
    await client.addMember(storeId, owner, guest, 'viewer');
    expect((await accept(guest, token)).body.role).toBe('viewer');
    expect(getStatusAndCode(await accept(guest, token))).toEqual([400, 'invalid_token']);
    expect(getStatusAndCode(await invite(guest.email.toUpperCase()))).toEqual([409, 'already_member']);
  });

  test('to the same address again is the same one, with the new role and another mail', async () => {
    const { storeId, invite, list } = await newShop();
    const guest = await client.newPerson();
    await verifyAll();
    const first = (await invite(guest.email, 'viewer')).body.invitation;
    const second = (await invite(guest.email, 'admin')).body.invitation;
    expect([second.id, second.role]).toEqual([first.id, 'admin']);
    expect((await list()).total).toBe(1);
    const token = await linkTo(guest.email, 2);
    expect((await accept(guest, await linkTo(guest.email))).status).toBe(200);
    expect((await readRole(storeId, guest)).role).toBe('admin');
    expect(getStatusAndCode(await accept(guest, token))).toEqual([400, 'invalid_token']);
  });

  test('that is withdrawn, expired, or from a sender who may no longer invite is invalid', async () => {
    const { owner, storeId, path, as, invite, list } = await newShop();
    const [guest, second] = [await client.newPerson(), await client.newPerson()];
    await client.addMember(storeId, owner, second, 'admin');
    await verifyAll();
    const withdrawn = (await invite(guest.email)).body.invitation;
    const token = await linkTo(guest.email);
    expect((await as(owner, 'owner').delete(`${path}/${withdrawn.id}`)).status).toBe(204);
    expect(getStatusAndCode(await as(owner, 'owner').delete(`${path}/${withdrawn.id}`))).toEqual([
      404,
      'not_found',
    ]);
    expect(getStatusAndCode(await accept(guest, token))).toEqual([400, 'invalid_token']);

    await invite(guest.email, 'owner', second);
    const bySecond = await linkTo(guest.email, 2);
    await as(owner, 'owner').patch(`/api/stores/${storeId}/members/${second.id}`, { role: 'editor' });
    expect(getStatusAndCode(await accept(guest, bySecond))).toEqual([400, 'invalid_token']);
    expect((await list()).total).toBe(0);

    await invite(guest.email);
    const old = await linkTo(guest.email, 3);
    await runSql(
      system,
      'identity',
      `update invitation set ${shiftTimes('expires_at', '7 days')} where store_id = '${storeId}'`,
    );
    expect(getStatusAndCode(await accept(guest, old))).toEqual([400, 'invalid_token']);
    expect((await list()).total).toBe(0);
    expect(await readRole(storeId, guest)).toMatchObject({ code: 'not_found' });
  });

  test('is only for members who manage members, by the database’s current state', async () => {
    const { owner, storeId, path, as, invite } = await newShop();
    const editor = await client.newPerson();
    await client.addMember(storeId, owner, editor, 'editor');
    await verifyAll();
    const [stranger, body] = [await client.newPerson(), { email: 'x@example.com', role: 'viewer' }];
    expect(getStatusAndCode(await as(editor, 'editor').post(path, body))).toEqual([403, 'insufficient_role']);
    expect(getStatusAndCode(await as(editor, 'editor').get(path))).toEqual([403, 'insufficient_role']);
    // The member was demoted after the gateway had checked the role.
    expect(getStatusAndCode(await invite('x@example.com', 'viewer', editor))).toEqual([
      403,
      'insufficient_role',
    ]);
    expect(getStatusAndCode(await invite('x@example.com', 'viewer', stranger))).toEqual([404, 'not_found']);
    for (const wrong of [{ role: 'king' }, { email: 'nobody' }])
      expect(getStatusAndCode(await as(owner, 'owner').post(path, { ...body, ...wrong }))).toEqual([
        400,
        'invalid_body',
      ]);
  });

  test('adds no member to a store with 10,000, and of two simultaneous ones only one that fits', async () => {
    const { storeId, invite } = await newShop();
    const guests = await repeat(2, () => client.newPerson('Guest'));
    for (const { email } of guests) await invite(email);
    const tokens = await Promise.all(guests.map(({ email }) => linkTo(email)));
    await verifyAll();
    await runSql(
      system,
      'identity',
      `with made as (
         insert into user_account (id, email, password_hash, name)
         select 'usr_full_' || n, 'full-' || n || '@example.com', '', 'Full' from generate_series(1, 9998) n returning id
       )
       insert into member (store_id, user_id, role) select '${storeId}', id, 'viewer' from made`,
    );
    const replies = await Promise.all(guests.map((guest, i) => accept(guest, tokens[i]!)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(replies.find(({ status }) => status === 409)!.body.code).toBe('too_many_members');
  });

  test('ten thousand may be open, five an hour go to one address, two hundred a day from one user', async () => {
    const { owner, storeId, invite } = await newShop();
    await runSql(
      system,
      'identity',
      `insert into invitation (store_id, id, email, role, invited_by, expires_at)
       select '${storeId}', 'inv_' || n, n || '@example.com', 'viewer', '${owner.id}', now() + interval '1 day'
       from generate_series(1, 9999) n`,
    );
    expect((await invite('last@example.com')).status).toBe(201);
    expect(getStatusAndCode(await invite('one-more@example.com'))).toEqual([409, 'too_many_invitations']);
    const again = await repeat(6, () => invite('last@example.com', 'viewer'));
    expect(again.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 429, 429]);
    expect(Number(again.find(({ status }) => status === 429)!.headers['retry-after'])).toBeGreaterThan(3000);
    const statuses = new Set<number>();
    for (let round = 0; round < 10; round++) {
      const many = await repeat(20, (i) => invite(`many-${round}-${i}@example.com`));
      for (const { status } of many) statuses.add(status);
    }
    expect(statuses).toEqual(new Set([409, 429]));
  });
});
