import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { permissions } from '@waybill/contracts';
import { eventually, type Receiver } from '@waybill/testing';
import { Webhook } from 'standardwebhooks';
import { expectStatus, newKey, newPerson, newStore } from '../../testing/accounts.ts';
import { type Caller, createCaller } from '../../testing/client.ts';
import { allNuisances, type BadReceiver } from './bad-receivers.ts';
import { expectNothingHeld, type StartedSystem } from './topologies.ts';

const events = ['product.created'];
/** `decisions.md 6.3`. */
const deadlineMs = 10_000;

/** Targets that lead to no public address, in many spellings. */
const forbidden = [
  'http://127.0.0.1/',
  'http://127.0.0.1:80/',
  'https://127.1/',
  'http://127.0.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.1/',
  'http://017700000001/',
  'http://0177.0.0.0x1/',
  'http://127.0.0.1./',
  'http://%31%32%37.0.0.1/',
  'http://１２７.０.０.１/',
  'http://127。0。0。1/',
  'http://①②⑦.0.0.1/',
  'http://0/',
  'http://0.0.0.0/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://a.b.localhost/',
  'http://loc%61lhost/',
  'http://10.0.0.1/',
  'http://172.31.255.255/',
  'http://192.168.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://100.64.0.1/',
  'http://192.0.0.1/',
  'http://192.0.2.1/',
  'http://198.18.0.1/',
  'http://198.51.100.7/',
  'http://203.0.113.9/',
  'http://224.0.0.1/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://[::]/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[64:ff9b:1::a00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[2001:0:0:0:0:0:80ff:fffe]/',
  'http://[fe80::1]/',
  'http://[fc00::1]/',
  'http://[fd12:3456::1]/',
  'http://[ff02::1]/',
  'http://[2001:db8::1]/',
  'http://[100::1]/',
];

const invalid = [
  '',
  '/hook',
  'example.com',
  '//example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'http:127.0.0.1',
  'http://',
  'http://user@example.com/',
  'http://user:secret@example.com/',
  'http://example.com:0/',
  'http://example.com:65536/',
  'http://example.com/a b',
  'http://exa\tmple.com/',
  ' http://example.com/',
  'http://[::1',
  `http://example.com/${'a'.repeat(2048)}`,
];

export interface Receivers {
  /** Trusted, like `bad`. */
  good: Receiver;
  untrusted: Receiver;
  bad: BadReceiver;
}

