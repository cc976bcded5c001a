import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, Install } from './install.ts';
import { isGenuine } from './signature.ts';

export interface ReviewsApp {
  /** The port of its server, on loopback. */
  port: number;
  /** The URL that Waybill sends the merchant's browser to after an install. */
  redirectUri: string;
  /** Sets the credentials from the marketplace, which exist only once the app is registered. */
  register(client: Client): void;
  /** Begins an install; returns the values that the merchant's browser must hand over. */
  beginInstall(): { state: string; codeChallenge: string };
  install(storeId: string): Install;
  /** The URL that is called about the app's installs. */
  webhookUrl: string;
  /** Sets the secret that signs these calls. */
  useWebhookSecret(secret: string): void;
  /** Returns the last reported state of the app's install in a store; undefined if none was reported. */
  getInstallState(storeId: string): string | undefined;
  /** Records a customer's review and shows it in the ratings of the product and of the whole store. */
  addReview(storeId: string, productId: string, stars: number): Promise<void>;
  stop(): Promise<void>;
}

/** No call of Waybill's is larger than this. */
const maxCallBytes = 2 * 1024 * 1024;

/** Reads the bytes of a call; returns null if there are too many, and keeps none of them. */
async function readCall(req: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req) {
    size += chunk.length;
    if (size <= maxCallBytes) chunks.push(chunk);
  }
  return size <= maxCallBytes ? Buffer.concat(chunks) : null;
}

/** Parses a call; returns null if it is not genuine. */
async function readSignedCall(secret: string, req: IncomingMessage) {
  const body = await readCall(req);
  const timestamp = String(req.headers['x-wb-timestamp']);
  const signature = String(req.headers['x-wb-signature']);
  return body && isGenuine(secret, body, { timestamp, signature }) ? JSON.parse(body.toString()) : null;
}

/** Starts the app's own server, which completes installs and receives webhook calls. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export async function startReviewsApp(atPort = 0): Promise<ReviewsApp> {
  const verifiers = new Map<string, string>();
  const installs = new Map<string, Install>();
  const reviews = new Map<string, Map<string, number[]>>();
  const installStates = new Map<string, { state: string; updatedAt: string }>();
  let client: Client | null = null;
  let webhookSecret: string | null = null;
  let lastUpdate: Promise<unknown> = Promise.resolve();

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
    const [, route, storeId] = url.pathname.split('/');
    if (route === 'installed') await finishInstall(url.searchParams);
    else if (route === 'lifecycle' && webhookSecret !== null) {
      const call = await readSignedCall(webhookSecret, req);
      if (!call) return void res.writeHead(401).end();
      storeState(call.data.install);
    } else if (route === 'webhooks' && installs.has(storeId!)) {
      const isAccepted = await acceptCall(installs.get(storeId!)!, req);
      if (!isAccepted) return void res.writeHead(401).end();
    } else return void res.writeHead(404).end();
    res.writeHead(200).end('ok');
  }

  /**
   * Completes an install when the merchant's browser comes back: exchanges the code for tokens and subscribes to the
   * store's events.
   */
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

  /** Calls arrive in any order and possibly twice, so the state that changed last wins. */
  function storeState({ storeId, state, updatedAt }: { storeId: string; state: string; updatedAt: string }) {
    const lastState = installStates.get(storeId);
    if (!lastState || lastState.updatedAt <= updatedAt) installStates.set(storeId, { state, updatedAt });
  }

  /**
   * Handles the creation of a product: gives it a count to show. A call may arrive late or twice, so the stored reviews
   * are shown.
   */
  async function acceptCall(install: Install, req: IncomingMessage): Promise<boolean> {
    const call = await readSignedCall(install.webhookSecret, req);
    if (call) await showReviews(install, call.data.product.id);
    return call !== null;
  }

  /**
   * Shows the reviews of a product, or of all, one write after the other, so that the last write has the newest data.
   */
  function showReviews(install: Install, productId?: string): Promise<void> {
    const update = lastUpdate.then(() => writeValues(install, productId));
    lastUpdate = update.catch(() => {});
    return update;
  }

  async function writeValues(install: Install, productId?: string): Promise<void> {
    const storeReviews = reviews.get(install.storeId) ?? new Map<string, number[]>();
    const stars = productId ? (storeReviews.get(productId) ?? []) : [...storeReviews.values()].flat();
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
    register(newClient) {
      client = newClient;
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
    getInstallState: (storeId) => installStates.get(storeId)?.state,
    async addReview(storeId, productId, stars) {
      const storeReviews = reviews.get(storeId) ?? new Map<string, number[]>();
      reviews.set(storeId, storeReviews);
      storeReviews.set(productId, [...(storeReviews.get(productId) ?? []), stars]);
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
