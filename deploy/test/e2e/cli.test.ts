import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { webhooks } from '@waybill/sdk';
import { eventually, startReceiver } from '@waybill/testing';
import { freePort } from '../../free-port.ts';
import { newKey, newPerson, newStore, type Person } from '../../testing/accounts.ts';
import { createCaller } from '../../testing/client.ts';
import { oneTopology, type SharedSystem } from './topologies.ts';

const main = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));
const [{ share }] = oneTopology;
const scopes = ['products', 'webhooks'].flatMap((domain) => [`${domain}.read`, `${domain}.write`]);

let system: SharedSystem;
let folder: string;
beforeAll(async () => {
  system = await share();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-cli-'));
});
afterEach(() => rm(folder, { recursive: true }));

function start(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const own = { XDG_CONFIG_HOME: join(folder, '.config'), WAYBILL_URL: system.baseUrl };
  return spawn(process.execPath, [main, ...args], {
    cwd: folder,
    env: { ...process.env, ...own, ...env },
    stdio: 'pipe',
  });
}

/** Starts a command at a terminal; its input is typed there. */
function startAtTerminal(args: readonly string[], env: Record<string, string>): ChildProcess {
  const own = { XDG_CONFIG_HOME: join(folder, '.config'), WAYBILL_URL: system.baseUrl };
  const command = [process.execPath, main, ...args].map((word) => `'${word}'`).join(' ');
  return spawn('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, ...own, ...env },
    stdio: 'pipe',
  });
}

/** Runs a command to its end. */
async function waybill(args: readonly string[], { input = '', env = {} } = {}) {
  const child = start(args, env);
  child.stdin!.end(input);
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const [stdout, stderr, code] = await Promise.all([readAll(child.stdout!), readAll(child.stderr!), ended]);
  return { code, stdout, stderr };
}

