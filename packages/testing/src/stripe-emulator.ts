import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the emulator answered. */
export interface StripeRequest {
  method: string;
  /** Without the query. */
  path: string;
  params: URLSearchParams;
  key: string;
}

export interface StripeEmulator {
  /** For `STRIPE_API_URL`. */
  url: string;
  requests: StripeRequest[];
  /** The registered addresses for events, by their id. */
  webhooks: Map<string, { url: string; secret: string; key: string }>;
  /** Keys that Stripe does not accept. */
  refusedKeys: Set<string>;
  /** Whether addresses on loopback are refused, as Stripe refuses them. */
  refusesLoopback: boolean;
  close(): Promise<void>;
}

/** Answers as https://docs.stripe.com/api/errors describes errors. */
const refusal = (type: string, message: string, param?: string) => ({
  error: { type, message, ...(param && { param }) },
});

/**
 * Stands in for Stripe's API as Stripe documents it, with the state that `stripe-mock` lacks. Each answer names the page
 * that it follows.
 */
export async function startStripeEmulator(): Promise<StripeEmulator> {
  const emulator: StripeEmulator = {
    url: '',
    requests: [],
    webhooks: new Map(),
    refusedKeys: new Set(),
    refusesLoopback: false,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  function answer({ method, path, params, key }: StripeRequest): [status: number, body: object] {
    // https://docs.stripe.com/api/authentication
    if (!/^(sk|rk)_(test|live)_/.test(key) || emulator.refusedKeys.has(key)) {
      return [401, refusal('invalid_request_error', `Invalid API Key provided: ${key.slice(0, 8)}****`)];
    }
    if (method === 'GET' && path === '/v1/checkout/sessions') {
      // https://docs.stripe.com/api/checkout/sessions/list
      return [200, { object: 'list', data: [], has_more: false, url: path }];
    }
    if (method === 'POST' && path === '/v1/webhook_endpoints') {
      // https://docs.stripe.com/api/webhook_endpoints/create
      const url = params.get('url') ?? '';
      if (emulator.refusesLoopback && /\/\/(127\.|localhost)/.test(url)) {
        return [
          400,
          refusal('invalid_request_error', 'Invalid URL: URL must be publicly accessible.', 'url'),
        ];
      }
      const id = `we_${randomBytes(12).toString('hex')}`;
      const secret = `whsec_${randomBytes(24).toString('hex')}`;
      emulator.webhooks.set(id, { url, secret, key });
      return [200, { id, object: 'webhook_endpoint', url, secret, status: 'enabled' }];
    }
    const [, webhookId] = /^\/v1\/webhook_endpoints\/(we_\w+)$/.exec(path) ?? [];
    if (method === 'DELETE' && webhookId && emulator.webhooks.delete(webhookId)) {
      // https://docs.stripe.com/api/webhook_endpoints/delete
      return [200, { id: webhookId, object: 'webhook_endpoint', deleted: true }];
    }
    return [404, refusal('invalid_request_error', `Unrecognized request URL (${method}: ${path})`)];
  }

  const server = http.createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const { pathname, searchParams } = new URL(req.url!, 'http://stripe');
    const request: StripeRequest = {
      method: req.method!,
      path: pathname,
      params: req.method === 'GET' ? searchParams : new URLSearchParams(Buffer.concat(chunks).toString()),
      key: (req.headers.authorization ?? '').replace(/^Bearer /, ''),
    };
    emulator.requests.push(request);
    const [status, body] = answer(request);
    res.writeHead(status, {
      'content-type': 'application/json',
      'request-id': `req_${randomBytes(7).toString('hex')}`,
    });
    res.end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  emulator.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return emulator;
}
