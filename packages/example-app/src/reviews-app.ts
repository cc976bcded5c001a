import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, Install } from './install.ts';
import { isGenuine } from './signature.ts';

export interface ReviewsApp {
  /** Where its server listens, on loopback. */
  port: number;
  /** Where Waybill sends the merchant's browser after an install. */
  redirectUri: string;
  /** What the marketplace has given the app; it is known only once the app is registered. */
  register(client: Client): void;
  /** Begins an install: what the merchant's browser is to hand over. */
  beginInstall(): { state: string; codeChallenge: string };
  install(storeId: string): Install;
  /** Where it is called about its installs. */
  webhookUrl: string;
  /** What these calls are signed with. */
  useWebhookSecret(secret: string): void;
  /** How its install in a store is, as far as it was told; undefined: it was not. */
  stateIn(storeId: string): string | undefined;
  /** Counts a customer's review and shows it: the product's rating, and that of the whole store. */
  addReview(storeId: string, productId: string, stars: number): Promise<void>;
  stop(): Promise<void>;
}

/** More than any call of Waybill's has. */
const maxCallBytes = 2 * 1024 * 1024;

/** The bytes of a call; null where there are too many, of which none are kept. */
async function readCall(req: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req) {
    size += chunk.length;
    if (size <= maxCallBytes) chunks.push(chunk);
  }
  return size <= maxCallBytes ? Buffer.concat(chunks) : null;
}

/** What a call says; null: it is not genuine. */
async function readGenuine(secret: string, req: IncomingMessage) {
  const body = await readCall(req);
  const timestamp = String(req.headers['x-wb-timestamp']);
  const signature = String(req.headers['x-wb-signature']);
  return body && isGenuine(secret, body, { timestamp, signature }) ? JSON.parse(body.toString()) : null;
}

/** Starts the app's own server: the end of the install, and the receiver of webhook calls. */
export async function startReviewsApp(atPort = 0): Promise<ReviewsApp> {
  const verifiers = new Map<string, string>();
  const installs = new Map<string, Install>();
  const reviews = new Map<string, Map<string, number[]>>();
  const told = new Map<string, { state: string; updatedAt: string }>();
  let client: Client | null = null;
  let webhookSecret: string | null = null;
  let lastShown: Promise<unknown> = Promise.resolve();

  const server = http.createServer((req, res) => {
    answer(req, res).catch((error) => res.writeHead(500).end(String(error)));
  });
  server.listen(atPort, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ownUrl = `http://127.0.0.1:${port}`;
  const redirectUri = `${ownUrl}/installed`;

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url!, ownUrl);
    const [, room, storeId] = url.pathname.split('/');
    if (room === 'installed') await finishInstall(url.searchParams);
    else if (room === 'lifecycle' && webhookSecret !== null) {
      const call = await readGenuine(webhookSecret, req);
      if (!call) return void res.writeHead(401).end();
      keepState(call.data.install);
    } else if (room === 'webhooks' && installs.has(storeId!)) {
      const isTaken = await takeCall(installs.get(storeId!)!, req);
      if (!isTaken) return void res.writeHead(401).end();
    } else return void res.writeHead(404).end();
    res.writeHead(200).end('ok');
  }

  /** The merchant's browser comes back: the code becomes tokens, and the app subscribes to the store's events. */
  async function finishInstall(query: URLSearchParams): Promise<void> {
    const state = query.get('state') ?? '';
    const codeVerifier = verifiers.get(state);
    if (!client || !codeVerifier) throw new Error('this app has not begun that install');
    verifiers.delete(state);
    const grant = { code: query.get('code') ?? '', redirectUri, codeVerifier };
    const install = await Install.fromCode(client, grant);
    installs.set(install.storeId, install);
    const webhook = { url: `${ownUrl}/webhooks/${install.storeId}`, events: ['product.created'] };
    const { secret } = await install.call((waybill) =>
      waybill.post<{ secret: string }>('/api/v1/webhooks', webhook),
    );
    install.webhookSecret = secret;
  }

  /** Calls come in any order, and perhaps twice: what holds is the install that changed last. */
  function keepState({ storeId, state, updatedAt }: { storeId: string; state: string; updatedAt: string }) {
    const known = told.get(storeId);
    if (!known || known.updatedAt <= updatedAt) told.set(storeId, { state, updatedAt });
  }

  /** A product was made: it gets a count to show. A call may come twice, and late: what is shown is what is known. */
  async function takeCall(install: Install, req: IncomingMessage): Promise<boolean> {
    const call = await readGenuine(install.webhookSecret, req);
    if (call) await showReviews(install, call.data.product.id);
    return call !== null;
  }

  /** Shows a product's reviews, or all: one after the other, so that whoever writes last knows the most. */
  function showReviews(install: Install, productId?: string): Promise<void> {
    const shown = lastShown.then(() => writeValues(install, productId));
    lastShown = shown.catch(() => {});
    return shown;
  }

  async function writeValues(install: Install, productId?: string): Promise<void> {
    const ofStore = reviews.get(install.storeId) ?? new Map<string, number[]>();
    const stars = productId ? (ofStore.get(productId) ?? []) : [...ofStore.values()].flat();
    const owner = productId ? { owner: 'product', ownerId: productId } : { owner: 'site' };
    const set = (key: string, value: string) =>
      install.call((waybill) => waybill.put('/api/v1/app-data', { key, value, ...owner }));
    if (stars.length === 0) return void (await set('count', 'No reviews yet'));
    const average = stars.reduce((sum, each) => sum + each, 0) / stars.length;
    await set('rating', average.toFixed(1));
    await set('count', stars.length === 1 ? '1 review' : `${stars.length} reviews`);
  }

  const install = (storeId: string): Install => {
    const found = installs.get(storeId);
    if (!found) throw new Error('the app is not installed in that store');
    return found;
  };

  return {
    port,
    redirectUri,
    register(given) {
      client = given;
    },
    beginInstall() {
      const [state, codeVerifier] = [randomBytes(16), randomBytes(32)].map((bytes) =>
        bytes.toString('base64url'),
      ) as [string, string];
      verifiers.set(state, codeVerifier);
      return { state, codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url') };
    },
    install,
    webhookUrl: `${ownUrl}/lifecycle`,
    useWebhookSecret(secret) {
      webhookSecret = secret;
    },
    stateIn: (storeId) => told.get(storeId)?.state,
    async addReview(storeId, productId, stars) {
      const ofStore = reviews.get(storeId) ?? new Map<string, number[]>();
      reviews.set(storeId, ofStore);
      ofStore.set(productId, [...(ofStore.get(productId) ?? []), stars]);
      await showReviews(install(storeId), productId);
      await showReviews(install(storeId));
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
