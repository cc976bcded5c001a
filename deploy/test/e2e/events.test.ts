import { type Caller, callerOf } from './client.ts';
import { type SharedSystem, topologies } from './topologies.ts';

describe.each(topologies)('$name', ({ share }) => {
  let system: SharedSystem;
  let call: Caller;
  beforeAll(async () => {
    system = await share();
    call = callerOf(system.baseUrl, system.demo.apiKey);
  });

  /** A query for what is written from now on. */
  async function fromNow(): Promise<string> {
    for (let after = ''; ; ) {
      const { body } = await call('GET', `/api/v1/events?limit=200${after}`);
      if (body.events.length === 0) return `wait=30&type=product.created,nonsense${after}`;
      after = `&after=${body.nextCursor}`;
    }
  }

  test('an event that nobody is called for is in the log, in front of who waits for it', async () => {
    const query = await fromNow();
    const waiting = call('GET', `/api/v1/events?${query}`);
    const { body } = await call('POST', '/api/v1/products', { name: 'Logged tea' });
    const page = await waiting;
    expect(page.status).toBe(200);
    expect(page.body.events[0]).toMatchObject({
      type: 'product.created',
      data: { product: { id: body.product.id, name: 'Logged tea' } },
    });
    expect(page.body.nextCursor).toBe(page.body.events.at(-1).id);
    const { id } = page.body.events[0];
    const one = await call('GET', `/api/v1/events/${id}`);
    expect([one.status, one.body.event]).toEqual([200, page.body.events[0]]);
  });

  test('a credential learns of a domain that it may not read by ids alone', async () => {
    const query = await fromNow();
    const { body: login } = await callerOf(system.baseUrl, undefined)(
      'POST',
      '/api/auth/login',
      system.demo.merchant,
    );
    const owner = callerOf(system.baseUrl, login.accessToken);
    const keys = `/api/stores/${system.demo.storeId}/api-keys`;
    const made = await owner('POST', keys, { name: 'Bookkeeping', scopes: ['webhooks.read'] });
    const blind = callerOf(system.baseUrl, made.body.secret);
    const { body } = await call('POST', '/api/v1/products', { name: 'Secret tea' });
    const page = await blind('GET', `/api/v1/events?${query}`);
    expect(page.body.events[0].data).toEqual({ product: { id: body.product.id } });
    const one = await blind('GET', `/api/v1/events/${page.body.events[0].id}`);
    expect(one.body.event.data).toEqual({ product: { id: body.product.id } });
  });

  test('cursors of nothing, of nobody, and of another time are told apart', async () => {
    const read = async (after: string) => {
      const { status, body } = await call('GET', `/api/v1/events?after=${after}`);
      return [status, body.code];
    };
    expect(await read('evt_01h00000000000000000000000')).toEqual([410, 'cursor_expired']);
    expect(await read('prd_01h00000000000000000000000')).toEqual([400, 'invalid_cursor']);
    expect((await call('GET', '/api/v1/events/evt_nobody')).status).toBe(404);
    expect((await call('POST', '/api/v1/events', {})).status).toBe(405);
  });
});
