import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Json, materialise, type PageDocument, type PageNode, render, resolve } from '@waybill/page';
import pg from 'pg';
import { type Load, load, percentile } from './load.ts';
import { type System, startProgram } from './processes.ts';
import { sendJson } from './send-json.ts';

const cascadePages = 1000;
const publishes = 100;

/** Returns a page with this number of nodes: sections of headings, texts, buttons and pictures. */
export function createDocument(nodes: number, section?: string): PageDocument {
  const parts: PageNode[] = Array.from({ length: nodes - 1 }, (_, i): PageNode => {
    const id = `n${i}`;
    const style = { base: { paddingTop: `${i % 40}px`, color: '#223344' }, mobile: { paddingTop: '8px' } };
    const kinds: { type: string; specials: Record<string, Json> }[] = [
      { type: 'heading', specials: { text: `Heading ${i} & more`, level: 2 } },
      { type: 'text', specials: { text: `Paragraph ${i}: a sentence of some length, as pages have them.` } },
      { type: 'button', specials: { text: 'Read on', href: { type: 'url', url: 'https://example.com/' } } },
      { type: 'image', specials: { src: 'https://example.com/a.png', alt: `Picture ${i}` } },
    ];
    const { type, specials } = kinds[i % kinds.length]!;
    return { id, type, props: { style, specials } };
  });
  if (section) parts.push({ id: 'section', type: 'sectionRef', props: { specials: { sectionId: section } } });
  const root = { id: 'root', type: 'section', children: parts.map(({ id }) => id) };
  return { rootId: 'root', nodes: [root, ...parts] };
}

/**
 * Measures pages: rendering, publishing, serving compared with a file server, and a section that a thousand pages
 * contain.
 */
export async function benchPages(system: System): Promise<void> {
  for (const nodes of [100, 1000]) {
    console.log(`render, ${nodes} nodes: ${renderPerSecond(nodes).toFixed(0)} pages/s`);
  }
  const { baseUrl, merchant, storeId, storeSlug, apiKey } = system.demo;
  const send = (token: string, method: string, path: string, body?: object) =>
    sendJson(baseUrl, token, method, path, body);
  const { accessToken } = await send('', 'POST', '/api/auth/login', merchant);
  const edit = (method: string, path: string, body: object) =>
    send(accessToken, method, `/api/stores/${storeId}${path}`, body);
  const page = async (name: string): Promise<string> =>
    (await send(apiKey, 'POST', '/api/v1/pages', { name })).page.id;
  const save = (id: string, document: PageDocument) => edit('PUT', `/pages/${id}/draft`, { document });
  const publish = (id: string) => send(apiKey, 'POST', `/api/v1/pages/${id}/publish`);

  const home = await page('Home');
  const latencies: number[] = [];
  for (let i = 0; i < publishes; i++) {
    await save(home, createDocument(100 + (i % 2)));
    const started = performance.now();
    await publish(home);
    latencies.push(performance.now() - started);
  }
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  console.log(`publish, 100 nodes: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  await benchServing(`${baseUrl}/s/${storeSlug}/`);

  const { article } = await send(apiKey, 'POST', '/api/v1/articles', { title: 'Home', slug: 'home' });
  await edit('PUT', `/articles/${article.id}/document`, { document: createDocument(101) });
  await send(apiKey, 'POST', `/api/v1/articles/${article.id}/publish`);
  await benchArticle(baseUrl, `/s/${storeSlug}/`, `/s/${storeSlug}/blog/home`);

  const { section } = await edit('POST', '/sections', { name: 'Footer', document: createDocument(20) });
  for (let i = 0; i < cascadePages; i++) {
    const id = await page(`Page ${i}`);
    await save(id, createDocument(50, section.id));
    await publish(id);
  }
  await edit('PUT', `/sections/${section.id}`, { name: 'Footer', document: createDocument(21) });
  await save(home, createDocument(50, section.id));
  const started = performance.now();
  await publish(home);
  const published = performance.now() - started;
  await nothingStale(await system.databaseUrl('content'));
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `cascade over ${cascadePages} pages: publish answered in ${published.toFixed(0)} ms, all made again in ` +
      `${seconds.toFixed(1)} s (${(cascadePages / seconds).toFixed(0)} pages/s)`,
  );
}

function renderPerSecond(nodes: number): number {
  const document = createDocument(nodes);
  const facts = { currency: 'EUR', products: new Map(), media: new Map(), pages: new Map() };
  const sources = { sections: new Map(), block: () => undefined, publish: true };
  const until = (ms: number) => {
    let createdCount = 0;
    for (const end = performance.now() + ms; performance.now() < end; createdCount++) {
      render(resolve(materialise(document, sources)!, facts));
    }
    return createdCount / (ms / 1000);
  };
  until(1000);
  return until(3000);
}

/**
 * Serves the same bytes from Waybill and from a file server, directly and behind a proxy, because Waybill's gateway is
 * one.
 */
async function benchServing(url: string): Promise<void> {
  const file = join(tmpdir(), `waybill-bench-${process.pid}.html`);
  const html = await (await fetch(url)).text();
  await writeFile(file, html);
  const floor = await startProgram('files.ts', { FLOOR_FILE: file });
  const proxy = await startProgram('proxy.ts', { PROXY_TARGET_PORT: floor.line });
  const { origin, pathname } = new URL(url);
  const get = (base: string): Promise<Load> => load(base, {}, () => ({ method: 'GET', path: pathname }));
  const bases = {
    waybill: origin,
    files: `http://127.0.0.1:${floor.line}`,
    proxied: `http://127.0.0.1:${proxy.line}`,
  };
  await get(origin);
  const results: Record<string, Load> = {};
  for (const [name, base] of Object.entries(bases)) results[name] = await get(base);
  const { waybill, files, proxied } = results as Record<keyof typeof bases, Load>;
  console.log(
    `live page of ${(html.length / 1024).toFixed(0)} KiB: ${waybill.perSecond.toFixed(0)}/s (p99 ${waybill.p99.toFixed(1)} ms); ` +
      `files ${files.perSecond.toFixed(0)}/s, ratio ${(waybill.perSecond / files.perSecond).toFixed(2)}; ` +
      `files behind a proxy ${proxied.perSecond.toFixed(0)}/s, ratio ${(waybill.perSecond / proxied.perSecond).toFixed(2)}`,
  );
  await proxy.stop();
  await floor.stop();
}

/** Measures an article against a page of the same document, in turns. */
async function benchArticle(baseUrl: string, pagePath: string, articlePath: string): Promise<void> {
  const perSecond = async (path: string) =>
    (await load(baseUrl, {}, () => ({ method: 'GET', path }))).perSecond;
  const ratios: number[] = [];
  for (let i = 0; i < 5; i++) ratios.push((await perSecond(articlePath)) / (await perSecond(pagePath)));
  console.log(`builder article beside a page: ratio ${percentile(ratios, 0.5).toFixed(2)}`);
}

/** Waits until no live page is queued for rendering. */
async function nothingStale(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (;;) {
    const { rowCount } = await client.query('select 1 from stale_page limit 1');
    if (rowCount === 0) break;
    await new Promise((done) => setTimeout(done, 50));
  }
  await client.end();
}