/** Starts a command that runs until it is stopped, and collects its output. */
function watched(args: readonly string[], env: Record<string, string> = {}) {
  const child = start(args, env);
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  return {
    says: (what: string | RegExp) =>
      eventually(() => (typeof what === 'string' ? output.includes(what) : what.exec(output)), {
        what: `${what} in:\n${output}`,
        withinMs: 30_000,
      }),
    output: () => output,
    ended,
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}

async function signIn(person: Person) {
  const signedIn = await waybill(['login', '--email', person.email, '--stdin'], { input: person.password });
  expect(signedIn).toMatchObject({ code: 0 });
}

test('a user signs in through the browser, or declines there', async () => {
  const person = await newPerson(system.baseUrl);
  const login = async () => {
    // A test opens no windows.
    const command = watched(['login', '--browser'], { BROWSER: 'true', XDG_CURRENT_DESKTOP: '' });
    await command.says('/console/login-code?');
    const loginUrl = new URL(/\S+\/console\/login-code\S+/.exec(command.output())![0]);
    const { challenge, port, state } = Object.fromEntries(loginUrl.searchParams) as Record<string, string>;
    await command.says(`code is ${challenge!.slice(0, 8)}`);
    const goBack = (given: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/?${new URLSearchParams(given)}`);
    return { command, loginUrl, challenge, state: state!, goBack };
  };

  const first = await login();
  expect(first.loginUrl.href.startsWith(`${system.baseUrl}/console/login-code?`)).toBe(true);
  const asking = { codeChallenge: first.challenge };
  const { code } = (await person.call('POST', '/api/me/login-codes', asking)).body;
  // A client that does not know the state of the request is not accepted.
  expect((await first.goBack({ code, state: 'x' })).status).toBe(404);
  expect(await (await first.goBack({ code, state: first.state })).text()).toContain('signed in');
  await first.command.says(`as ${person.email}`);
  expect(await waybill(['api', 'get', '/api/me'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(person.email),
  });

  const second = await login();
  await second.goBack({ error: 'access_denied', state: second.state });
  await second.command.says('declined');
});

test('a sign-in is stored in a private file, and several commands share the session', async () => {
  const person = await newPerson(system.baseUrl);
  const wrong = await waybill(['--json', 'login', '--email', person.email, '--stdin'], {
    input: 'wrong wrong',
  });
  expect(wrong.code).toBe(3);
  expect(JSON.parse(wrong.stderr)).toMatchObject({ code: 'invalid_login', remedy: expect.any(String) });
  await signIn(person);
  const file = join(folder, '.config/waybill/credentials.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  // The access token has expired: the first process renews it for the others.
  const stored = JSON.parse(await readFile(file, 'utf8'));
  stored.profiles[system.baseUrl].expiresAt = new Date(0).toISOString();
  await writeFile(file, JSON.stringify(stored));
  const answers = await Promise.all(Array.from({ length: 3 }, () => waybill(['api', 'get', '/api/me'])));
  expect(answers.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect((await waybill(['logout'])).code).toBe(0);
  expect((await waybill(['api', 'get', '/api/me'])).code).toBe(3);
});

test('an app from an empty folder is shown on a page, follows its files, and is submitted', async () => {
  const person = await newPerson(system.baseUrl);
  await signIn(person);
  await waybill(['init', 'tea']);
  const receiver = await startReceiver();
  const dev = watched(['app', 'dev', 'tea', '--forward-to', receiver.url]);
  try {
    await dev.says('Watching');
    const [, page] = (await dev.says(/(http\S+\/s\/\S+)/)) as RegExpExecArray;
    const shown = async () => (await fetch(page!)).text();
    expect(await shown()).toContain('Hello from an app');
    const settings = JSON.parse(await readFile(join(folder, 'tea/waybill.json'), 'utf8'));
    const [module] = /\/islands\/dev\/[^"&]+/.exec(await shown())!;
    expect(await (await fetch(system.baseUrl + module)).text()).toContain(`'app.${settings.appId}.clicks'`);
    expect((await stat(join(folder, 'tea/.env'))).mode & 0o777).toBe(0o600);

    const blocks = join(folder, 'tea/blocks.json');
    const text = await readFile(blocks, 'utf8');
    await writeFile(blocks, text.replace('"heading"', '"headin"'));
    await dev.says('did you mean heading?');
    await writeFile(blocks, text.replace('Hello from an app', 'Hello again'));
    await eventually(async () => (await shown()).includes('Hello again'), { withinMs: 20_000 });

    const secret = /Signing with (\S+)/.exec(dev.output())![1]!;
    const createArguments = [
      '--store',
      settings.storeId,
      'api',
      'post',
      '/products',
      '--data',
      '{"name":"Earl Grey"}',
    ];
    expect((await waybill(createArguments)).code).toBe(0);
    const call = await eventually(() =>
      receiver.calls.find(({ headers }) => headers['x-wb-event-type'] === 'product.created'),
    );
    expect(await webhooks.verify(call.body, call.headers, secret)).toMatchObject({
      data: { product: { name: 'Earl Grey' } },
    });
    await dev.says(/200 {2}\d+ ms {2}product\.created/);
    const submitted = await waybill(['--json', 'app', 'submit', 'tea']);
    expect(JSON.parse(submitted.stdout)).toMatchObject({ version: { number: 1 } });
    // Without a session there are no events, so it ends, and does not go on with half of its work.
    for (const session of (await person.call('GET', '/api/me/sessions')).body.sessions)
      if (!session.isCurrent) await person.call('DELETE', `/api/me/sessions/${session.id}`);
    await person.call('POST', `/api/stores/${settings.storeId}/products`, { name: 'Assam' });
    expect(await dev.ended).toBe(3);
  } finally {
    await dev.stop();
    await receiver.close();
  }
}, 90_000);

test('events reach this machine, and are forwarded, shown and replayed', async () => {
  const owner = await newPerson(system.baseUrl);
  const storeId = await newStore(owner);
  const { secret: key } = await newKey(owner, storeId, scopes);
  const env = { WAYBILL_API_KEY: key };
  const receiver = await startReceiver();
  const listening = watched(
    ['webhooks', 'listen', '--forward-to', receiver.url, '--events', 'product.created'],
    env,
  );
  try {
    await listening.says('Forwarding');
    receiver.answer(500);
    const call = createCaller(system.baseUrl, key);
    await call('POST', '/api/v1/products', { name: 'Green' });
    await listening.says(/500 {2}\d+ ms {2}product\.created/);
    receiver.answer(204);
    const trigger = ['webhooks', 'trigger', 'order.created', '--forward-to', receiver.url];
    expect(await waybill(trigger, { env })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^204 /),
    });
    const secret = /Signing with (\S+)/.exec(listening.output())![1]!;
    for (const { body, headers } of receiver.calls) await webhooks.verify(body, headers, secret);

    const endpoint = { url: receiver.url, events: ['product.created'] };
    const { webhook } = (await call('POST', '/api/v1/webhooks', endpoint)).body;
    const sent = receiver.calls.length;
    const tested = ['webhooks', 'trigger', 'product.created', '--webhook', webhook.id];
    expect((await waybill(tested, { env })).code).toBe(0);
    await eventually(() => receiver.calls.length > sent);
    const replay = ['--json', 'webhooks', 'replay', webhook.id, '--since', '1h'];
    const replayed = await waybill(replay, { env });
    expect(JSON.parse(replayed.stdout)).toMatchObject({ replay: { state: 'done', sent: 1 } });
    await eventually(async () => {
      const tail = await waybill(['--json', 'deliveries', 'tail', webhook.id, '--once'], { env });
      const deliveries = tail.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      return deliveries.length === 2 && deliveries.every(({ status }) => status === 'delivered');
    });
    const states = ['installed', 'updated', 'disabled', 'enabled', 'uninstalled'];
    for (const state of states) {
      const type = `app.${state}`;
      const sample = ['webhooks', 'trigger', type, '--forward-to', receiver.url];
      expect(await waybill(sample, { env })).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^204 /),
      });
      const { body, headers } = receiver.calls.at(-1)!;
      expect(await webhooks.verify(body, headers, secret)).toMatchObject({
        type,
        data: {
          install: { id: expect.stringMatching(/^ins_/), grantedScopes: [], state: expect.any(String) },
        },
      });
    }
    const nobody = `http://127.0.0.1:${await freePort()}/`;
    const closed = ['webhooks', 'trigger', 'app.installed', '--forward-to', nobody];
    expect(await waybill(closed, { env })).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('did not answer: nothing listens there.'),
    });
    const unknown = await waybill(['webhooks', 'trigger', 'order.made', '--forward-to', receiver.url], {
      env,
    });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('order.created') });
  } finally {
    expect(await listening.stop('SIGINT')).toBe(0);
    await receiver.close();
  }
}, 60_000);