/** Suites about outgoing calls. The system must be running before the first test, with `unlimited` and `smallHeap`. */
export function hostileReceivers(started: () => { system: StartedSystem; receivers: Receivers }): void {
  let good: Receiver;
  let untrusted: Receiver;
  let bad: BadReceiver;
  let system: StartedSystem;
  /** A receiver of another suite may have used this port before, and its calls may still come. */
  const untrustedPath = `/${randomUUID()}`;
  const untrustedCalls = () => untrusted.calls.filter(({ path }) => path === untrustedPath);
  beforeAll(() => {
    const { receivers } = started();
    ({ good, untrusted, bad } = receivers);
    ({ system } = started());
  });

  async function storeCaller(): Promise<Caller> {
    const owner = await newPerson(system.baseUrl);
    return createCaller(system.baseUrl, (await newKey(owner, await newStore(owner), permissions)).secret);
  }

  async function subscribe(call: Caller, url: string): Promise<string> {
    return expectStatus(await call('POST', '/api/v1/webhooks', { url, events }), 201).body.webhook.id;
  }

  const deliveriesOf = async (call: Caller, id: string) =>
    (await call('GET', `/api/v1/webhooks/${id}/deliveries`)).body.deliveries;

  describe('a webhook URL', () => {
    let call: Caller;
    let id: string;
    beforeAll(async () => {
      call = await storeCaller();
      id = await subscribe(call, good.url);
    });

    /** Expects a refusal with this code at create and at replace; nothing is stored or changed. */
    async function expectRefused(url: string, code: string) {
      const before = (await call('GET', '/api/v1/webhooks')).body;
      const refused = { status: 400, body: { error: expect.any(String), code } };
      expect(await call('POST', '/api/v1/webhooks', { url, events })).toMatchObject(refused);
      expect(await call('PUT', `/api/v1/webhooks/${id}`, { url, events })).toMatchObject(refused);
      expect((await call('GET', '/api/v1/webhooks')).body).toEqual(before);
    }

    test.each(forbidden)('%s is blocked_url', (url) => expectRefused(url, 'blocked_url'));

    test('another port of a trusted address is blocked_url, and nothing connects to it', async () => {
      await expectRefused(`${untrusted.url}${untrustedPath}`, 'blocked_url');
      await expectRefused(`http://localhost:${untrusted.port}${untrustedPath}`, 'blocked_url');
      expect(untrustedCalls()).toEqual([]);
    });

    test.each(invalid.map((url) => [url.slice(0, 40), url]))('%j is invalid_body', (_, url) =>
      expectRefused(url, 'invalid_body'),
    );

    test('a name that does not resolve is taken; its deliveries say why they fail', async () => {
      const other = await storeCaller();
      const unresolved = await subscribe(other, 'https://nothing.invalid/hook');
      expectStatus(await other('POST', '/api/v1/products', { name: 'Tea' }), 201);
      const delivery = await eventually(async () => {
        const [first] = await deliveriesOf(other, unresolved);
        return first?.status === 'retrying' && first;
      });
      expect(delivery).toMatchObject({ lastStatusCode: null, lastError: 'the host name does not resolve' });
    });
  });

  describe('a redirect', () => {
    test.each([301, 302, 303, 307, 308])('%i is a failed attempt and not followed', async (status) => {
      good.answer((call, res) => {
        const to = call.path.startsWith('/moved') ? { location: `${good.url}/followed` } : undefined;
        res.writeHead(to ? status : 200, to).end();
      });
      const call = await storeCaller();
      const id = await subscribe(call, `${good.url}/moved/${status}`);
      expectStatus(await call('POST', '/api/v1/products', { name: 'Tea' }), 201);
      const [delivery] = await eventually(async () => {
        const all = await deliveriesOf(call, id);
        return all[0]?.status === 'retrying' && all;
      });
      expect(delivery).toMatchObject({
        lastStatusCode: status,
        lastError: expect.stringContaining('redirect'),
      });
      expect(good.calls.filter(({ path }) => path === `/moved/${status}`).length).toBe(1);
      expect(good.calls.some(({ path }) => path === '/followed')).toBe(false);
      good.answer(200);
    });
  });

  describe('a secret that is rotated', () => {
    test('and the one before verify every call of the overlap; then the new one alone', async () => {
      const call = await storeCaller();
      const path = '/rotated';
      const created = await call('POST', '/api/v1/webhooks', { url: `${good.url}${path}`, events });
      const { webhook, secret: old } = expectStatus(created, 201).body;
      const rotate = `/api/v1/webhooks/${webhook.id}/rotate-secret`;
      async function verifiedBy(secrets: string[]): Promise<boolean[]> {
        const count = () => good.calls.filter((each) => each.path === path).length;
        const before = count();
        expectStatus(await call('POST', '/api/v1/products', { name: 'Tea' }), 201);
        await eventually(() => count() > before);
        const { body, headers } = good.calls.findLast((each) => each.path === path)!;
        return secrets.map((secret) => {
          try {
            return Boolean(new Webhook(secret).verify(body, headers as Record<string, string>));
          } catch {
            return false;
          }
        });
      }
      const { secret: next } = expectStatus(await call('POST', rotate, {}), 200).body;
      expect(await verifiedBy([old, next])).toEqual([true, true]);
      expect((await call('POST', rotate, {})).body.code).toBe('invalid_state');
      expectStatus(await call('POST', `${rotate}/finish`), 200);
      expect(await verifiedBy([old, next])).toEqual([false, true]);
    });
  });

  describe('a test call', () => {
    test('reaches a disabled webhook, once, and says that it is one', async () => {
      const call = await storeCaller();
      const url = `${good.url}/tested`;
      const id = await subscribe(call, url);
      const webhook = `/api/v1/webhooks/${id}`;
      expectStatus(await call('PUT', webhook, { url, events, status: 'disabled' }), 200);
      const { delivery } = expectStatus(
        await call('POST', `${webhook}/test`, { type: 'form.submitted' }),
        202,
      ).body;
      await eventually(async () => (await deliveriesOf(call, id))[0].status === 'delivered');
      const [received, ...more] = good.calls.filter(({ path }) => path === '/tested');
      expect(more).toEqual([]);
      expect(received!.headers).toMatchObject({ 'x-wb-test': '1', 'x-wb-event-id': delivery.eventId });
      expect(JSON.parse(received!.body)).toMatchObject({ type: 'form.submitted', id: delivery.eventId });
    });
  });

  describe('the log of attempts', () => {
    /** Returns the only attempt of a test call to this endpoint. */
    async function attemptAt(url: string) {
      const call = await storeCaller();
      const path = `/api/v1/webhooks/${await subscribe(call, url)}`;
      const { delivery } = expectStatus(await call('POST', `${path}/test`), 202).body;
      return eventually(async () => {
        const { attempts } = (await call('GET', `${path}/deliveries/${delivery.id}`)).body.delivery;
        return attempts[0];
      });
    }

    test('holds text of naughty replies, a KiB at most, no bytes and no cookies', async () => {
      const replies: Record<string, [headers: Record<string, string | string[]>, body: string | Buffer]> = {
        '/binary': [{ 'content-type': 'image/png' }, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0xfe])],
        '/huge': [{ 'content-type': 'text/plain' }, '茶'.repeat(100_000)],
        '/cookies': [{ 'set-cookie': ['sid=very-secret', 'b=very-secret'], 'x-kept': 'yes' }, 'ok'],
        '/nul': [{ 'x-long': 'y'.repeat(8000) }, 'a\0b'],
        '/text': [{}, 'é "quoted" </script>\n'],
      };
      good.answer(({ path }, res) => {
        const [headers, body] = replies[path] ?? [{}, ''];
        res.writeHead(418, headers).end(body);
      });
      const attempts = await Promise.all(Object.keys(replies).map((path) => attemptAt(`${good.url}${path}`)));
      good.answer(200);
      const [binary, huge, cookies, nul, text] = attempts;
      for (const each of attempts) expect(each).toMatchObject({ attempt: 1, statusCode: 418 });
      expect(binary.responseBody).toBeNull();
      expect(huge.responseBody).toBe('茶'.repeat(341));
      expect(cookies).toMatchObject({ responseBody: 'ok', responseHeaders: { 'x-kept': 'yes' } });
      expect(JSON.stringify(cookies)).not.toMatch(/cookie|very-secret/);
      expect(nul.responseBody).toBeNull();
      expect(nul.responseHeaders['x-long'].length).toBeLessThanOrEqual(256);
      expect(text.responseBody).toBe('é "quoted" </script>\n');
    });

    test('has no reply where none came, and the beginning of one that does not end', async () => {
      for (const nuisance of ['resets', 'ends-halfway', 'speaks-no-http'] as const) {
        const attempt = await attemptAt(bad.url(nuisance));
        expect(attempt).toMatchObject({ statusCode: null, responseHeaders: null, responseBody: null });
        expect(attempt.error).not.toBe('');
      }
      const { statusCode, responseBody } = await attemptAt(bad.url('sends-10-gb'));
      expect([statusCode, Buffer.byteLength(responseBody)]).toEqual([200, 1024]);
    });
  });

  describe('receivers that drip, flood, hang and reset', () => {
    test('hold up nobody else, no connection past the deadline, and no memory', async () => {
      const [troubled, quiet] = [await storeCaller(), await storeCaller()];
      const ids = new Map<string, string>();
      for (const nuisance of allNuisances) ids.set(nuisance, await subscribe(troubled, bad.url(nuisance)));
      await subscribe(troubled, `${good.url}/troubled`);
      await subscribe(quiet, `${good.url}/quiet`);

      /** Creates a product. Returns how long after the answer its call arrives, in milliseconds. */
      async function arrival(call: Caller, path: string): Promise<number> {
        const { product } = expectStatus(await call('POST', '/api/v1/products', { name: 'Tea' }), 201).body;
        const answered = Date.now();
        const { at } = await eventually(() =>
          good.calls.find((received) => received.path === path && received.body.includes(product.id)),
        );
        return at - answered;
      }
      const began = Date.now();
      const troubledTimes = await Promise.all(
        Array.from({ length: 5 }, () => arrival(troubled, '/troubled')),
      );
      await eventually(() => allNuisances.every((nuisance) => bad.calls(nuisance) >= 5), {
        what: 'all calls',
      });
      expect(bad.open()).toBeGreaterThan(5);
      const quietTimes: number[] = [];
      while (Date.now() < began + deadlineMs - 2000) {
        quietTimes.push(await arrival(quiet, '/quiet'));
        await expectNothingHeld(system);
        await sleep(250);
      }
      // If they were held up, they would wait as long as the bad receivers make them.
      expect(Math.max(...troubledTimes, ...quietTimes)).toBeLessThan(deadlineMs / 2);

      await eventually(() => bad.open() === 0, { what: 'no connection' });
      // The content of a socket's buffers on both sides, and no more.
      expect(bad.mostBytesTaken()).toBeLessThan(32 * 1024 * 1024);

      const endings = new Map<string, string[]>();
      for (const [nuisance, id] of ids) {
        const all = await eventually(async () => {
          const deliveries = await deliveriesOf(troubled, id);
          return deliveries.every(({ status }: { status: string }) => status !== 'pending') && deliveries;
        });
        endings.set(nuisance, [...new Set<string>(all.map(({ status }: { status: string }) => status))]);
      }
      // These sent complete headers of a 2xx in time; the rest of their answers does not matter.
      const delivered = ['drips-a-body', 'drips-chunks', 'sends-10-gb'];
      expect(Object.fromEntries(endings)).toEqual(
        Object.fromEntries(
          allNuisances.map((nuisance) => [
            nuisance,
            [delivered.includes(nuisance) ? 'delivered' : 'retrying'],
          ]),
        ),
      );
      expect(untrustedCalls()).toEqual([]);
    });
  });
}
