import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Answer } from '@waybill/kernel';
import Negotiator from 'negotiator';
import { escapeHtml, type Guide, readGuides } from './guides.ts';
import { guidePage, overviewPage, referencePage, styleSheet } from './pages.ts';

/** What the guides' Markdown calls the system's address, so that it can be read and copied as a file, too. */
const writtenBaseUrl = 'http://127.0.0.1:8080';

/**
 * Nothing is asked of anybody else: no fonts, no proxy, no assistant. The sign-in stays in the browser. The reference hides
 * what is `x-internal`; generators of clients skip the webhooks by it, readers want to see them.
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
/** Scalar writes its style sheet into the page. */
const referencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

const page = (html: string, policy: string) =>
  new Answer(html, 'text/html; charset=utf-8', {
    'content-security-policy': policy,
    'cache-control': 'public, max-age=300',
  });

/** A file in the encodings that clients take, the largest of four megabytes: each is made once, for who first asks. */
interface File {
  type: string;
  bytes(): Promise<Buffer>;
}

const asText = (type: string, text: string): File => ({ type, bytes: async () => Buffer.from(text) });

const encoders = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: promisify(gzip) as (bytes: Buffer) => Promise<Buffer>,
  identity: async (bytes: Buffer) => bytes,
};
type Encoding = keyof typeof encoders;

/** The guides and the interactive reference below `/docs`, all of it from this server: it works without internet. */
export function createReference() {
  const guides = readGuides();
  const bySlug = new Map<string, Guide>(guides.map((guide) => [guide.slug, guide]));
  const files = new Map<string, File>([
    ['docs.css', asText('text/css; charset=utf-8', styleSheet)],
    ['start.js', asText('text/javascript; charset=utf-8', start)],
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

  function inEncoding(name: string, file: File, encoding: Encoding): Promise<Buffer> {
    const key = `${encoding} ${name}`;
    const made = encoded.get(key) ?? file.bytes().then(encoders[encoding]);
    encoded.set(key, made);
    // What could not be read is tried again.
    made.catch(() => encoded.delete(key));
    return made;
  }

  /** With the address that the system is reached at in the place of the one that the guides' text names. */
  const at = (html: string, baseUrl: string) => html.replaceAll(writtenBaseUrl, escapeHtml(baseUrl));

  return {
    overview: (baseUrl: string) => page(at(overviewPage(guides), baseUrl), guidePolicy),
    /** A guide, the reference or a file of it, by its name; null: there is none. */
    async part(
      name: string,
      baseUrl: string,
      headers: Readonly<Record<string, string | string[] | undefined>>,
    ) {
      if (name === 'reference') return page(referencePage, referencePolicy);
      const guide = bySlug.get(name);
      if (guide) return page(at(guidePage(guides, guide), baseUrl), guidePolicy);
      const file = files.get(name);
      if (!file) return null;
      const wanted = new Negotiator({ headers }).encodings(['br', 'gzip', 'identity'])[0] as
        | Encoding
        | undefined;
      const encoding = wanted ?? 'identity';
      return new Answer(await inEncoding(name, file, encoding), file.type, {
        vary: 'Accept-Encoding',
        'cache-control': 'public, max-age=3600',
        ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      });
    },
  };
}
