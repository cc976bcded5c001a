import { randomBytes } from 'node:crypto';
import { approveVersion, type RegisteredApp, registerApp, signIn } from '@waybill/example-app';
import { eventually, type Receiver, startReceiver } from '@waybill/testing';
import { expectStatus, type Person } from '../../testing/accounts.ts';
import { createCaller, type Reply, send } from '../../testing/client.ts';
import { codeChallenge, codeVerifier } from './pkce.ts';
import type { SharedSystem } from './topologies.ts';

const scopes = ['orders.read', 'orders.write'];
const redirectUri = 'https://app.example/callback';

/** A call to an app about a payment, `decisions.md 22.6`. */
interface PaymentCall {
  type: string;
  data: { session: { id: string; orderId: string; amountCents: number; returnUrl: string } };
}

/** An approved app that takes payments, with a page where people would pay. */
export interface PayingApp {
  /** Installs the app in a store, and creates a payment method with it. */
  addTo(owner: Person, storeId: string, method?: object): Promise<AppInStore>;
  close(): Promise<void>;
}

export interface AppInStore {
  methodId: string;
  /** Returns the session of a call to the app about an order. */
  called(type: string, orderId: string): Promise<PaymentCall['data']['session']>;
  report(sessionId: string, body: object): Promise<Reply>;
  /** Returns the page on which the shopper of a session pays. */
  pageOf(sessionId: string): string;
}

export async function startPayingApp({
  baseUrl,
  demo,
}: Pick<SharedSystem, 'baseUrl' | 'demo'>): Promise<PayingApp> {
  const receiver: Receiver = await startReceiver();
  receiver.answer((_, res) => {
    res.setHeader('content-type', 'text/html');
    res.end('<!doctype html><title>Example Pay</title><h1>Example Pay</h1>');
  });
  const [developer, reviewer] = await Promise.all([
    signIn(baseUrl, demo.developer),
    signIn(baseUrl, demo.reviewer),
  ]);
  const app: RegisteredApp = await registerApp(baseUrl, developer, { redirectUri, register: () => {} });
  await developer.patch(app.path, { webhookUrl: `${receiver.url}/calls` });
  await developer.post(`${app.path}/webhook-secret`);
  const taking = { scopes, payments: { name: 'Example Pay' } };
  const { version } = await developer.post<{ version: { id: string } }>(`${app.path}/versions`, taking);
  await developer.post(`${app.path}/versions/${version.id}/submit`);
  await approveVersion(reviewer, version.id);

  async function install(owner: Person, storeId: string): Promise<string> {
    const path = `/api/stores/${storeId}/apps/${app.appId}/install`;
    const agreed = { scopes, redirectUri, state: randomBytes(8).toString('hex'), codeChallenge };
    const { redirectTo } = expectStatus(await owner.call('POST', path, agreed), 201).body;
    const form = {
      grant_type: 'authorization_code',
      client_id: app.appId,
      client_secret: app.clientSecret,
      code: new URL(redirectTo).searchParams.get('code')!,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    };
    const reply = await send(baseUrl, 'POST', '/oauth/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });
    return expectStatus(reply, 200).body.access_token;
  }

  return {
    async addTo(owner, storeId, method = {}) {
      const token = createCaller(baseUrl, await install(owner, storeId));
      const body = { provider: 'app', name: 'Example Pay', appId: app.appId, isEnabled: true, ...method };
      const added = await owner.call('POST', `/api/stores/${storeId}/payment-methods`, body);
      return {
        methodId: expectStatus(added, 201).body.paymentMethod.id,
        called: (type, orderId) =>
          eventually(
            () =>
              receiver.calls
                .filter(({ path }) => path === '/calls')
                .map(({ body }): PaymentCall => JSON.parse(body))
                .find((call) => call.type === type && call.data.session.orderId === orderId)?.data.session,
            { what: `the app to be called for ${type}` },
          ),
        report: (sessionId, report) => token('POST', `/api/v1/payment-sessions/${sessionId}`, report),
        pageOf: (sessionId) => `${receiver.url}/pay/${sessionId}`,
      };
    },
    close: () => receiver.close(),
  };
}