test('any API call can be made, and its outcome is the exit code', async () => {
  const owner = await newPerson(system.baseUrl);
  const { secret: key } = await newKey(owner, await newStore(owner), ['products.read']);
  const env = { WAYBILL_API_KEY: key };
  const cases: [string[], number][] = [
    [['api', 'get', '/products'], 0],
    [['api', 'get', '/products/prd_none'], 4],
    [['api', 'post', '/products', '--data', '{"name":"x"}'], 3],
    [['api', 'post', '/products', '--data', '{nope'], 2],
    [['--url', 'http://127.0.0.1:1', 'api', 'get', '/products'], 5],
  ];
  const ended = await Promise.all(cases.map(([args]) => waybill(args, { env })));
  expect(ended.map(({ code }) => code)).toEqual(cases.map(([, code]) => code));
  expect(ended[2]!.stderr).toContain('API keys');
  expect(JSON.parse(ended[0]!.stdout)).toMatchObject({ products: [], total: 0 });
  // Signing in, the usual remedy, would change nothing.
  const mistyped = await waybill(['api', 'get', '/products'], { env: { WAYBILL_API_KEY: 'wbk_mistyped' } });
  expect([mistyped.code, mistyped.stderr]).toEqual([3, expect.stringContaining('WAYBILL_API_KEY')]);
});

test('an answer without JSON is shown as it is, and a foreign server is distinguished from Waybill', async () => {
  const owner = await newPerson(system.baseUrl);
  const storeId = await newStore(owner);
  const { id } = (await owner.call('POST', `/api/stores/${storeId}/pages`, { name: 'Home' })).body.page;
  const document = { rootId: 'r', nodes: [{ id: 'r', type: 'section' }] };
  await owner.call('PUT', `/api/stores/${storeId}/pages/${id}/draft`, { document });
  await signIn(owner);
  const preview = await waybill(['api', 'post', `/pages/${id}/preview`, '--data', '{}']);
  expect(preview).toMatchObject({ code: 0, stdout: expect.stringMatching(/^<!DOCTYPE html>/) });
  // The address as copied from the browser, where the console is.
  const login = ['--url', `${system.baseUrl}/console/`, 'login', '--email', owner.email, '--stdin'];
  expect(await waybill(login, { input: owner.password })).toMatchObject({ code: 0 });

  const other = createServer((_, res) =>
    res.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hi</p>'),
  );
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const env = { WAYBILL_API_KEY: 'wbk_x' };
    const exported = await waybill(['--url', url, 'products', 'export'], { env });
    expect(exported).toMatchObject({ code: 1, stderr: expect.stringContaining('Is the address right?') });
    // The client's own calls report this as well.
    const key = await waybill(['--url', url, 'login', '--api-key', '--stdin'], { input: 'wbk_x' });
    expect(key).toMatchObject({ code: 1, stderr: expect.not.stringContaining('Unexpected token') });
  } finally {
    other.close();
  }
});

