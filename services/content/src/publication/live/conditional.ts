import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Answer, isKnown } from '@waybill/kernel';
import Negotiator from 'negotiator';
import { isAtOwnOrigin } from '../rendering/policy.ts';

/** A page is encoded while its first visitor waits: the last few per cent would take ten times as long. */
const encoders = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
};
type Encoding = keyof typeof encoders;
/** Less than this is one packet anyway. */
const fewBytes = 1_000;

/** Bytes and the tag that tells them from others. */
export interface Tagged {
  body: Buffer;
  etag: string;
  /** The bytes in other encodings, each made for who first asks for it. */
  encoded: Map<Encoding, Promise<Buffer>>;
}

/** Bytes with a tag made of them and of whatever else is sent with them. */
export function tagged(body: Buffer, ...more: string[]): Tagged {
  const hash = createHash('sha256').update(body);
  for (const text of more) hash.update(text);
  return { body, etag: `"${hash.digest('base64url').slice(0, 32)}"`, encoded: new Map() };
}

/** How many bytes of memory it takes, with what it is in other encodings. */
export const weightOf = ({ body }: Tagged): number => Math.ceil(body.length * 1.5);

/** The bytes as whoever asks takes them, or `304` to who has them already. Of each encoding the tag is another. */
export async function conditional(
  asked: IncomingHttpHeaders,
  { body, etag: plainTag, encoded }: Tagged,
  contentType: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const encoding = encodingFor(asked, body);
  const etag = encoding ? `${plainTag.slice(0, -1)}-${encoding}"` : plainTag;
  // What is shown in place depends on who asks, too: the gateway says so, and this takes the place of what it says.
  const vary = isAtOwnOrigin(asked) ? 'Accept-Encoding' : 'Accept-Encoding, Sec-Fetch-Dest';
  if (isKnown(asked, etag))
    return new Answer('', contentType, { 'cache-control': headers['cache-control']!, etag, vary }, 304);
  if (!encoding) return new Answer(body, contentType, { ...headers, etag, vary });
  const made = encoded.get(encoding) ?? encoders[encoding](body);
  encoded.set(encoding, made);
  return new Answer(await made, contentType, { ...headers, etag, vary, 'content-encoding': encoding });
}

function encodingFor(asked: IncomingHttpHeaders, body: Buffer): Encoding | undefined {
  if (asked['accept-encoding'] === undefined || body.length < fewBytes) return undefined;
  const taken = new Negotiator({ headers: asked }).encodings(['br', 'gzip', 'identity']);
  if (taken[0] === 'identity') return undefined;
  // Browsers name several alike, the oldest first.
  return (['br', 'gzip'] as const).find((each) => taken.includes(each));
}
