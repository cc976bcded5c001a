import { permissions } from '@waybill/contracts';
import { eventually, type Receiver, startReceiver } from '@waybill/testing';
import { expectStatus, newKey, newPerson, newStore } from './accounts.ts';
import { callerOf, send } from './client.ts';
import { type Topology, topologies } from './topologies.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

/** A store whose unpaid orders expire after a minute, which is the least: one order is left unpaid there, one is paid. */
async function expectExpiry({ name, share }: Topology): Promise<void> {
  const { baseUrl } = await share();
  const owner = await newPerson(baseUrl);
  const storeId = await newStore(owner);
  const call = callerOf(baseUrl, (await newKey(owner, storeId, permissions)).secret);
  const checkout = { expireUnpaidAfterMinutes: 1 };
  expectStatus(await owner.call('PATCH', `/api/stores/${storeId}`, { checkout }), 200);
  const url = `${receiver.url}/${name}`;
  expectStatus(await call('POST', '/api/v1/webhooks', { url, events: ['order.updated'] }), 201);
  const variants = [20, 5].map((stock) => ({ priceCents: 250, stock }));
  const made = await call('POST', '/api/v1/products', { name: 'Tea', status: 'active', variants });
  const { product } = expectStatus(made, 201).body;
  const buy = async (variant: number, quantity: number) => {
    const reply = await send(baseUrl, 'POST', `/storefront/${storeId}/orders`, {
      headers: { 'idempotency-key': String(variant) },
      json: {
        items: [{ variantId: product.variants[variant].id, quantity }],
        customer: { name: 'Bob Ross', email: 'bob@example.com' },
      },
    });
    return expectStatus(reply, 201).body.order.id as string;
  };
  const [unpaid, paid] = [await buy(0, 15), await buy(1, 5)];
  expectStatus(await call('PATCH', `/api/v1/orders/${paid}`, { payment: 'paid' }), 200);
  const status = async (id: string) => (await call('GET', `/api/v1/orders/${id}`)).body.order.status;
  const stocks = async () => {
    const reply = await call('GET', `/api/v1/products/${product.id}`);
    return reply.body.product.variants.map(({ stock }: { stock: number }) => stock);
  };
  expect(await stocks()).toEqual([5, 0]);
  await eventually(async () => (await status(unpaid)) === 'cancelled', { withinMs: 120_000 });
  expect(await status(paid)).toBe('open');
  await eventually(async () => (await stocks())[0] === 20);
  expect(await stocks()).toEqual([20, 0]);
  const cancelled = () =>
    receiver.calls
      .filter(({ path }) => path === `/${name}`)
      .map(({ body }) => JSON.parse(body).data.order)
      .filter((order) => order.status === 'cancelled')
      .map(({ id }) => id);
  await eventually(() => cancelled().length > 0);
  expect(cancelled()).toEqual([unpaid]);
}

test(`an order that nobody pays is cancelled, told of, and its stock is there again: ${topologies
  .map(({ name }) => name)
  .join(', ')}`, async () => {
  await Promise.all(topologies.map(expectExpiry));
});
