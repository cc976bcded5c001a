import { newId, type Role } from '@waybill/contracts';
import { keptConnections, runSql } from '@waybill/testing';
import request from 'supertest';
import { newStore, type OrdersSystem, startOrders } from './stores.ts';

let system: OrdersSystem;
beforeAll(async () => {
  system = await startOrders();
});
afterAll(() => system.stop());

async function newOrder() {
  const store = newStore(system);
  const { id, customerId } = await store.order(900);
  const path = `/api/stores/${store.storeId}/orders/${id}/notes`;
  const send = async (
    method: 'get' | 'post' | 'delete',
    {
      userId = newId('user'),
      role = 'editor' as Role,
      below = '',
      body = undefined as object | undefined,
    } = {},
  ) => {
    const principal = { kind: 'user' as const, userId, email: 'a@example.com', storeId: store.storeId, role };
    return request(system.internalUrl)
      [method](path + below)
      .agent(keptConnections)
      .set(await system.as(principal))
      .send(body);
  };
  return { store, id, customerId, path, send };
}

describe('notes on an order', () => {
  test('are written, listed newest first, and deleted by their author or an admin', async () => {
    const { store, send } = await newOrder();
    const userId = newId('user');
    const first = await send('post', { userId, body: { text: 'Call before.' } });
    expect(first.status).toBe(201);
    expect(first.body.note).toEqual({
      id: expect.stringMatching(/^nte_/),
      text: 'Call before.',
      userId,
      userName: null,
      createdAt: expect.any(String),
    });
    const second = (await send('post', { body: { text: 'Called.' } })).body.note;
    expect((await send('get', { role: 'viewer' })).body).toEqual({
      notes: [second, first.body.note],
      total: 2,
      nextCursor: null,
    });
    const below = `/${first.body.note.id}`;
    expect((await send('delete', { below })).body.code).toBe('insufficient_role');
    expect((await send('delete', { below, userId })).status).toBe(204);
    expect((await send('delete', { below, userId })).status).toBe(404);
    const admin = newId('user');
    expect((await send('delete', { below: `/${second.id}`, role: 'admin', userId: admin })).status).toBe(204);
    const audited = await runSql(
      system,
      'orders',
      `select actor_id, target_id from audit_entry where owner_id = '${store.storeId}' and action = 'note.deleted' order by id`,
    );
    expect(audited).toEqual([
      { actor_id: userId, target_id: first.body.note.id },
      { actor_id: admin, target_id: second.id },
    ]);
    for (const text of ['', 'x'.repeat(5001), null]) {
      expect((await send('post', { body: { text } })).body.code).toBe('invalid_body');
    }
    expect((await send('post', { role: 'viewer', body: { text: 'x' } })).status).toBe(403);
  });

  test('are at most 10,000', async () => {
    const { store, id, send } = await newOrder();
    await runSql(
      system,
      'orders',
      `insert into order_note (store_id, order_id, id, text, user_id, created_at)
       select '${store.storeId}', '${id}', 'nte_' || n, 'x', 'usr_1', now() from generate_series(1, 10000) n`,
    );
    expect(await send('post', { body: { text: 'One more.' } })).toMatchObject({
      status: 409,
      body: { code: 'too_many_notes' },
    });
  });

  test('belong to one store, and are never public', async () => {
    const { store, id, send } = await newOrder();
    await send('post', { body: { text: 'Secret words.' } });
    expect((await store.send('get', `orders/${id}/notes`)).status).toBe(404);
    expect((await store.send('get', `orders/${id}`)).text).not.toContain('Secret');
    const other = await newOrder();
    const principal = {
      kind: 'user' as const,
      userId: newId('user'),
      email: 'a@example.com',
      storeId: other.store.storeId,
      role: 'owner' as const,
    };
    const path = `/api/stores/${other.store.storeId}/orders/${id}/notes`;
    expect(
      (
        await request(system.internalUrl)
          .get(path)
          .set(await system.as(principal))
      ).status,
    ).toBe(404);
  });
});
