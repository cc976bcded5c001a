import { setTimeout as sleep } from 'node:timers/promises';
import { errors, hasVisibleCharacter, type Product, permissions, trimName } from '@waybill/contracts';
import { expectStatus, newKey, newPerson, newStore, type Person } from '../../testing/accounts.ts';
import { type Caller, createCaller } from '../../testing/client.ts';
import { type Attack, attacksOn, type Target } from './attacks.ts';
import { naughtyStrings } from './naughty-strings.ts';
import { exchange, type RawReply } from './raw.ts';
import { expectNothingHeld, type StartedSystem } from './topologies.ts';

const atOnce = 500;

/**
 * Suites about incoming requests. The system must be running before the first test, with `unlimited` and `smallHeap`.
 */
export function hostileRequests(started: () => StartedSystem): void {
  let system: StartedSystem;
  let owner: Person;
  let storeId: string;
  let call: Caller;
  let secret: string;
  beforeAll(async () => {
    system = started();
    owner = await newPerson(system.baseUrl);
    storeId = await newStore(owner);
    secret = (await newKey(owner, storeId, permissions)).secret;
    call = createCaller(system.baseUrl, secret);
  });

  /** Returns a route of every kind: of each bearer, each method, with and without ids, of every service. */
  async function everyKind(): Promise<Target[]> {
    const { product } = expectStatus(await call('POST', '/api/v1/products', { name: 'Tea' }), 201).body;
    const body = { url: 'https://example.invalid/', events: ['order.created'] };
    const { webhook } = expectStatus(await call('POST', '/api/v1/webhooks', body), 201).body;
    const key = { bearer: secret };
    const user = { bearer: owner.accessToken };
    const takesBody = true;
    return [
      { method: 'GET', path: '/api/v1/products', ...key },
      { method: 'POST', path: '/api/v1/products', ...key, takesBody },
      { method: 'GET', path: `/api/v1/products/${product.id}`, ...key },
      { method: 'PUT', path: `/api/v1/products/${product.id}`, ...key, takesBody },
      { method: 'DELETE', path: `/api/v1/products/${product.id}`, ...key },
      { method: 'GET', path: '/api/v1/webhooks', ...key },
      { method: 'POST', path: '/api/v1/webhooks', ...key, takesBody },
      { method: 'PUT', path: `/api/v1/webhooks/${webhook.id}`, ...key, takesBody },
      { method: 'GET', path: `/api/v1/webhooks/${webhook.id}/deliveries`, ...key },
      { method: 'POST', path: '/api/auth/register', takesBody },
      { method: 'POST', path: '/api/auth/login', takesBody },
      { method: 'POST', path: '/api/auth/refresh', takesBody },
      { method: 'GET', path: '/api/me', ...user },
      { method: 'GET', path: '/api/stores', ...user },
      { method: 'POST', path: '/api/stores', ...user, takesBody },
      { method: 'PATCH', path: `/api/stores/${storeId}`, ...user, takesBody },
      { method: 'POST', path: `/api/stores/${storeId}/members`, ...user, takesBody },
      { method: 'POST', path: `/api/stores/${storeId}/api-keys`, ...user, takesBody },
      { method: 'DELETE', path: `/api/stores/${storeId}/api-keys/key_00000000000000000000000000`, ...user },
      { method: 'GET', path: '/docs/docs.css' },
    ] as Target[];
  }

  /** Sends the attacks, 500 at a time. Returns those that were not answered as documented. */
  async function attack(attacks: readonly Attack[], codes: ReadonlySet<string>): Promise<string[]> {
    const problems: string[] = [];
    const waiting = [...attacks];
    const lane = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const ask = () => exchange(system.baseUrl, next!.data, next!.breaksOff ? { quietMs: 500 } : {});
        let reply = await ask();
        // A machine that is busy with other suites may shed one of 500 at once, and says when to retry.
        for (let turn = 0; turn < 3 && reply.status === 503; turn++) {
          await sleep(Number(reply.headers['retry-after']) * 1000);
          reply = await ask();
        }
        const problem = judge(next, reply, codes);
        if (problem) problems.push(`${next.name}: ${problem}`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    return problems;
  }

  /** Returns every error code that the API document or the shared table names. */
  async function documentedCodes(): Promise<Set<string>> {
    const { text } = await call('GET', '/openapi.json');
    const named = [...text.matchAll(/`(\w+)`/g)].map(([, code]) => code!);
    return new Set([...Object.keys(errors), ...named]);
  }

  describe('500 hostile requests at once, on every kind of route', () => {
    test('are answered as documented; the same processes go on, and hold none of what they were sent', async () => {
      const attacks = attacksOn(await everyKind());
      const codes = await documentedCodes();
      expect(attacks.length).toBeGreaterThan(atOnce);
      const pids = system.pids();

      for (const _ of [1, 2]) expect(await attack(attacks, codes)).toEqual([]);
      await expectNothingHeld(system);

      expect(system.pids()).toEqual(pids);
      expect(system.output()).not.toContain('a request failed');
      expect((await call('GET', '/api/v1/products')).status).toBe(200);
    });

    test('a second request in one connection is answered after the first, and as itself', async () => {
      const one = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\n`;
      const paths = [
        '/healthz',
        '/api/v1/nothing',
        '/api/v1/products',
        '/nothing',
        '/api/v1/products/x',
        '/docs',
      ];
      const pipeline = [...paths, ...paths, ...paths].map((path) => `${one(path)}\r\n`).join('');
      const { statuses } = await exchange(
        system.baseUrl,
        `${pipeline}${one('/healthz')}Connection: close\r\n\r\n`,
        { pauseMs: 20_000 },
      );
      const each = [200, 404, 200, 404, 404, 200];
      expect(statuses).toEqual([...each, ...each, ...each, 200]);
    });

    test('an address that can name nothing is one that is not there', async () => {
      const paths = [
        '/s/%00',
        '/s/a%00b',
        '/s/demo/%00',
        '/s/demo/en/a%00b',
        '/s/demo/blog/%00',
        '/docs/%00',
      ];
      for (const path of paths) {
        const { status, body } = await createCaller(system.baseUrl, undefined)('GET', path);
        expect(`${path} ${status} ${body.code}`).toBe(`${path} 404 not_found`);
      }
      expect(system.output()).not.toContain('a request failed');
    });

    test('HTTP/1.0 is spoken, too', async () => {
      const { status, bytes } = await exchange(system.baseUrl, 'GET /healthz HTTP/1.0\r\n\r\n');
      expect(status).toBe(200);
      expect(bytes).toContain('{"status":"ok"}');
    });
  });

  describe('an awkward text', () => {
    const list = '/api/v1/products';

    test.each(naughtyStrings.map((text) => [JSON.stringify(text).slice(0, 60), text] as const))(
      '%s is kept as it was sent, a name without blanks around it, and found again, or refused; it breaks nothing',
      async (_, text) => {
        const isText = text.isWellFormed() && !text.includes('\0');
        const fits = (longest: number) => isText && text !== '' && [...text].length <= longest;
        const refused = { status: 400, body: { error: expect.any(String), code: expect.any(String) } };

        const name = trimName(text);
        const isName = isText && hasVisibleCharacter(text) && [...name].length <= 200;

        /** Creates a product with texts: those that can be stored read back as stored, and all others are refused. */
        async function keep(
          stored: string | null,
          product: Partial<Product>,
          read: (product: Product) => unknown,
        ) {
          const reply = await call('POST', list, { name: 'Tea', ...product });
          if (stored === null) return expect(reply).toMatchObject(refused);
          const created: Product = expectStatus(reply, 201).body.product;
          expect(read(created)).toBe(stored);
          expect(read((await call('GET', `${list}/${created.id}`)).body.product)).toBe(stored);
        }
        await keep(isName ? name : null, { name: text }, (product) => product.name);
        await keep(fits(60) ? text : null, { tags: [text] }, ({ tags }) => tags[0]);
        const variants = [{ sku: text, priceCents: 1 }] as Product['variants'];
        await keep(fits(100) ? text : null, { variants }, (product) => product.variants[0]!.sku);

        const encoded = encodeURIComponent(text.toWellFormed()).slice(0, 12_000);
        const { total } = expectStatus(await call('GET', `${list}?q=${encoded}`), 200).body;
        if (hasVisibleCharacter(text) && text.isWellFormed()) expect(total > 0).toBe(isName);
        expect((await call('GET', `${list}/${encoded}`)).status).toBe(text === '' ? 200 : 404);

        const slug = await call('POST', list, { name: 'Tea', slug: text });
        // 409: the name above has led to the same slug.
        if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) && fits(120)) expectStatus(slug, 409);
        else expect(slug).toMatchObject(refused);
        const person = { email: text, password: 'correct horse', name: 'Ann' };
        expect(
          await createCaller(system.baseUrl, undefined)('POST', '/api/auth/register', person),
        ).toMatchObject(refused);
        const member = { email: text, role: 'viewer' };
        const added = await owner.call('POST', `/api/stores/${storeId}/members`, member);
        expect(added.status).toBe(400);

        const status = isName ? 201 : 400;
        const store = expectStatus(await owner.call('POST', '/api/stores', { name: text }), status);
        const named = { name: text, scopes: ['media.read'] };
        const key = expectStatus(await owner.call('POST', `/api/stores/${storeId}/api-keys`, named), status);
        if (status === 201) expect([store.body.store.name, key.body.apiKey.name]).toEqual([name, name]);
      },
    );
  });
}

/** Returns what is wrong with an answer, null if it is documented. */
function judge(
  { maySucceed, breaksOff }: Attack,
  reply: RawReply,
  codes: ReadonlySet<string>,
): string | null {
  const { status, body, bytes, statuses } = reply;
  if (status === null) return breaksOff ? null : 'no answer';
  if (status < 300 && maySucceed) return null;
  const isEnvelope = typeof body?.error === 'string' && codes.has(body.code);
  if (isEnvelope && statuses.every((each) => each >= 400 && each < 500)) return null;
  return `${statuses} ${bytes.slice(bytes.indexOf('\r\n\r\n') + 4).slice(0, 150)}`;
}
