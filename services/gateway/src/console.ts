import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, extname, join } from 'node:path';
import { buildConsole } from '@waybill/console';
import { errors } from '@waybill/contracts';
import type { Log } from '@waybill/kernel';
import { frameSources } from '@waybill/page';
import Negotiator from 'negotiator';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const encodings = { br: '.br', gzip: '.gz', identity: '' } as const;
type Encoding = keyof typeof encodings;

interface File {
  type: string;
  bodies: ReadonlyMap<Encoding, Buffer>;
}

/** The console's page and its assets by name; null until they are built, or if the build failed. */
interface Files {
  page: File;
  assets: ReadonlyMap<string, File>;
}

/**
 * Creates the handler of `/console`: files that are built once and kept in memory. Addresses without a file belong to
 * screens and get the page. The API starts and runs without the console.
 */
export function createConsole(log: Log, baseUrl: string) {
  // The API's URLs of media begin with `PUBLIC_BASE_URL`, also for somebody who came by another name of this host, such
  // as localhost.
  const own = ["'self'", URL.parse(baseUrl)?.origin].filter(Boolean).join(' ');
  const framePolicies = framePoliciesFor(own);
  let files: Files | null = null;
  const built = buildConsole()
    .then(readFiles)
    .then(
      (read) => {
        files = read;
      },
      (error) => log.error({ err: error }, 'the console could not be built: /console answers 503'),
    );

  return {
    /** Whether a path of the system's own host belongs to the console. */
    isAt: (path: string): boolean => path === '/console' || path.startsWith('/console/'),

    /** Answers a request for the console. Throws `method_not_allowed`, `not_found`, `resource_unavailable`. */
    async answer(req: IncomingMessage, res: ServerResponse, path: string): Promise<void> {
      if (req.method !== 'GET' && req.method !== 'HEAD')
        throw errors.method_not_allowed({ headers: { allow: 'GET, HEAD' } });
      const framed = framePolicies[path];
      if (framed) return answerFrame(req, res, framed);
      await built;
      if (!files) throw errors.resource_unavailable();
      const isAsset = path.startsWith('/console/assets/');
      const file = isAsset ? files.assets.get(basename(path)) : files.page;
      if (!file) throw errors.not_found();
      const accepted = new Negotiator(req).encodings([...file.bodies.keys()])[0] as Encoding | undefined;
      const encoding = accepted ?? 'identity';
      const body = file.bodies.get(encoding)!;
      res.writeHead(200, {
        'content-type': file.type,
        'content-length': body.length,
        ...(encoding !== 'identity' && { 'content-encoding': encoding }),
        vary: 'Accept-Encoding',
        ...(isAsset ? immutable : pageHeaders(req.headers.host, own)),
      });
      res.end(req.method === 'HEAD' ? undefined : body);
    },
  };
}

const immutable = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * Hash of the only style sheet that React Aria writes into the page itself: it stops buttons from scrolling under a
 * finger.
 */
const pressableStyle = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='";

/**
 * Returns the headers of the console's page; `own` are the sources of the store's pictures and films. Only the console's
 * own files may run, not files on other paths of this host, such as the islands of apps: `decisions.md 17.7`.
 */
function pageHeaders(host: string | undefined, own: string): Record<string, string> {
  const assetsSource = host ? `${host}/console/assets/` : "'self'";
  const policy = [
    "default-src 'none'",
    `script-src ${assetsSource}`,
    `style-src ${assetsSource} ${pressableStyle}`,
    `img-src ${own} blob: data:`,
    `media-src ${own} blob:`,
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self' blob:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ];
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'cache-control': 'no-cache',
  };
}

const frame =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page</title><base target="_blank"></head><body></body></html>';

/**
 * Policy of the frame that shows pages. It allows the same resources as live pages, so that both look the same. No
 * scripts run in any page, and no form is sent. Styles come as adopted sheets. `decisions.md 17.7`.
 */
const framePolicyFor = (own: string) =>
  [
    // Stops scripts too. `sandbox` must not: WebKit delivers no events in a frame without `allow-scripts`, and
    // Chromium warns of a frame that has it together with `allow-same-origin`.
    "default-src 'none'",
    `img-src ${own} https:`,
    `media-src ${own} https:`,
    "font-src 'self'",
    `frame-src ${frameSources.join(' ')}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');

/**
 * Policy of the frame that shows mails, whose styles are inline and whose logo is a data URL. No scripts run and no
 * form is sent.
 */
const mailPolicyFor = (own: string) =>
  [
    'sandbox allow-same-origin',
    "default-src 'none'",
    `img-src ${own} https: data:`,
    "style-src 'unsafe-inline'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');

/** Frames that the console fills itself, to show or edit what merchants and apps have made. */
const framePoliciesFor = (own: string): Readonly<Record<string, string>> => ({
  '/console/frame': framePolicyFor(own),
  '/console/mail-frame': mailPolicyFor(own),
});

function answerFrame(req: IncomingMessage, res: ServerResponse, policy: string): void {
  res.writeHead(200, {
    'content-type': types['.html'],
    'content-length': Buffer.byteLength(frame),
    'content-security-policy': policy,
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'cache-control': 'no-cache',
  });
  res.end(req.method === 'HEAD' ? undefined : frame);
}

async function readFiles(folder: string): Promise<Files> {
  const names = (await readdir(join(folder, 'assets'))).filter((name) => types[extname(name)]);
  const assets = await Promise.all(
    names.map(async (name) => [name, await readEncodings(join(folder, 'assets', name))] as const),
  );
  return { page: await readEncodings(join(folder, 'index.html')), assets: new Map(assets) };
}

/** Reads a file in all its stored encodings. */
async function readEncodings(path: string): Promise<File> {
  const bodies = await Promise.all(
    Object.entries(encodings).map(async ([encoding, ending]) => {
      const body = await readFile(path + ending).catch(() => null);
      return body && ([encoding as Encoding, body] as const);
    }),
  );
  return { type: types[extname(path)]!, bodies: new Map(bodies.filter((entry) => entry !== null)) };
}
