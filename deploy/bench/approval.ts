import { setTimeout as sleep } from 'node:timers/promises';
import {
  approveVersion,
  listenToInstalls,
  registerApp,
  reviewsBlock,
  signIn,
  submitVersion,
  Waybill,
} from '@waybill/example-app';
import pg from 'pg';
import { Pool, request } from 'undici';
import { percentile } from './load.ts';
import type { System } from './processes.ts';

const stores = 1_000;
const merchantsPerSecond = 20;
const atOnce = 8;

/** The texts of two of the block's nodes, in the old and in the new version. */
const texts = {
  old: ['What customers say', 'Be the first to review'],
  new: ['In their own words', 'Nobody has said a word'],
};
const block = {
  ...reviewsBlock,
  nodes: reviewsBlock.nodes.map((node) => {
    const { text } = node.props.specials ?? {};
    const place = texts.old.indexOf(text ?? '');
    return place < 0 ? node : { ...node, props: { specials: { text: texts.new[place] } } };
  }),
};

/**
 * Measures how long an approval takes to reach a thousand stores, each with a live page that shows the app's block:
 * until every installation has moved, and until the app was called about each. Meanwhile it reads all pages in turn,
 * none of which may show anything but the version with which it was published, and calls a merchant's endpoint. It
 * calls that endpoint equally often before the approval, also while reading the pages.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a measurement reads as one sequence of steps
export async function benchApproval(system: System, receiverUrl: string): Promise<void> {
  const { demo } = system;
  const { baseUrl } = demo;
  const merchant = await signIn(baseUrl, demo.merchant);
  const developer = await signIn(baseUrl, demo.developer);
  const reviewer = await signIn(baseUrl, demo.reviewer);
  const app = await registerApp(baseUrl, developer, {
    redirectUri: 'http://127.0.0.1:1/installed',
    register: () => {},
  });
  const scopes = ['products.read'];
  await approveVersion(reviewer, await submitVersion(developer, app, { scopes }));
  await listenToInstalls(developer, app, {
    webhookUrl: `${receiverUrl}/lifecycle`,
    useWebhookSecret: () => {},
  });
  const ask = async (path: string) => (await request(`${receiverUrl}${path}`)).body.text();
  const counted = async (path: string) => Number(await ask(path));

  const pages: string[] = [];
  async function openStore(): Promise<void> {
    const { store } = await merchant.post<{ store: { id: string } }>('/api/stores', { name: 'Tea House' });
    const of = `/api/stores/${store.id}`;
    await merchant.post(`${of}/apps/${app.appId}/install`, { scopes });
    const { page } = await merchant.post<{ page: { id: string } }>(`${of}/pages`, { name: 'Reviews' });
    const specials = { appId: app.appId, blockKey: block.key };
    const nodes = [
      { id: 'page', type: 'container', children: ['own'] },
      { id: 'own', type: 'blockRef', props: { specials, settings: {} } },
    ];
    await merchant.put(`${of}/pages/${page.id}/draft`, { document: { rootId: 'page', nodes } });
    const published = await merchant.post<{ page: { url: string } }>(`${of}/pages/${page.id}/publish`);
    pages.push(new URL(published.page.url, baseUrl).href);
  }
  let opened = 0;
  const open = async () => {
    while (opened++ < stores) await openStore();
  };
  await Promise.all(Array.from({ length: atOnce }, open));
  await until(async () => (await counted('/app')) >= stores);

  const key = new Waybill(baseUrl, demo.apiKey);
  await key.post('/api/v1/webhooks', { url: `${receiverUrl}/hook`, events: ['product.created'] });
  async function callMerchants(isOver: () => boolean): Promise<number[]> {
    await ask('/stats');
    const creations: Promise<unknown>[] = [];
    while (!isOver()) {
      creations.push(key.post('/api/v1/products', { name: `Tea ${creations.length} ${Math.random()}` }));
      await sleep(1000 / merchantsPerSecond);
    }
    await Promise.all(creations);
    await until(async () => (await counted('/count')) >= creations.length);
    return JSON.parse(await ask('/stats'));
  }
  const version = await submitVersion(developer, app, { scopes, blocks: [block] });
  const db = new pg.Client({ connectionString: await system.databaseUrl('app_platform') });
  await db.connect();
  let isOver = false;
  const wrong: string[] = [];
  const reading = readInTurn(
    pages,
    () => isOver,
    (url, html) => {
      const isOld = texts.old.every((text) => html.includes(text));
      if (!isOld || texts.new.some((text) => html.includes(text))) wrong.push(url);
    },
  );
  const endOfRest = Date.now() + 10_000;
  const alone = await callMerchants(() => Date.now() > endOfRest);
  const beside = callMerchants(() => isOver);
  await sleep(500);
  const started = performance.now();
  const seconds = () => ((performance.now() - started) / 1000).toFixed(1);
  await approveVersion(reviewer, version);
  const answered = seconds();
  const count = 'select count(*)::int as moved from install where version_id = $1';
  await until(async () => (await db.query(count, [version])).rows[0].moved >= stores);
  const moved = seconds();
  await until(async () => (await counted('/app')) >= 2 * stores);
  const receivedAll = seconds();
  await sleep(3000);
  isOver = true;
  const read = await reading;
  const latencies = await beside;
  await db.end();
  console.log(
    `an approval for ${stores} stores: answered after ${answered} s, all moved after ${moved} s (aim 10), the app called ` +
      `about each after ${receivedAll} s; ${read} live pages read meanwhile, ${wrong.length} of them wrong; a merchant's calls at ` +
      `${merchantsPerSecond}/s: p95 ${percentile(latencies, 0.95)} ms beside it, ${percentile(alone, 0.95)} ms before`,
  );
  if (wrong.length > 0) throw new Error(`a live page shows what it was not published with: ${wrong[0]}`);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}

/** Reads pages one after the other, again and again. Returns the number of reads. */
async function readInTurn(
  urls: readonly string[],
  isOver: () => boolean,
  look: (url: string, html: string) => void,
): Promise<number> {
  const pool = new Pool(new URL(urls[0]!).origin, { connections: 2 });
  let turn = 0;
  const reader = async () => {
    while (!isOver()) {
      const url = urls[turn++ % urls.length]!;
      const reply = await pool.request({ method: 'GET', path: new URL(url).pathname });
      look(url, await reply.body.text());
    }
  };
  await Promise.all([reader(), reader()]);
  await pool.close();
  return turn;
}
