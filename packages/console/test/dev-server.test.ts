import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { transform } from 'lightningcss';
import { createElement, type FunctionComponent, type ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import type { ViteDevServer } from 'vite';
import { requireSystem, startDevServer } from '../dev/server.ts';

/** Of the tests alone, and kept: preparing the libraries takes seconds. */
const cacheFolder = fileURLToPath(new URL('../../../.runtime/console-dev-test', import.meta.url));

/** A system that says what it has received. */
let system: Server;
let dev: ViteDevServer;

const getOrigin = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const devOrigin = () => new URL(dev.resolvedUrls!.local[0]!).origin;

const policies: Readonly<Record<string, string>> = {
  '/console/':
    "default-src 'none'; script-src system/console/assets/; style-src system/console/assets/ 'sha256-a='",
  '/console/frame': "default-src 'none'; img-src 'self' https:",
  '/console/mail-frame': 'sandbox allow-same-origin',
};

async function startFake(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const policy = policies[request.url!];
    if (policy) response.setHeader('content-security-policy', policy);
    response.setHeader('set-cookie', 'waybill-session-80=b; Path=/api/auth; HttpOnly; SameSite=Strict');
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, headers, body: await text(request) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

beforeAll(async () => {
  system = await startFake();
  dev = await startDevServer({ system: getOrigin(system), port: 0, cacheFolder });
});

afterAll(async () => {
  await dev?.close();
  system?.closeAllConnections();
  system?.close();
});

const page = async (path: string) => {
  const reply = await fetch(devOrigin() + path, { headers: { accept: 'text/html' } });
  return { reply, html: await reply.text() };
};

test('every screen gets the page, with the sources as its entry and the policy of the system', async () => {
  const { reply, html } = await page('/console/stores/str_1/products?q=tea');
  expect(reply.status).toBe(200);
  expect(html).toContain('src="/console/src/main.tsx"');
  expect(html).toContain('/console/@vite/client');
  const nonce = /nonce="([^"]+)"/.exec(html)![1];
  expect(reply.headers.get('content-security-policy')).toBe(
    `default-src 'none'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}' 'sha256-a='`,
  );
});

test('the entry is served as JavaScript that can be replaced while it runs', async () => {
  const reply = await fetch(`${devOrigin()}/console/src/main.tsx`);
  expect(reply.headers.get('content-type')).toContain('text/javascript');
  const script = await reply.text();
  expect(script).toContain('/console/src/routes.ts');
  expect(script).not.toContain('<StrictMode>');
  const component = await (await fetch(`${devOrigin()}/console/src/ui/button.tsx`)).text();
  expect(component).toContain('$RefreshReg$');
});

test('texts are compiled as the built console has them', async () => {
  const script = await (await fetch(`${devOrigin()}/console/src/texts/en/products.ts`)).text();
  expect(script).toContain('(formatter) =>');
  expect(script).not.toContain('plural, one');
});

test('classes have the names that the built console gives them', async () => {
  const { exports } = transform({
    filename: 'src/ui/button.module.css',
    code: await readFile(new URL('../src/ui/button.module.css', import.meta.url)),
    cssModules: true,
  });
  const script = await (await fetch(`${devOrigin()}/console/src/ui/button.module.css?import`)).text();
  expect(script).toContain(exports!.button!.name);
});

test('the page of all parts is beside the console, and each part renders', async () => {
  const { html } = await page('/console/ui');
  expect(html).toContain('src="/console/dev/gallery/main.tsx"');
  const { parts } = await dev.ssrLoadModule('/dev/gallery/parts.ts');
  const { Providers } = await dev.ssrLoadModule('/dev/gallery/providers.tsx');
  expect(parts.length).toBeGreaterThan(30);
  expect(parts.flatMap(([name, part]: [string, Part]) => findFailures(name, part, Providers))).toEqual([]);
});

interface Part {
  examples: Record<string, ReactNode>;
}

/** The examples of a part that throw when they are rendered. */
function findFailures(name: string, { examples }: Part, providers: FunctionComponent): string[] {
  return Object.entries(examples).flatMap(([state, example]) => {
    try {
      return renderToString(createElement(providers, null, example)) === ''
        ? [`${name}: ${state} is empty`]
        : [];
    } catch (error) {
      return [`${name}: ${state}: ${error}`];
    }
  });
}

interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

test('the API receives requests as from a page of its own origin, with cookie and body', async () => {
  const origin = devOrigin();
  const reply = await fetch(`${origin}/api/auth/login?a=1`, {
    method: 'POST',
    headers: { cookie: 'waybill-session-80=a', origin, 'sec-fetch-site': 'same-origin' },
    body: 'x'.repeat(100_000),
  });
  expect(reply.headers.get('set-cookie')).toContain('waybill-session-80=b; Path=/api/auth');
  const received = (await reply.json()) as Received;
  expect(received).toMatchObject({ method: 'POST', url: '/api/auth/login?a=1', body: 'x'.repeat(100_000) });
  expect(received.headers).toMatchObject({
    host: new URL(origin).host,
    origin,
    cookie: 'waybill-session-80=a',
  });
});

test.each(['/console/frame', '/console/mail-frame', '/media/a.jpeg', '/docs', '/'])(
  '%s is the system’s',
  async (path) => {
    const { reply, html } = await page(path);
    expect((JSON.parse(html) as Received).url).toBe(path);
    const { port } = new URL(getOrigin(system));
    const files = `img-src 'self' http://localhost:${port} http://127.0.0.1:${port}`;
    expect(reply.headers.get('content-security-policy')).toBe(
      policies[path]?.replace("img-src 'self'", files) ?? null,
    );
  },
);

test('a system that does not answer, or is something else, is named', async () => {
  const stopped = await startFake();
  const origin = getOrigin(stopped);
  stopped.close();
  await once(stopped, 'close');
  await expect(requireSystem(origin)).rejects.toThrow(`Nothing answers at ${origin}.`);
  await expect(requireSystem(getOrigin(system))).resolves.toBeUndefined();
  const other = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  try {
    await expect(requireSystem(getOrigin(other))).rejects.toThrow('has no Waybill console');
  } finally {
    other.closeAllConnections();
    other.close();
  }
});
