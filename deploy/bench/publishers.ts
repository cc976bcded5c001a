import { newId } from '@waybill/contracts';
import { Pool } from 'undici';
import type { System } from './processes.ts';

/** A way to submit events to a webhook service: publishes events that reach the receiver, one per request. */
export interface Publisher {
  name: string;
  publish(turn: number): Promise<void>;
  close(): Promise<void>;
}

/** Returns the time at which a request was sent. Every body contains it, and the receiver measures from it. */
const sentAt = () => (performance.timeOrigin + performance.now()).toFixed(3);

const createProduct = (turn: number) => ({
  id: newId('product'),
  name: `Product ${turn}`,
  slug: `product-${turn}`,
  sentAt: sentAt(),
  variants: [],
});

/** Creates a client that sends JSON over open connections and throws for any answer that is not a success. */
function openClient(url: string, headers: Record<string, string>) {
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/$/, '');
  const pool = new Pool(origin, { connections: 256, pipelining: 1 });
  return {
    // biome-ignore lint/suspicious/noExplicitAny: a benchmark knows its answers
    async send(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<any> {
      const reply = await pool.request({
        method,
        path: `${base}${path}`,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        body: body ? JSON.stringify(body) : null,
      });
      const text = await reply.body.text();
      if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.statusCode} ${text}`);
      return text.startsWith('{') ? JSON.parse(text) : null;
    },
    close: () => pool.close(),
  };
}

/** Publishes by `POST /internal/events`. */
export async function internalPublisher({ demo, internalUrlOf }: System, token: string): Promise<Publisher> {
  const client = openClient(await internalUrlOf('webhooks'), { authorization: `Bearer ${token}` });
  return {
    name: 'POST /internal/events',
    async publish(turn) {
      const data = { product: createProduct(turn) };
      await client.send('POST', '/internal/events', { storeId: demo.storeId, type: 'product.created', data });
    },
    close: client.close,
  };
}

/** Creates products by `POST /api/v1/products`. */
export function productPublisher({ demo }: System): Publisher {
  const client = openClient(demo.baseUrl, { authorization: `Bearer ${demo.apiKey}` });
  return {
    name: 'POST /api/v1/products',
    async publish(turn) {
      const name = `Product ${turn} ${Math.random()}`;
      await client.send('POST', '/api/v1/products', {
        name,
        description: `sentAt ${sentAt()}`,
        variants: [],
      });
    },
    close: client.close,
  };
}

/** Publishes to the bare process of `event-floor.ts`. */
export function floorPublisher(url: string): Publisher {
  const client = openClient(url, {});
  return {
    name: 'floor',
    async publish(turn) {
      await client.send('POST', '/', { type: 'product.created', data: { product: createProduct(turn) } });
    },
    close: client.close,
  };
}

/** Publishes to another system through its own API: Svix or Outpost. `url` ends before `/api/v1`. */
export async function peerPublisher(url: string, token: string, receiverUrl: string): Promise<Publisher> {
  const client = openClient(`${url.replace(/\/$/, '')}/api/v1`, { authorization: `Bearer ${token}` });
  const isSvix = await client.send('GET', '/health/').then(
    () => true,
    () => false,
  );
  const name = `bench-${Date.now()}`;
  const target = `${receiverUrl}/hook`;
  if (isSvix) {
    const { id } = await client.send('POST', '/app/', { name });
    await client.send('POST', `/app/${id}/endpoint/`, { url: target, version: 1 });
    return {
      name: 'Svix',
      async publish(turn) {
        const payload = { type: 'product.created', data: { product: createProduct(turn) } };
        await client.send('POST', `/app/${id}/msg/`, { eventType: 'product.created', payload });
      },
      close: client.close,
    };
  }
  await client.send('PUT', `/tenants/${name}`);
  const webhook = { type: 'webhook', topics: '*', config: { url: target } };
  await client.send('POST', `/tenants/${name}/destinations`, webhook);
  return {
    name: 'Outpost',
    async publish(turn) {
      const data = { product: createProduct(turn) };
      await client.send('POST', '/publish', { tenant_id: name, topic: 'product.created', data });
    },
    close: client.close,
  };
}
