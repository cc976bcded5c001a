import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Answer, isKnown } from '@waybill/kernel';

/** Bytes and the tag that tells them from others. */
export interface Tagged {
  body: Buffer;
  etag: string;
}

export function tagged(body: Buffer, ...more: string[]): Tagged {
  const hash = createHash('sha256').update(body);
  for (const text of more) hash.update(text);
  return { body, etag: `"${hash.digest('base64url').slice(0, 32)}"` };
}

/** The bytes, or `304` to who has them already. */
export function conditional(
  asked: IncomingHttpHeaders,
  { body, etag }: Tagged,
  contentType: string,
  headers: Readonly<Record<string, string>>,
): Answer {
  if (!isKnown(asked, etag)) return new Answer(body, contentType, { ...headers, etag });
  return new Answer('', contentType, { 'cache-control': headers['cache-control']!, etag }, 304);
}
