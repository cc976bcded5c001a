import { createHash } from 'node:crypto';
import { Answer } from '@waybill/kernel';

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
  ifNoneMatch: string | string[] | undefined,
  { body, etag }: Tagged,
  contentType: string,
  headers: Readonly<Record<string, string>>,
): Answer {
  if (!matches(ifNoneMatch, etag)) return new Answer(body, contentType, { ...headers, etag });
  return new Answer('', contentType, { 'cache-control': headers['cache-control']!, etag }, 304);
}

/** RFC 9110, 13.1.2: a list of tags, weakly compared, or any. */
function matches(header: string | string[] | undefined, etag: string): boolean {
  const tags = String(header ?? '').split(',');
  return tags.some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}
