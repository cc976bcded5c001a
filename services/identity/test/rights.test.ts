import { rolePermissions } from '@waybill/contracts';
import { startSystem, type TestSystem } from '@waybill/testing';
import { identity } from '../src/index.ts';
import { type Client, createClient } from './people.ts';

let system: TestSystem;
let client: Client;
beforeAll(async () => {
  system = await startSystem([identity]);
  client = createClient(system);
});
afterAll(() => system.stop());

const lookUpRights = async (...holders: { storeId: string; id: string }[]) => {
  const { status, body } = await client.internal('rights/lookup', { holders });
  expect(status).toBe(200);
  return body.rights;
};

describe('POST /internal/rights/lookup', () => {
  test('returns the rights of a key, also a revoked one, and of its creator’s current role', async () => {
    const [owner, admin] = [await client.newPerson(), await client.newPerson()];
    const [storeId, other] = [await client.newStore(owner), await client.newStore(owner)];
    await client.addMember(storeId, owner, admin, 'admin');
    const path = `/api/stores/${storeId}/api-keys`;
    const scopes = ['orders.read', 'webhooks.write'];
    const res = await client.as(admin, storeId, 'admin').post(path, { name: 'Key', scopes });
    const { id } = res.body.apiKey;
    const key = { storeId, id };
    expect(await lookUpRights(key, { storeId: other, id })).toEqual([scopes, []]);
    const asOwner = client.as(owner, storeId, 'owner');
    const member = `/api/stores/${storeId}/members/${admin.id}`;
    expect((await asOwner.delete(`${path}/${id}`)).status).toBe(204);
    expect(await lookUpRights(key)).toEqual([scopes]);
    expect((await asOwner.patch(member, { role: 'viewer' })).status).toBe(200);
    expect(await lookUpRights(key)).toEqual([['orders.read']]);
    expect((await asOwner.delete(member)).status).toBe(204);
    expect(await lookUpRights(key)).toEqual([[]]);
  });

  test('returns the rights of a member’s role, and of no others', async () => {
    const [owner, editor] = [await client.newPerson(), await client.newPerson()];
    const [storeId, other] = [await client.newStore(owner), await client.newStore(owner)];
    await client.addMember(storeId, owner, editor, 'editor');
    expect(
      await lookUpRights(
        { storeId, id: editor.id },
        { storeId: other, id: editor.id },
        { storeId, id: owner.id },
        { storeId, id: 'key_00000000000000000000000000' },
      ),
    ).toEqual([rolePermissions.editor, [], rolePermissions.owner, []]);
  });

  test('401 without the service token', async () => {
    expect((await client.post('/internal/rights/lookup', { holders: [] })).status).toBe(401);
  });
});
