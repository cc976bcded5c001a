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

/** The console's page, and what it leads to by name; null until it is built, or where that failed. */
interface Files {
  page: File;
  assets: ReadonlyMap<string, File>;
}

/**
 * What answers below `/console`: files, built once and kept in memory. Every address that is none of a file's is a
 * screen's, and gets the page. The API starts and runs without it.
 */
export function createConsole(log: Log) {
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
    /** Whether a path of the system's own host is the console's. */
    isAt: (path: string): boolean => path === '/console' || path.startsWith('/console/'),

    /** Throws `method_not_allowed`, `not_found`, `resource_unavailable`. */
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
      const wanted = new Negotiator(req).encodings([...file.bodies.keys()])[0] as Encoding | undefined;
      const encoding = wanted ?? 'identity';
      const body = file.bodies.get(encoding)!;
      res.writeHead(200, {
        'content-type': file.type,
        'content-length': body.length,
        ...(encoding !== 'identity' && { 'content-encoding': encoding }),
        vary: 'Accept-Encoding',
        ...(isAsset ? immutable : pageHeaders(req.headers.host)),
      });
      res.end(req.method === 'HEAD' ? undefined : body);
    },
  };
}

const immutable = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
};

/** The one style sheet that React Aria writes into the page by itself: buttons do not scroll under a finger. */
const pressableStyle = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='";

/**
 * Nothing but the console's own files runs, and what is on other paths of this host, as apps' islands are, does not:
 * `decisions.md 17.7`.
 */
function pageHeaders(host: string | undefined): Record<string, string> {
  const own = host ? `${host}/console/assets/` : "'self'";
  const policy = [
    "default-src 'none'",
    `script-src ${own}`,
    `style-src ${own} ${pressableStyle}`,
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
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
 * What may be loaded there is what may be on a live page, so that it looks the same; nothing runs, whatever a page
 * holds, and nothing of it is sent. Its styles are adopted sheets. `decisions.md 17.7`.
 */
const framePolicy = [
  // WebKit lets nobody listen in a frame that may run nothing at all; what would run there the next line stops.
  'sandbox allow-same-origin allow-scripts',
  "default-src 'none'",
  "img-src 'self' https:",
  "media-src 'self' https:",
  "font-src 'self'",
  `frame-src ${frameSources.join(' ')}`,
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** Mails have their styles inlined, and their logo as data; nothing runs there, and nothing is sent. */
const mailPolicy = [
  'sandbox allow-same-origin',
  "default-src 'none'",
  "img-src 'self' https: data:",
  "style-src 'unsafe-inline'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** Where the console draws what merchants and apps have made, to look at or to edit: in frames that it fills itself. */
const framePolicies: Readonly<Record<string, string>> = {
  '/console/frame': framePolicy,
  '/console/mail-frame': mailPolicy,
};

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

/** A file in the encodings that it is kept in. */
async function readEncodings(path: string): Promise<File> {
  const bodies = await Promise.all(
    Object.entries(encodings).map(async ([encoding, ending]) => {
      const body = await readFile(path + ending).catch(() => null);
      return body && ([encoding as Encoding, body] as const);
    }),
  );
  return { type: types[extname(path)]!, bodies: new Map(bodies.filter((entry) => entry !== null)) };
}