test('an unreachable address and an unknown event are reported at once', async () => {
  const owner = await newPerson(system.baseUrl);
  const { secret: key } = await newKey(owner, await newStore(owner), scopes);
  const env = { WAYBILL_API_KEY: key };
  const cases: [string[], string][] = [
    [['webhooks', 'listen', '--forward-to', 'localhost:3000/webhooks'], 'http://127.0.0.1:3000/webhooks'],
    [['webhooks', 'trigger', 'order.created', '--forward-to', 'localhost:3000'], 'http://127.0.0.1:3000'],
    [['webhooks', 'listen', '--events', 'order.created,order.crated'], 'no event order.crated'],
  ];
  for (const [args, said] of cases)
    expect(await waybill(args, { env })).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
});

test('a person with more than a page of stores names any of them, and an app finds its draft among all', async () => {
  const rows =
    <Row>(key: string, all: readonly Row[]) =>
    (url: URL) => {
      const from = Number(url.searchParams.get('after') ?? 0);
      const limit = Math.min(Number(url.searchParams.get('limit') ?? 50), 200);
      const nextCursor = from + limit < all.length ? `${from + limit}` : null;
      return { [key]: all.slice(from, from + limit), total: all.length, nextCursor };
    };
  const many = Array.from({ length: 201 }, (_, i) => i);
  const scoped = { connectOrigins: [], blocks: [], islands: [] };
  const versions = many.map((i) => ({
    id: `ver_${i}`,
    number: 300 - i,
    ...scoped,
    // Only the oldest one requests the same.
    ...(i === 200 ? { state: 'draft', scopes: ['appdata.read', 'appdata.write'] } : { state: 'rejected' }),
  }));
  const replay = { id: 'whp_1', state: 'running', sent: 1, matched: 2 };
  let looks = 0;
  const answers: Record<string, (url: URL) => object> = {
    'GET /api/stores': rows(
      'stores',
      many.map((i) => ({ id: `str_${i}`, slug: `shop-${i}` })),
    ),
    'GET /api/stores/str_200/products': rows('products', []),
    'POST /api/stores/str_200/webhooks/whe_1/replay': () => ({ replay }),
    'GET /api/stores/str_200/webhooks/whe_1/replays/whp_1': () => {
      looks++;
      return { replay };
    },
    'GET /api/orgs/org_1/apps/app_1/versions': rows('versions', versions),
    'GET /api/orgs/org_1/apps/app_1/versions/ver_200': () => ({ version: versions[200] }),
    'PUT /api/orgs/org_1/apps/app_1/versions/ver_200/islands': () => ({ islands: [] }),
    'POST /api/orgs/org_1/apps/app_1/versions/ver_200/islands/module': () => ({ island: {} }),
    'PUT /api/orgs/org_1/apps/app_1/versions/ver_200/blocks': () => ({ blocks: [] }),
  };
  const server = createServer((req, res) => {
    const url = new URL(req.url!, 'http://server');
    const answer = answers[`${req.method} ${url.pathname}`];
    req.resume();
    res.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
    res.end(
      JSON.stringify(answer ? answer(url) : { error: `No ${req.method} ${req.url}`, code: 'not_found' }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const session = {
      accessToken: 'x',
      expiresAt: new Date(Date.now() + 900_000).toISOString(),
      refreshToken: 'y',
    };
    await mkdir(join(folder, '.config/waybill'), { recursive: true });
    const stored = { url, profiles: { [url]: session } };
    await writeFile(join(folder, '.config/waybill/credentials.json'), JSON.stringify(stored));
    const env = { WAYBILL_URL: url };
    expect(await waybill(['--store', 'shop-200', 'api', 'get', '/products'], { env })).toMatchObject({
      code: 0,
    });

    // A caller who does not wait for its end has not seen it.
    const replaying = watched(['--store', 'shop-200', 'webhooks', 'replay', 'whe_1', '--since', '1h'], env);
    await eventually(() => looks > 0, { withinMs: 30_000 });
    expect(await replaying.stop('SIGINT')).toBe(130);
    expect(replaying.output()).toContain('1 of 2 sent');

    await waybill(['init', 'tea'], { env });
    const file = join(folder, 'tea/waybill.json');
    const settings = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...settings, orgId: 'org_1', appId: 'app_1' }));
    expect(await waybill(['app', 'push', 'tea'], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('ver_200'),
    });
  } finally {
    server.close();
  }
});

