import type { ServerResponse } from 'node:http';
import { eventually, type ReceivedCall } from '@waybill/testing';
import request from 'supertest';
import { startWebhooks, type Webhooks } from './webhook-stores.ts';

let hooks: Webhooks;
let system: Webhooks['system'];
let receiver: Webhooks['receiver'];
let newStore: Webhooks['newStore'];
let answer: Webhooks['answer'];
beforeAll(async () => {
  hooks = await startWebhooks();
  ({ system, receiver, newStore, answer } = hooks);
});
afterAll(() => hooks.stop());

describe('fifty endpoints of one store', () => {
  test('are all called with a large product, while other stores’ events arrive as ever', async () => {
    const [large, other] = [newStore(), newStore()];
    await other.subscribe();
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        large.send('post', '/webhooks', { url: `${large.url}/${n}`, events: ['product.updated'] }),
      ),
    );
    const data = { product: { id: 'prd_1', description: 'x'.repeat(450_000) } };
    const changes = 15;
    const sent = Promise.all(
      Array.from({ length: changes }, () =>
        request(system.internalUrl)
          .post('/internal/events')
          .set('authorization', `Bearer ${system.serviceToken}`)
          .send({ storeId: large.storeId, type: 'product.updated', data }),
      ),
    );
    await other.createProduct();
    await eventually(() => other.calls().length === 1);
    expect((await sent).map(({ status }) => status)).toEqual(Array(changes).fill(202));
    // On a busy machine, a call may pass its deadline and be repeated.
    const distinct = () =>
      new Set(large.calls().map(({ path, headers }) => `${path} ${headers['webhook-id']}`));
    await eventually(() => distinct().size === 50 * changes);
    expect(JSON.parse(large.calls()[0]!.body).data).toEqual(data);
  });
});

describe('an endpoint that fails fast', () => {
  test('is called as one that does not: its next call waits for nobody that hangs', async () => {
    const [hanging, failing] = [newStore(), newStore()];
    await hanging.subscribe();
    await failing.subscribe();
    let nth = 0;
    receiver.answer((call, res) => {
      if (call.path.startsWith(`/${failing.storeId}`)) res.writeHead(++nth === 1 ? 500 : 200).end();
    });
    for (let i = 0; i < 10; i++) await hanging.createProduct();
    await failing.createProduct();
    await eventually(() => failing.calls().length === 2);
    receiver.answer(200);
  });
});

describe('an endpoint that hangs', () => {
  test('does not hold up another: its calls keep few places, the other gets all of its own', async () => {
    const [slow, healthy] = [newStore(), newStore()];
    await slow.subscribe();
    await healthy.subscribe();
    receiver.answer((call, res) => {
      if (call.path.startsWith(`/${healthy.storeId}`)) res.end();
    });
    for (let i = 0; i < 30; i++) await slow.createProduct();
    for (let i = 0; i < 30; i++) await healthy.createProduct();
    await eventually(() => healthy.calls().length === 30);
    expect(slow.calls().length).toBeLessThanOrEqual(8);
    receiver.answer(200);
  });
});

