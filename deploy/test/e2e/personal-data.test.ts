import { permissions } from '@waybill/contracts';
import { eventually, type Receiver, startReceiver } from '@waybill/testing';
import { expectStatus, newKey, newPerson, newStore, type Person } from '../../testing/accounts.ts';
import { createCaller, send } from '../../testing/client.ts';
import { type SharedSystem, topologies } from './topologies.ts';

const marker = 'Trillian';
const shopper = {
  name: marker,
  email: `${marker}@example.com`,
  phone: `+44 ${marker}`,
  shippingAddress: { name: marker, line1: marker, city: marker, country: 'GB' },
};
const events = [
  'order.created',
  'order.updated',
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'form.submitted',
];

describe.each(topologies)('$name', ({ share }) => {
  let receiver: Receiver;
  let system: SharedSystem;
  let owner: Person;
  beforeAll(async () => {
    receiver = await startReceiver();
    // The receiver echoes its calls.
    receiver.answer((call, res) => void res.writeHead(200, { 'content-type': 'text/plain' }).end(call.body));
    system = await share();
    owner = await newPerson(system.baseUrl);
  });
  afterAll(() => receiver.close());

  /** Submits the form of a live page as the shopper. */
  async function sendForm(storeId: string) {
    const call = (method: string, path: string, body?: object) =>
      owner.call(method, `/api/stores/${storeId}${path}`, body);
    const { page } = expectStatus(await call('POST', '/pages', { name: 'Contact' }), 201).body;
    const field = (name: string, type: string) => ({
      id: name,
      type: 'field',
      props: { specials: { name, inputType: type } },
    });
    const nodes = [
      { id: 'root', type: 'section', children: ['form'] },
      { id: 'form', type: 'form', children: ['email', 'message'] },
      field('email', 'email'),
      field('message', 'text'),
    ];
    expectStatus(await call('PUT', `/pages/${page.id}/draft`, { document: { rootId: 'root', nodes } }), 200);
    const { url } = expectStatus(await call('POST', `/pages/${page.id}/publish`), 200).body.page;
    const live = await send(system.baseUrl, 'GET', new URL(url).pathname);
    const [, action] = /<form[^>]* action="(\/storefront\/[^"]+)"/.exec(live.text)!;
    const json = { email: shopper.email, message: `${marker} was here` };
    return expectStatus(
      await send(system.baseUrl, 'POST', new URL(action!, system.baseUrl).pathname, { json }),
      201,
    ).body.formSubmission;
  }

  test('a customer is exported completely, and after the erasure is in no answer and no call', async () => {
    const storeId = await newStore(owner);
    const store = `/api/stores/${storeId}`;
    const key = createCaller(system.baseUrl, (await newKey(owner, storeId, permissions)).secret);
    const { webhook } = expectStatus(
      await key('POST', '/api/v1/webhooks', { url: receiver.url, events }),
      201,
    ).body;
    const variants = [{ priceCents: 250, stock: 20 }];
    const tea = { name: 'Tea', status: 'active', variants };
    const { product } = expectStatus(await key('POST', '/api/v1/products', tea), 201).body;
    const order = async (idempotencyKey: string) => {
      const placed = await send(system.baseUrl, 'POST', `/storefront/${storeId}/orders`, {
        headers: { 'idempotency-key': idempotencyKey },
        json: { items: [{ variantId: product.variants[0].id, quantity: 1 }], customer: shopper },
      });
      return expectStatus(placed, 201).body.order;
    };
    const [first, second] = [await order('1'), await order('2')];
    const customer = `${store}/customers/${first.customerId}`;
    expectStatus(await owner.call('PATCH', `${customer}/note`, { note: `${marker} pays late` }), 200);
    expectStatus(await key('PATCH', `/api/v1/orders/${second.id}`, { payment: 'paid' }), 200);
    const sent = await sendForm(storeId);
    const deliveries = `/api/v1/webhooks/${webhook.id}/deliveries`;
    const ofAll = async () => (await key('GET', `${deliveries}?status=delivered&limit=100`)).body.deliveries;
    await eventually(async () => (await ofAll()).length === 5);

    const exported = expectStatus(await owner.call('GET', `${customer}/export`), 200);
    expect(exported.headers['content-disposition']).toMatch(/^attachment;/);
    const { events: exportedEvents, ...held } = exported.body;
    expect(held).toEqual({
      customer: expect.objectContaining({ name: marker, ordersCount: 2 }),
      note: `${marker} pays late`,
      formSubmissions: [sent],
      payments: [expect.objectContaining({ orderId: second.id, status: 'captured' })],
      fulfillments: [],
      refunds: [],
      returns: [],
      orderNotes: [],
      documents: [],
      orders: [first, (await key('GET', `/api/v1/orders/${second.id}`)).body.order],
    });
    expect(exportedEvents.map(({ type }: { type: string }) => type).sort()).toEqual([
      'customer.created',
      'order.created',
      'order.created',
      'order.updated',
      'payment.updated',
    ]);

    expectStatus(await owner.call('POST', `${customer}/erase`), 204);
    const answers = async () => {
      const ids: string[] = (await ofAll()).map(({ id }: { id: string }) => id);
      const paths = [
        'events?limit=100',
        'orders',
        `orders/${first.id}`,
        `orders/${second.id}`,
        `orders?q=${marker}`,
        'customers',
        `customers?q=${marker}`,
        'form-submissions',
        `form-submissions/${sent.id}`,
      ].map((path) => `/api/v1/${path}`);
      const all = [...paths, `${deliveries}?limit=100`, ...ids.map((id) => `${deliveries}/${id}`)];
      const replies = await Promise.all(all.map((path) => key('GET', path)));
      const found = await owner.call('GET', `${store}/search?q=${marker}`);
      return [...replies, found].map(({ text }) => text).join('\n');
    };
    await eventually(async () => !(await answers()).includes(marker), { withinMs: 30_000 });
    const left = await key('GET', `/api/v1/form-submissions/${sent.id}`);
    expect(left.body.formSubmission).toEqual({ ...sent, values: {} });
    expect((await owner.call('GET', `${customer}/export`)).status).toBe(404);
    const log = (await key('GET', '/api/v1/events?limit=100&type=order.created,customer.deleted')).body
      .events;
    expect(log.map(({ data }: { data: object }) => data)).toEqual([
      ...[first, second].map(({ id }) => ({ order: { id } })),
      { customer: { id: first.customerId } },
    ]);

    await eventually(async () => (await ofAll()).length === 6);
    receiver.calls.length = 0;
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const replay = { since, statuses: ['delivered'] };
    expectStatus(await key('POST', `/api/v1/webhooks/${webhook.id}/replay`, replay), 202);
    await eventually(() => receiver.calls.length === 6, { withinMs: 30_000 });
    expect(receiver.calls.map(({ body }) => body).join()).not.toContain(marker);

    const again = await order('3');
    expect([again.customer.name, again.customerId === first.customerId]).toEqual([marker, false]);
  }, 90_000);
});