test('a killed import continues with the rest, and writes nothing twice', async () => {
  const owner = await newPerson(system.baseUrl);
  const { secret: key } = await newKey(owner, await newStore(owner), scopes);
  const env = { WAYBILL_API_KEY: key };
  const count = 120;
  const rows = Array.from({ length: count }, (_, i) => `tea-${i},Tea ${i},active,T-${i},4.50,7`);
  const file = join(folder, 'teas.csv');
  await writeFile(file, `slug,name,status,sku,price,stock\n${rows.join('\n')}\n`);
  const journal = `${file}.waybill-import`;
  const done = async () => (await readFile(journal, 'utf8').catch(() => '')).split('\n').slice(1, -1);
  const typed = startAtTerminal(['products', 'import', file], env);
  const said = readAll(typed.stdout!);
  await eventually(async () => (await done()).length > 2, { withinMs: 30_000 });
  typed.stdin!.write('\u0003');
  expect(await new Promise((resolve) => typed.on('exit', resolve))).toBe(130);
  expect(await said).toContain('are left; the same command goes on with them.');

  const begun = (await done()).length;
  const first = watched(['products', 'import', file], env);
  await eventually(async () => (await done()).length > begun + 2, { withinMs: 30_000 });
  await first.stop('SIGKILL');
  const written = await done();
  expect(written.length).toBeLessThan(count);
  // Meanwhile some of it is sold, so the stock in the file is outdated.
  const call = createCaller(system.baseUrl, key);
  const sold = (await call('GET', `/api/v1/products?q=${written[0]}&limit=200`)).body.products.find(
    ({ slug }: { slug: string }) => slug === written[0],
  );
  const stock = `/api/v1/products/${sold.id}/variants/${sold.variants[0].id}/stock`;
  expect((await call('POST', stock, { delta: -3 })).status).toBeLessThan(300);

  const second = await waybill(['--json', 'products', 'import', file], { env });
  expect(second.code).toBe(0);
  const { created, kept } = JSON.parse(second.stdout);
  expect(created + kept).toBe(count);
  await expect(stat(journal)).rejects.toMatchObject({ code: 'ENOENT' });
  const lines = (await waybill(['products', 'export', '--format', 'jsonl'], { env })).stdout
    .trim()
    .split('\n');
  const products = lines.map((line) => JSON.parse(line));
  expect(products).toHaveLength(count);
  expect(products.find(({ slug }) => slug === written[0]).variants[0].stock).toBe(4);

  // An export contains the current state: importing it again changes nothing, as a table and as JSON lines.
  for (const out of ['all.csv', 'all.jsonl']) {
    await waybill(['products', 'export', '--out', out], { env });
    const again = await waybill(['--json', 'products', 'import', out], { env });
    expect(JSON.parse(again.stdout)).toMatchObject({ created: 0, changed: 0, kept: count });
  }
}, 60_000);

test.each([
  ['HUF', '12.34'],
  ['JPY', '1234'],
  ['KWD', '1.234'],
])('prices in %s are written and read with the decimals of the currency: %s', async (currency, price) => {
  const owner = await newPerson(system.baseUrl);
  const { store } = (await owner.call('POST', '/api/stores', { name: 'Tea House', currency })).body;
  const { secret: key } = await newKey(owner, store.id, scopes);
  const env = { WAYBILL_API_KEY: key };
  const file = join(folder, `${currency}.csv`);
  await writeFile(file, `name,price,stock\nTea,${price},1\n`);
  expect((await waybill(['products', 'import', file], { env })).code).toBe(0);
  const { products } = (await createCaller(system.baseUrl, key)('GET', '/api/v1/products')).body;
  expect(products[0].variants[0].priceCents).toBe(1234);
  expect((await waybill(['products', 'export'], { env })).stdout).toContain(`,${price},`);
});
