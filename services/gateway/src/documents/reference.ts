import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Answer } from '@waybill/kernel';
import Negotiator from 'negotiator';
import { escapeHtml, type Guide, readGuides } from './guides.ts';
import { guidePage, notFoundPage, overviewPage, referencePage, styleSheet } from './pages.ts';

/** The system's address in the guides' Markdown. A real address keeps the files readable and their examples usable. */
const writtenBaseUrl = 'http://127.0.0.1:8080';

/**
 * Starts the reference without external resources: no fonts, proxy or assistant. Credentials stay in the browser. The
 * reference hides parts marked `x-internal`, which makes client generators skip webhooks; the script removes the mark,
 * because readers want to see them.
 */
const start = `async function fetchWithWebhooks(input, init) {
  const response = await fetch(input, init);
  if (new URL(response.url).pathname !== '/openapi.json' || !response.ok) return response;
  const document = await response.json();
  for (const { post } of Object.values(document.webhooks || {})) delete post['x-internal'];
  return Response.json(document);
}

Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  customFetch: fetchWithWebhooks,
  persistAuth: true,
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultOpenAllTags: false,
  operationTitleSource: 'summary',
});
`;

const guidePolicy =
  "default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'";
/** Scalar writes its style sheet into the page, hence `unsafe-inline`. */
const referencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

const page = (html: string, policy: string, status?: number) =>
  new Answer(
    html,
    'text/html; charset=utf-8',
    {
      'content-security-policy': policy,
      'cache-control': status === 404 ? 'no-store' : 'public, max-age=300',
    },
    status,
  );

/** A file that is compressed once per encoding, at its first request. The largest file has four megabytes. */
interface File {
  type: string;
  bytes(): Promise<Buffer>;
}

const textFile = (type: string, text: string): File => ({ type, bytes: async () => Buffer.from(text) });

const encoders = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: promisify(gzip) as (bytes: Buffer) => Promise<Buffer>,
  identity: async (bytes: Buffer) => bytes,
};
type Encoding = keyof typeof encoders;

/**
 * Serves the guides and the interactive reference below `/docs`. Everything comes from this server, so it works without
 * internet access.
 */
export function createReference() {
  const guides = readGuides();
  const bySlug = new Map<string, Guide>(guides.map((guide) => [guide.slug, guide]));
  const files = new Map<string, File>([
    ['docs.css', textFile('text/css; charset=utf-8', styleSheet)],
    ['start.js', textFile('text/javascript; charset=utf-8', start)],
    [
      'reference.js',
      {
        type: 'text/javascript; charset=utf-8',
        bytes: () =>
          readFile(new URL('./browser/standalone.js', import.meta.resolve('@scalar/api-reference'))),
      },
    ],
  ]);
  const encoded = new Map<string, Promise<Buffer>>();

  function encodeFile(name: string, file: File, encoding: Encoding): Promise<Buffer> {
    const key = `${encoding} ${name}`;
    const encodedBytes = encoded.get(key) ?? file.bytes().then(encoders[encoding]);
    encoded.set(key, encodedBytes);
    // A failed read is tried again at the next request.
    encodedBytes.catch(() => encoded.delete(key));
    return encodedBytes;
  }

  /** Replaces the guides' address by the one at which the system is reached. */
  const at = (html: string, baseUrl: string) => html.replaceAll(writtenBaseUrl, escapeHtml(baseUrl));

  return {
    overview: (baseUrl: string) => page(at(overviewPage(guides), baseUrl), guidePolicy),
    /**
     * Returns a guide, the reference or one of its files by name. If there is none, a browser gets a page that says so,
     * and any other client null.
     */
    async part(
      name: string,
      baseUrl: string,
      headers: Readonly<Record<string, string | string[] | undefined>>,
    ) {
      if (name === 'reference') return page(referencePage, referencePolicy);
      const guide = bySlug.get(name);
      if (guide) return page(at(guidePage(guides, guide), baseUrl), guidePolicy);
      const file = files.get(name);
      const negotiator = new Negotiator({ headers });
      if (!file) {
        const isForReading = negotiator.mediaType(['application/json', 'text/html']) === 'text/html';
        return isForReading ? page(notFoundPage(guides), guidePolicy, 404) : null;
      }
      const accepted = negotiator.encodings(['br', 'gzip', 'identity'])[0] as Encoding | undefined;
      const encoding = accepted ?? 'identity';
      return new Answer(await encodeFile(name, file, encoding), file.type, {
        vary: 'Accept-Encoding',
        'cache-control': 'public, max-age=3600',
        ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      });
    },
  };
}
