import type { ByteRange } from '@waybill/object-store';
import parseRange from 'range-parser';

type Header = string | string[] | undefined;

/**
 * Returns the requested part of a file by Range and If-Range (RFC 9110, 13.1.5 and 14.2). Null means the whole file,
 * also for several ranges or a malformed one, which may be ignored. `unsatisfiable` means that no requested byte is in
 * the file.
 */
export function resolveRange(
  range: Header,
  ifRange: Header,
  etag: string,
  size: number,
): ByteRange | 'unsatisfiable' | null {
  if (typeof range !== 'string' || !/^bytes\s*=/i.test(range) || (ifRange !== undefined && ifRange !== etag))
    return null;
  const [, first, last] = /=\s*(\d+)\s*-\s*(\d+)\s*$/.exec(range) ?? [];
  // An end before the start makes the range malformed, but the parser reports it as outside the file.
  if (Number(last) < Number(first)) return null;
  const ranges = parseRange(size, range);
  if (ranges === -2) return null;
  // A request for more last bytes than the file has means the whole file, but the parser reports it as unsatisfiable.
  if (ranges === -1) return /[=,]\s*-\s*0*[1-9]/.test(range) ? { start: 0, end: size - 1 } : 'unsatisfiable';
  return ranges.length === 1 ? ranges[0]! : null;
}
