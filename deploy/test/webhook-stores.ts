import { catalog } from '@waybill/catalog';
import { type Permission, type Principal, permissions } from '@waybill/contracts';
import { delivery } from '@waybill/delivery';
import { identity } from '@waybill/identity';
import { type ReceivedCall, runSql, startReceiver, startSystem } from '@waybill/testing';
import { webhooks } from '@waybill/webhooks';
import request from 'supertest';

export const owner = { kind: 'user', userId: `usr_${'0'.repeat(26)}`, email: 'owner@example.com' } as const;
export const creator = { userId: `usr_${'1'.repeat(26)}`, email: 'creator@example.com' };
export const scopes: Permission[] = ['products.read', 'products.write', 'webhooks.read', 'webhooks.write'];
const fewScopes: Permission[] = ['webhooks.read', 'webhooks.write'];

/**
 * A hundred stores, each with an owner, and an admin who has created the keys `key_1` and `key_2` (the latter with few
 * scopes).
 */
const accounts = `
  insert into user_account (id, email, name, password_hash) values
    ('${owner.userId}', '${owner.email}', 'Olga', ''), ('${creator.userId}', '${creator.email}', 'Carl', '');
  insert into store (id, name, slug, currency)
    select 'str_' || lpad(n::text, 26, '0'), 'Shop', 'shop-' || n, 'CHF' from generate_series(1, 100) n;
  insert into member (store_id, user_id, role) select id, '${owner.userId}', 'owner' from store;
  insert into member (store_id, user_id, role) select id, '${creator.userId}', 'admin' from store;
  insert into api_key (store_id, id, name, prefix, hash, scopes, created_by)
    select store.id, key.id, 'Key', 'wbk_', key.id || store.id, string_to_array(key.scopes, ','), '${creator.userId}'
    from store, (values ('key_1', '${scopes}'), ('key_2', '${fewScopes}')) key (id, scopes);`;

/** Starts the services that create and call webhooks, and a receiver of the calls; more targets may be trusted. */
export async function startWebhooks(trusted: readonly string[] = []) {
  const receiver = await startReceiver();
  const system = await startSystem([identity, catalog, webhooks, delivery], {
    WEBHOOK_TRUSTED_TARGETS: [receiver.trusted, ...trusted].join(),
    WEBHOOK_RETRY_DELAYS_SECONDS: '0.1,0.1,0.2,0.2,0.2,0.2',
  });
  await runSql(system, 'identity', accounts);
  let stores = 0;

  /** Creates a store, and a path at the receiver that only its webhooks call. */
  function newStore() {
    const storeId = `str_${String(++stores).padStart(26, '0')}`;
    type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
    const sendAs =
      (principal: Principal) =>
      async (method: Method, path: string, body?: unknown, headers: Record<string, string> = {}) => {
        const call = request(system.internalUrl)
          [method](path.startsWith('/api/') ? path : `/api/v1${path}`)
          .set(await system.as(principal))
          .set(headers);
        return body === undefined ? call : call.send(body as object);
      };
    const key = { kind: 'apiKey', storeId, creatorPermissions: permissions } as const;
    const send = sendAs({ ...key, keyId: 'key_1', scopes });
    const asOwner = sendAs({ ...owner, storeId, role: 'owner' });
    const members = `/api/stores/${storeId}/members`;
    const url = `${receiver.url}/${storeId}`;
    return {
      storeId,
      url,
      send,
      /** Sends with a key that may not read products. */
      sendWithLess: sendAs({ ...key, keyId: 'key_2', scopes: fewScopes }),
      sendAsApp: sendAs({
        kind: 'app',
        storeId,
        scopes: fewScopes,
        appId: `app_${'0'.repeat(26)}`,
        installId: `ins_${'0'.repeat(26)}`,
      }),
      async removeCreator() {
        expect((await asOwner('delete', `${members}/${creator.userId}`)).status).toBe(204);
      },
      async bringCreatorBack() {
        const values = `('${storeId}', '${creator.userId}', 'editor')`;
        await runSql(system, 'identity', `insert into member (store_id, user_id, role) values ${values}`);
        // A change through the API reaches all services that cache the rights of members.
        const res = await asOwner('patch', `${members}/${creator.userId}`, { role: 'viewer' });
        expect(res.status).toBe(200);
      },
      calls: () => receiver.calls.filter(({ path }) => path.startsWith(`/${storeId}`)),
      async subscribe(events = ['product.created']) {
        const res = await send('post', '/webhooks', { url, events });
        expect(res.status).toBe(201);
        return res.body as { webhook: { id: string; url: string; events: string[] }; secret: string };
      },
      createProduct: async (name = 'Tea') => (await send('post', '/products', { name })).body.product,
      deliveries: async (id: string) => (await send('get', `/webhooks/${id}/deliveries`)).body.deliveries,
      status: async (id: string) => (await send('get', `/webhooks/${id}`)).body.webhook.status,
    };
  }

  /** Sets the answers to the calls of one store; the calls of others are answered as usual. */
  function answer(storeId: string, reply: (call: ReceivedCall, nth: number) => number): void {
    let nth = 0;
    receiver.answer((call, res) => {
      res.writeHead(call.path.startsWith(`/${storeId}`) ? reply(call, ++nth) : 200).end();
    });
  }

  return {
    system,
    receiver,
    newStore,
    answer,
    async stop() {
      await system.stop();
      await receiver.close();
    },
  };
}
export type Webhooks = Awaited<ReturnType<typeof startWebhooks>>;
