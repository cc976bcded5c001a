import { Answer, matchesIfNoneMatch, type RouteRequest } from '@waybill/kernel';
import type { StoredObject } from '@waybill/object-store';

const commonHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
  // Pages on other origins load modules with `crossorigin`, so that their integrity can be checked; consoles load
  // icons.
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
};

/**
 * Answers with an object whose address contains the SHA-256 (hex) of its bytes: cacheable forever, and `304` for a
 * client that has it.
 */
export function createImmutableAnswer(
  { stream, sizeBytes }: StoredObject,
  contentType: string,
  sha256: string,
  requestHeaders: RouteRequest['headers'],
  extraHeaders: Readonly<Record<string, string>> = {},
): Answer {
  const etag = `"${sha256}"`;
  const headers = { ...commonHeaders, ...extraHeaders, etag };
  if (!matchesIfNoneMatch(requestHeaders, etag)) {
    return new Answer(stream, contentType, { ...headers, 'content-length': String(sizeBytes) });
  }
  stream.destroy();
  return new Answer('', contentType, headers, 304);
}
