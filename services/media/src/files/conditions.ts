import type { ByteRange } from '@waybill/object-store';

type Header = string | string[] | undefined;

/** Whether the client's copy is still right: If-None-Match (RFC 9110, 13.1.2). */
export function isKnown(ifNoneMatch: Header, etag: string): boolean {
  if (typeof ifNoneMatch !== 'string') return false;
  return ifNoneMatch.trim() === '*' || tagsOf(ifNoneMatch).includes(etag);
}

const tagsOf = (list: string): string[] => [...list.matchAll(/"[^"]*"/g)].map(([tag]) => tag);

/**
 * The part that is asked for: Range and If-Range (RFC 9110, 13.1.5 and 14.2). Null: all of it; several ranges, or
 * something that is none, may be overlooked. `unsatisfiable`: it begins behind the end.
 */
export function rangeOf(
  range: Header,
  ifRange: Header,
  etag: string,
  size: number,
): ByteRange | 'unsatisfiable' | null {
  if (typeof range !== 'string' || (ifRange !== undefined && ifRange !== etag)) return null;
  const [, first, last] = /^bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(range) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return null;
  return start >= size ? 'unsatisfiable' : { start, end };
}