describe('a burst of more calls than may be in flight', () => {
  /** Creates a store whose endpoint has answered so many calls that more may be in flight, and some wait in memory. */
  async function grownStore(type = 'course.enrolled') {
    const store = newStore();
    const { webhook } = await store.subscribe([type]);
    let sent = 0;
    const burst = async (count: number) => {
      const all = Array.from({ length: count }, () =>
        request(system.internalUrl)
          .post('/internal/events')
          .set('authorization', `Bearer ${system.serviceToken}`)
          .send({
            storeId: store.storeId,
            type,
            data: { n: sent, product: { id: `prd_${sent++}`, name: 'Tea' } },
          }),
      );
      for (const { status } of await Promise.all(all)) expect(status).toBe(202);
    };
    const settled = async (count: number) => {
      const { body } = await store.send('get', `/webhooks/${webhook.id}/deliveries?limit=200`);
      return (
        body.deliveries.filter(({ status }: { status: string }) => status === 'delivered').length === count
      );
    };
    await burst(40);
    await eventually(() => settled(40));
    return { ...store, webhook, burst, settled };
  }
  /** Sends a hundred calls that stay unanswered until the returned function is called. */
  async function heldBurst(
    store: Awaited<ReturnType<typeof grownStore>>,
    end: (res: ServerResponse) => void,
  ): Promise<() => void> {
    const held: ServerResponse[] = [];
    receiver.answer((call, res) => {
      if (call.path.startsWith(`/${store.storeId}`)) held.push(res);
      else res.end();
    });
    await store.burst(100);
    await eventually(() => held.length > 0);
    return () => {
      receiver.answer(200);
      held.forEach(end);
    };
  }
  const numbers = (calls: ReceivedCall[]) => calls.map(({ body }) => JSON.parse(body).data.n as number);

  test('arrives whole, each call once', async () => {
    const store = await grownStore();
    await store.burst(150);
    await eventually(() => store.settled(190));
    expect(numbers(store.calls()).sort((a, b) => a - b)).toEqual(Array.from({ length: 190 }, (_, n) => n));
    expect(new Set(store.calls().map(({ headers }) => headers['x-wb-attempt']))).toEqual(new Set(['1']));
  });

  test('ends where its endpoint is disabled: what waits is not called, also when it is enabled again', async () => {
    const store = await grownStore();
    const answerHeld = await heldBurst(store, (res) => res.end());
    const put = (status: string) =>
      store.send('put', `/webhooks/${store.webhook.id}`, {
        url: store.url,
        events: ['course.enrolled'],
        status,
      });
    expect((await put('disabled')).status).toBe(200);
    expect((await put('active')).status).toBe(200);
    answerHeld();
    await store.burst(1);
    await eventually(() => numbers(store.calls()).includes(140));
    await eventually(async () => {
      const { body } = await store.send('get', `/webhooks/${store.webhook.id}/deliveries?limit=200`);
      return body.deliveries.every(({ status }: { status: string }) => status !== 'pending');
    });
    // The number starts at 8 and has grown by one with each of the 40 calls.
    const inFlight = new Set(numbers(store.calls()).filter((n) => n >= 40 && n < 140));
    expect(inFlight.size).toBeLessThanOrEqual(48);
  });

  test('tells those who may not read any more ids alone, also what had waited by then', async () => {
    const store = await grownStore('product.created');
    const answerHeld = await heldBurst(store, (res) => res.end());
    await store.removeCreator();
    answerHeld();
    await eventually(() => store.settled(140));
    const received = store.calls().map(({ body }) => JSON.parse(body).data);
    // The number starts at 8 and has grown by one with each of the 40 calls: that many were on their way.
    expect(received.filter(({ n }) => n !== undefined).length).toBeLessThanOrEqual(88);
    const reduced = received.filter(({ n }) => n === undefined);
    expect(reduced.length).toBeGreaterThanOrEqual(52);
    for (const data of reduced) expect(data).toEqual({ product: { id: expect.stringMatching(/^prd_/) } });
    expect(new Set(received.map(({ product }) => product.id)).size).toBe(140);
  });

  test('goes on after a restart with what waited', async () => {
    const store = await grownStore();
    const breakHeldOff = await heldBurst(store, (res) => res.destroy());
    const restarted = system.restart();
    breakHeldOff();
    await restarted;
    await eventually(() => new Set(numbers(store.calls())).size === 140);
  });
});

describe('a restart', () => {
  test('in good order lets the calls in flight end and makes none of them again', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    const held: ServerResponse[] = [];
    receiver.answer((call, res) => {
      if (call.path.startsWith(`/${store.storeId}`)) held.push(res);
      else res.end();
    });
    for (let n = 0; n < 12; n++) await store.createProduct(`Held ${n}`);
    // A window of calls is in flight; the others wait.
    await eventually(() => held.length === 8);
    let isDoorClosed = false;
    const { internalUrl } = system;
    const restarted = system.restart();
    await eventually(async () => {
      isDoorClosed ||= await fetch(`${internalUrl}/health/live`).then(
        () => false,
        () => true,
      );
      return isDoorClosed;
    });
    receiver.answer(200);
    // The calls end one after the other, so that some end after each step of the stop.
    for (const [n, res] of held.entries()) setTimeout(() => res.end(), 300 * n);
    await restarted;
    await eventually(async () => {
      const all: { status: string }[] = await store.deliveries(webhook.id);
      return all.length === 12 && all.every(({ status }) => status === 'delivered');
    });
    const attempts = store.calls().map(({ headers }) => [headers['x-wb-event-id'], headers['x-wb-attempt']]);
    expect(attempts).toHaveLength(12);
  });

  test('hands over again what the process before had in flight', async () => {
    const store = newStore();
    await store.subscribe();
    answer(store.storeId, () => 503);
    await store.createProduct('Kept');
    await eventually(() => store.calls().length > 0);
    answer(store.storeId, () => 200);
    await system.restart();
    await eventually(() => store.calls().length > 1);
    expect(JSON.parse(store.calls().at(-1)!.body).data.product.name).toBe('Kept');
  });
});
