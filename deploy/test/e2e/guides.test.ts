import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { permissions } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import { expectStatus, newKey, newPerson, newStore } from '../../testing/accounts.ts';
import { createCaller, type Reply, send } from '../../testing/client.ts';
import type { SharedSystem } from './topologies.ts';
import { topologies } from './topologies.ts';

interface Operation {
  parameters?: { name: string; in: string }[];
}

/** Headers that no operation declares, because all operations or none use them. */
const generalHeaders = [
  'Retry-After',
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotent-Replayed',
  'ETag',
];
/** Words of OAuth that look like error codes. */
const otherWords = new Set(['authorization_code', 'partially_fulfilled', 'refresh_token']);

const guideFiles = new URL('../../../services/gateway/guides/', import.meta.url);

/** Returns the code blocks of a language in a text. */
const blocksOf = (markdown: string, language: string) =>
  [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, named]) => named === language)
    .map(([, , code]) => code!);

const decoded = (html: string) =>
  html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

describe.each(topologies)('the guides of $name', ({ share, inOneTopology }) => {
  let system: SharedSystem;
  let document: Reply['body'];
  const pages = new Map<string, string>();
  beforeAll(async () => {
    system = await share();
    document = (await get('/openapi.json')).body;
    pages.set('/docs', (await get('/docs')).text);
    for (const [, path] of pages.get('/docs')!.matchAll(/<li><a href="(\/docs\/[\w-]+)"/g))
      pages.set(path!, (await get(path!)).text);
  });

  const get = (path: string): Promise<Reply> => send(system.baseUrl, 'GET', path);
  const guides = () => [...pages].filter(([path]) => path !== '/docs');
  /** Returns the inline code of the guides, by guide. */
  const spans = () =>
    guides().flatMap(([path, html]) =>
      [...html.replaceAll(/<pre.*?<\/pre>/gs, '').matchAll(/<code>(.*?)<\/code>/g)].map(
        ([, text]) => [path, decoded(text!)] as const,
      ),
    );

  test('are all there', () => {
    expect(guides().map(([path]) => path)).toEqual(
      expect.arrayContaining(['/docs/five-minutes', '/docs/webhooks', '/docs/first-app', '/docs/versioning']),
    );
    expect(pages.size).toBe(20);
  });

  test('name the address that they are read at', () => {
    const fiveMinutes = pages.get('/docs/five-minutes')!;
    expect(fiveMinutes).toContain(`BASE=${system.baseUrl}`);
    expect([...pages.values()].filter((html) => html.includes('127.0.0.1:8080'))).toEqual([]);
  });

  test('are found from the address of the system, which says where everything is', async () => {
    const index = await get('/');
    expect(index).toMatchObject({ status: 200, body: { name: 'Waybill', docs: `${system.baseUrl}/docs` } });
    for (const url of Object.values<string>(index.body).slice(1)) {
      const { status } = await fetch(url);
      // The request has no key.
      expect([url, status]).toEqual([url, url.endsWith('/api/v1') ? 401 : 200]);
    }
  });

  inOneTopology('have no broken links', async () => {
    const wrong: string[] = [];
    for (const [at, html] of pages) {
      for (const [, href] of html.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
        const { origin, pathname, hash } = new URL(href!, `${system.baseUrl}${at}`);
        if (origin !== new URL(system.baseUrl).origin) continue;
        const page = pages.get(pathname) ?? ((await get(pathname)).status === 200 ? '' : null);
        if (page === null || (hash && !page.includes(`id="${hash.slice(1)}"`))) wrong.push(`${at}: ${href}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  inOneTopology('name only existing operations and paths', () => {
    const nameless = (path: string) => path.replaceAll(/\{\w+\}/g, '{}').replace(/[?#].*$/, '');
    const paths = new Map(
      Object.entries(document.paths as Record<string, Record<string, Operation>>).map(([path, methods]) => [
        nameless(path),
        methods,
      ]),
    );
    const wrong = spans().filter(([, text]) => {
      const [, method, path] = /^(?:(GET|POST|PUT|PATCH|DELETE) )?(\/[\w./{}-]+)$/.exec(text) ?? [];
      if (!path) return false;
      if (method) return !paths.get(nameless(path))?.[method.toLowerCase()];
      return ![...paths.keys()].some(
        (known) => known === nameless(path) || known.startsWith(`${nameless(path)}/`),
      );
    });
    expect(wrong).toEqual([]);
  });

  inOneTopology('name only existing error codes', () => {
    const codes = new Set(Object.keys(document.components.examples));
    // Warnings of successes are documented in descriptions.
    const documented = JSON.stringify(document.paths);
    const wrong = spans().filter(
      ([, text]) =>
        /^[a-z]+(?:_[a-z]+)+$/.test(text) &&
        !codes.has(text) &&
        !otherWords.has(text) &&
        !documented.includes(`\`${text}\``),
    );
    expect(wrong).toEqual([]);
  });

  inOneTopology('name only existing headers', () => {
    const operations = [...Object.values(document.paths), ...Object.values(document.webhooks)].flatMap(
      (item) => Object.values(item as Record<string, Operation>),
    );
    const headers = new Set([
      ...generalHeaders,
      ...operations.flatMap(({ parameters = [] }) =>
        parameters.filter((each) => each.in === 'header').map(({ name }) => name),
      ),
    ]);
    const named = spans().filter(([, text]) => /^(?:X-|RateLimit|webhook-|If-|Idempot)[\w-]*$/.test(text));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(([, text]) => !headers.has(text))).toEqual([]);
  });

  inOneTopology.each([
    'products',
    'categories',
    'customers',
    'pages',
    'articles',
    'blog-categories',
    'media-folders',
    'discounts',
    'webhooks',
    'custom-fields',
  ])('the reference has an example of new %s that a store accepts as it is', async (resource) => {
    const { requestBody } = document.paths[`/api/v1/${resource}`].post;
    const { example } = requestBody.content['application/json'];
    const person = await newPerson(system.baseUrl);
    const storeId = await newStore(person);
    const { secret: apiKey } = await newKey(person, storeId, permissions);
    expectStatus(await createCaller(system.baseUrl, apiKey)('POST', `/api/v1/${resource}`, example), 201);
  });

  test('have commands that work, one after the other in one shell', async () => {
    const names = (await readdir(guideFiles)).sort();
    const texts = await Promise.all(names.map((name) => readFile(new URL(name, guideFiles), 'utf8')));
    const textOf = (part: string) => texts[names.findIndex((name) => name.includes(part))]!;
    // A command with a gap to fill in is not meant to be copied.
    const commands = texts.flatMap((text) => blocksOf(text, 'sh')).filter((text) => !text.includes('…'));
    expect(commands.length).toBeGreaterThan(12);

    const person = await newPerson(system.baseUrl);
    const storeId = await newStore(person);
    const { secret: apiKey } = await newKey(person, storeId, permissions);
    // A reader who continues from the README has its product and its customer.
    const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
    const call = createCaller(system.baseUrl, apiKey);
    const product = JSON.parse(/^ *api products -d '(.+)'$/m.exec(readme)![1]!);
    expectStatus(await call('POST', '/api/v1/products', product), 201);
    const order = new URL('../../../packages/contracts/docs/first-order.md', import.meta.url);
    const customer = JSON.parse(/"customer":(\{[^{}]*\})/.exec(await readFile(order, 'utf8'))![1]!);
    expectStatus(await call('POST', '/api/v1/customers', customer), 201);
    const folder = await mkdtemp(join(tmpdir(), 'waybill-guides-'));
    await mkdir(join(folder, '.waybill'));
    const { email, password } = person;
    await writeFile(
      join(folder, '.waybill/demo.json'),
      JSON.stringify({ apiKey, developer: { email, password } }),
    );
    await writeFile(join(folder, 'blocks.json'), blocksOf(textOf('first-app'), 'json')[0]!);
    await writeFile(join(folder, 'stars.js'), blocksOf(textOf('islands'), 'js')[0]!);

    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
    const script = [...commands, 'api /api/stores/$STORE/pages']
      .join('\n')
      .replaceAll('http://127.0.0.1:8080', system.baseUrl)
      // No further events happen in this store.
      .replaceAll('wait=30', 'wait=1');
    const shell = promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env,
    });
    const { stdout, stderr } = await shell.finally(() => rm(folder, { recursive: true }));
    expect(stderr).toBe('');
    expect(stdout).not.toMatch(/"error" ?:/);
    const address = /"url" ?: ?"(http[^"]+)"[^{}]*}] ?, ?"total"/.exec(stdout)![1]!;
    await eventually(async () => (await (await fetch(address)).text()).includes('4.8'));
  });
});
