import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { createLogger, createServer, type Plugin, type ProxyOptions, type ViteDevServer } from 'vite';
import { lateMoneyForms, styleTargets } from '../bundle.ts';
import { compileCatalogues } from '../catalogues.ts';
import { renderConsolePage } from '../page.ts';

const consoleFolder = fileURLToPath(new URL('..', import.meta.url));
const repository = join(consoleFolder, '../..');

export interface DevServerOptions {
  /** Origin of the running system, such as `http://localhost:8080`. */
  system: string;
  /** Undefined: 5173, or the next free one. */
  port?: number | undefined;
  /** Whether English is shown in the pseudo-locale. */
  isPseudo?: boolean;
  /** Where Vite keeps the libraries that it has prepared for the browser. */
  cacheFolder?: string;
}

/** Something that the developer can put right; shown as one line. */
export class DevServerError extends Error {}

const nothingAnswers = (system: string) =>
  `Nothing answers at ${system}. Run \`npm start\` first, or name another system by \`npm run console:dev -- --system <address>\`.`;

/** Throws a `DevServerError` unless a Waybill answers at an origin. */
export async function requireSystem(system: string): Promise<void> {
  const reply = await fetch(new URL('/console/mail-frame', system), {
    signal: AbortSignal.timeout(10_000),
  }).catch(() => null);
  if (!reply) throw new DevServerError(nothingAnswers(system));
  await reply.body?.cancel();
  if (!reply.ok || !reply.headers.get('content-security-policy')?.startsWith('sandbox'))
    throw new DevServerError(`The server at ${system} answers, but has no Waybill console.`);
}

/**
 * Starts Vite with the console's sources at `/console/` and the page of all parts at `/console/ui`. Every other request
 * goes to the running system. The caller closes the server.
 */
export async function startDevServer({
  system,
  port,
  isPseudo = false,
  cacheFolder = join(repository, '.runtime/console-dev'),
}: DevServerOptions): Promise<ViteDevServer> {
  const nonce = randomUUID();
  const toSystem = proxyTo(system);
  const server = await createServer({
    configFile: false,
    envDir: false,
    root: consoleFolder,
    base: '/console/',
    appType: 'custom',
    publicDir: false,
    cacheDir: cacheFolder,
    clearScreen: false,
    customLogger: quietLogger(),
    html: { cspNonce: nonce },
    css: { transformer: 'lightningcss', lightningcss: { targets: styleTargets } },
    // All libraries are known from the start. One that is found later would reload the page and lose what is typed.
    optimizeDeps: { entries: Object.values(entries) },
    plugins: [
      react(),
      // The bundler's type of a plugin is of another version than Vite's.
      ...([lateMoneyForms, compileCatalogues({ isPseudo })] as unknown as Plugin[]),
      pages(system, nonce),
    ],
    server: {
      port: port ?? 5173,
      strictPort: port !== undefined,
      cors: false,
      proxy: { [frames.source]: toSystem, '^/(?!console(?:[/?]|$))': toSystem },
    },
  });
  await server.listen();
  return server;
}

/** Pages for documents that the console fills itself. The system serves them with policies of their own. */
const frames = /^\/console\/(?:mail-)?frame(?:\?|$)/;

const entries = { console: 'src/main.tsx', gallery: 'dev/gallery/main.tsx' };

const isLoopback = (origin: string) => /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(origin).hostname);

/** Forwards requests with the browser's `Host`, so that the system sees a page of its own origin. */
function proxyTo(system: string): ProxyOptions {
  return {
    target: system,
    // A system elsewhere may be known only by its own name.
    changeOrigin: !isLoopback(system),
    configure(proxy) {
      proxy.on('proxyRes', ({ headers }) => {
        const policy = headers['content-security-policy'];
        if (typeof policy === 'string') headers['content-security-policy'] = allowSystemFiles(system, policy);
      });
      // The console finds the system unreachable, as it does in production, instead of receiving an error from Vite.
      proxy.on('error', (_error, request) => request.socket.destroy());
    },
  };
}

/**
 * Lets a page load the system's files. The API names them by the system's own address, which here is not the page's
 * origin. On this machine, a system is reached by one loopback address and names its files by the other.
 */
function allowSystemFiles(system: string, policy: string): string {
  const { protocol, port } = new URL(system);
  const hosts = ['localhost', '127.0.0.1'].map((name) => `${protocol}//${name}:${port || 80}`);
  const origins = isLoopback(system) ? hosts : [system];
  return policy.replace(/\b(?:img|media|font)-src 'self'/g, (directive) => [directive, ...origins].join(' '));
}

/** Vite would report every request that finds the system stopped with a stack trace. */
function quietLogger() {
  const logger = createLogger('info', { allowClearScreen: false });
  const { error } = logger;
  logger.error = (message, options) => {
    if (message.includes('http proxy error')) logger.warnOnce('The system no longer answers.');
    else error(message, options);
  };
  return logger;
}

/** Serves the page for every address of a screen. */
const pages = (system: string, nonce: string): Plugin => ({
  name: 'console-pages',
  configureServer(server) {
    server.middlewares.use((request, response, next) => {
      if (isPageRequest(request)) servePage(server, { request, response, system, nonce }).catch(next);
      else next();
    });
  },
});

function isPageRequest({ method, url = '', headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    /^\/console(?:[/?]|$)/.test(url) &&
    !frames.test(url) &&
    headers.accept?.includes('text/html') === true
  );
}

async function servePage(
  server: ViteDevServer,
  {
    request,
    response,
    system,
    nonce,
  }: { request: IncomingMessage; response: ServerResponse; system: string; nonce: string },
): Promise<void> {
  const entry = /^\/console\/ui\/?(?:\?|$)/.test(request.url!) ? entries.gallery : entries.console;
  const headers = await pageHeaders(system, nonce);
  if (!headers) {
    response.writeHead(502, { 'content-type': 'text/plain; charset=utf-8' }).end(nothingAnswers(system));
    return;
  }
  const page = renderConsolePage(
    [
      // Trusted types forbid the worker in which Vite waits for a restarted server. Without it, Vite waits in the page.
      '<script>delete window.SharedWorker</script>',
      `<script type="module" src="/${entry}"></script>`,
    ].join('\n'),
  );
  response
    .writeHead(200, { ...headers, 'content-type': 'text/html; charset=utf-8' })
    .end(await server.transformIndexHtml('/index.html', page));
}

/** Headers that decide what a page may do. */
const passedOn = [
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'cache-control',
];

/**
 * Returns the headers of the system's own console, so that a breach of its policy shows in development. The policy
 * additionally allows what Vite serves. Null if nothing answers.
 */
async function pageHeaders(system: string, nonce: string): Promise<Record<string, string> | null> {
  const reply = await fetch(new URL('/console/', system), { method: 'HEAD' }).catch(() => null);
  if (!reply) return null;
  return Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = reply.headers.get(name);
      if (value === null) return [];
      const allowed = allowSystemFiles(system, value);
      return [[name, allowed.replace(/\b(script-src|style-src) [^\s;]+/g, `$1 'self' 'nonce-${nonce}'`)]];
    }),
  );
}
