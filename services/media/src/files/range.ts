import type { ByteRange } from '@waybill/object-store';
import parseRange from 'range-parser';

type Header = string | string[] | undefined;

/**
 * The part that is asked for: Range and If-Range (RFC 9110, 13.1.5 and 14.2). Null: all of it; several ranges, or
 * something that is none, may be overlooked. `unsatisfiable`: no byte of it is in the file.
 */
export function rangeOf(
  range: Header,
  ifRange: Header,
  etag: string,
  size: number,
): ByteRange | 'unsatisfiable' | null {
  if (typeof range !== 'string' || !/^bytes\s*=/i.test(range) || (ifRange !== undefined && ifRange !== etag))
    return null;
  const [, first, last] = /=\s*(\d+)\s*-\s*(\d+)\s*$/.exec(range) ?? [];
  // An end before the beginning is no range at all; the parser takes it for one that is not in the file.
  if (Number(last) < Number(first)) return null;
  const ranges = parseRange(size, range);
  if (ranges === -2) return null;
  // The last bytes, and more of them than there are, are all of it; the parser takes them for unsatisfiable.
  if (ranges === -1) return /[=,]\s*-\s*0*[1-9]/.test(range) ? { start: 0, end: size - 1 } : 'unsatisfiable';
  return ranges.length === 1 ? ranges[0]! : null;
}
