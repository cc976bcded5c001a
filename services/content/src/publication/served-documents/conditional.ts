import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Answer, matchesIfNoneMatch } from '@waybill/kernel';
import Negotiator from 'negotiator';
import { isAtOwnOrigin } from '../rendering/policy.ts';

/** Pages are compressed while their first visitor waits: the last few per cent would take ten times as long. */
const encoders = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
};
type Encoding = keyof typeof encoders;
/** Fewer bytes fit into one packet anyway. */
const minCompressedBytes = 1_000;

/** Bytes with their ETag. */
export interface TaggedBody {
  body: Buffer;
  etag: string;
  /** The bytes in other encodings, each made at its first request. */
  encoded: Map<Encoding, Promise<Buffer>>;
}

/** Builds the ETag of bytes from them and from everything else sent with them. */
export function tagBytes(body: Buffer, ...extraTexts: string[]): TaggedBody {
  const hash = createHash('sha256').update(body);
  for (const text of extraTexts) hash.update(text);
  return { body, etag: `"${hash.digest('base64url').slice(0, 32)}"`, encoded: new Map() };
}

/** Estimates the memory of bytes with their other encodings. */
export const estimateBytes = ({ body }: TaggedBody): number => Math.ceil(body.length * 1.5);

/** Answers with the bytes in an encoding that the client accepts, or with `304`. Each encoding has a tag of its own. */
export async function answerConditionally(
  requestHeaders: IncomingHttpHeaders,
  { body, etag: plainTag, encoded }: TaggedBody,
  contentType: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const encoding = chooseEncoding(requestHeaders, body);
  const etag = encoding ? `${plainTag.slice(0, -1)}-${encoding}"` : plainTag;
  // Answers below `/s` also depend on `Sec-Fetch-Dest`. This header replaces the one that the gateway adds, so it has
  // to name both.
  const vary = isAtOwnOrigin(requestHeaders) ? 'Accept-Encoding' : 'Accept-Encoding, Sec-Fetch-Dest';
  if (matchesIfNoneMatch(requestHeaders, etag))
    return new Answer('', contentType, { 'cache-control': headers['cache-control']!, etag, vary }, 304);
  if (!encoding) return new Answer(body, contentType, { ...headers, etag, vary });
  const encodedBody = encoded.get(encoding) ?? encoders[encoding](body);
  encoded.set(encoding, encodedBody);
  return new Answer(await encodedBody, contentType, { ...headers, etag, vary, 'content-encoding': encoding });
}

function chooseEncoding(requestHeaders: IncomingHttpHeaders, body: Buffer): Encoding | undefined {
  if (requestHeaders['accept-encoding'] === undefined || body.length < minCompressedBytes) return undefined;
  const accepted = new Negotiator({ headers: requestHeaders }).encodings(['br', 'gzip', 'identity']);
  if (accepted[0] === 'identity') return undefined;
  // Browsers list several encodings with equal weight, the oldest first.
  return (['br', 'gzip'] as const).find((each) => accepted.includes(each));
}
