import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEncryptionKeys, seal } from '@waybill/outbound';
import { eventually } from '@waybill/testing';
import type { Context } from '../src/config.ts';
import { connectStripe, disconnectStripe } from '../src/providers/stripe.ts';
import { StripeProvider } from '../src/providers/stripe-provider.ts';
import type { OpenedSession } from '../src/records/session-queries.ts';

/** https://github.com/stripe/stripe-mock checks each request against Stripe's own description of its API. */
const module = 'github.com/stripe/stripe-mock@v0.203.0';

/** The first run includes downloading and building the module. */
const limitMs = 600_000;

const run = promisify(execFile);
const hasTools = await run('go', ['version']).then(
  () => true,
  () => false,
);
if (!hasTools) console.log('left out, as go is missing: stripe-mock');

const secretKey = 'sk_test_123';
const methodId = 'pmm_1';
const keys = createEncryptionKeys([{ id: 'a', value: Buffer.alloc(32, 1).toString('base64url') }]);

/** Returns a payment's session with manual capture, as the service stores it. */
const opened = (session: object = {}): OpenedSession =>
  ({
    session: {
      store_id: 'str_1',
      payment_id: 'pay_1',
      order_id: 'ord_1',
      id: 'pss_1',
      provider: 'stripe',
      amount_cents: 1780,
      currency: 'EUR',
      description: '#1042',
      locale: 'de-AT',
      return_url: 'https://shop.example/orders/1-x',
      capture: 'manual',
      reference: 'cs_test_1',
      intent: 'pi_1',
      ...session,
    },
    method: { store_id: 'str_1', id: methodId, sealed_secret_key: seal(keys, secretKey, methodId) },
  }) as unknown as OpenedSession;

/** Headers that belong to a single connection, so the proxy drops them. */
const dropped = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']);

describe('stripe-mock', () => {
  let folder: string;
  let mock: ChildProcess | undefined;
  let proxy: http.Server;
  let url: URL;
  /** All calls with their status, and the message of refused ones. */
  const calls: { call: string; status: number; text: string }[] = [];

  beforeAll(async () => {
    if (!hasTools) return;
    folder = await mkdtemp(join(tmpdir(), 'waybill-stripe-mock-'));
    await run('go', ['install', module], { cwd: folder, env: { ...process.env, GOBIN: folder } });
    const reserved = http.createServer().listen(0, '127.0.0.1');
    await once(reserved, 'listening');
    const { port } = reserved.address() as AddressInfo;
    reserved.close();
    mock = spawn(join(folder, 'stripe-mock'), ['-http-addr', `127.0.0.1:${port}`], { stdio: 'ignore' });
    proxy = http.createServer(async (req, res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk);
      const headers: Record<string, string> = {};
      for (const [name, value] of Object.entries(req.headers))
        if (typeof value === 'string' && !dropped.has(name)) headers[name] = value;
      const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
      const answer = await fetch(`http://127.0.0.1:${port}${req.url}`, {
        method: req.method!,
        headers,
        ...body,
      });
      const text = await answer.text();
      const call = `${req.method} ${req.url!.split('?', 1)[0]}`;
      calls.push({ call, status: answer.status, text: answer.ok ? '' : text });
      res.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    url = new URL(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    await eventually(
      () =>
        new Promise<boolean>((resolve) => {
          const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
          socket.unref();
        }),
      { what: 'stripe-mock to listen' },
    );
  }, limitMs);
  afterAll(async () => {
    mock?.kill();
    proxy?.closeAllConnections();
    proxy?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test(
    'takes every call that payments makes',
    async () => {
      if (!hasTools) return;
      const context = { config: { stripeUrl: url, encryptionKeys: keys } } as unknown as Context;
      const stripe = new StripeProvider(context);
      // The mock's answer has no secret; the test only checks that it accepts the call.
      await connectStripe(url, secretKey, 'https://shop.example/payments/pmm_1/events');
      expect(await stripe.createSession(opened({ reference: null, intent: null }))).toMatchObject({
        reference: expect.stringMatching(/^cs_/),
      });
      await stripe.createSession(opened({ capture: 'automatic', locale: null, currency: 'ISK' }));
      await stripe.lookUp(opened());
      for (const kind of ['capture', 'void', 'refund', 'end'] as const)
        await stripe.takeStep(opened(), { id: `pst_${kind}`, kind, amountCents: 1000 });
      await stripe.listSince(opened().method, new Date(Date.now() - 86_400_000));
      await disconnectStripe(url, secretKey, 'we_1');
      expect(calls.filter(({ status }) => status >= 400)).toEqual([]);
      const kinds = new Set(calls.map(({ call }) => call.replace(/\/(cs|pi|we)_\w+/, '/{id}')));
      console.log(
        `stripe-mock took ${calls.length} calls of ${kinds.size} kinds: ${[...kinds].sort().join(', ')}`,
      );
      expect([...kinds].sort()).toEqual(
        expect.arrayContaining([
          'DELETE /v1/webhook_endpoints/{id}',
          'GET /v1/checkout/sessions',
          'GET /v1/checkout/sessions/{id}',
          'GET /v1/payment_intents',
          'GET /v1/refunds',
          'POST /v1/checkout/sessions',
          'POST /v1/payment_intents/{id}/cancel',
          'POST /v1/payment_intents/{id}/capture',
          'POST /v1/refunds',
          'POST /v1/webhook_endpoints',
        ]),
      );
    },
    limitMs,
  );
});
