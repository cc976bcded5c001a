import { MIMEType } from 'node:util';
import { errors, type Problem } from '@waybill/contracts';
import express, { type Request, type Response } from 'express';

/** `decisions.md 1.7`. */
const defaultMaxBytes = 1024 * 1024;
const maxDepth = 64;
/** Maximum time of a body. Servers allow longer, for files. */
const maxBodyMs = 60_000;

type Collect = ReturnType<typeof express.raw>;
/** Readers of bodies by their limit. */
const collectors = new Map<number, Collect>();

function getCollector(maxBytes: number): Collect {
  const found = collectors.get(maxBytes);
  if (found) return found;
  const collect = express.raw({ type: () => true, limit: maxBytes, inflate: false });
  collectors.set(maxBytes, collect);
  return collect;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a JSON object, and finds texts in it that a database cannot store. Anything else is `invalid_body`, more than
 * `maxBytes` is `body_too_large`; between the two checks, `guard` may refuse the request. If the body is optional, no
 * body at all is `{}`.
 */
export async function readJsonObject(
  req: Request,
  res: Response,
  guard: () => Promise<unknown> | undefined,
  { isOptional = false, maxBytes = defaultMaxBytes }: { isOptional?: boolean; maxBytes?: number } = {},
): Promise<{ body: Record<string, unknown>; problems: Problem[] }> {
  const bytes = await readBytes(req, res, maxBytes);
  await guard();
  if (isOptional && bytes.length === 0) return { body: {}, problems: [] };
  if (!isJson(req.headers['content-type'] ?? '')) {
    throw createInvalidBody('Send the body as Content-Type: application/json.');
  }
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw createInvalidBody('The body is not UTF-8.');
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw createInvalidBody('The body is not JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw createInvalidBody('The body is not a JSON object.');
  const problems: Problem[] = [];
  collectProblems(body, '', 1, problems);
  return { body: body as Record<string, unknown>, problems };
}

/**
 * Whether a content type is JSON. JSON has no parameters (RFC 8259, 11), so they are ignored, except a charset other
 * than UTF-8.
 */
function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  try {
    const { essence, params } = new MIMEType(contentType);
    return essence === 'application/json' && /^utf-?8$/i.test(params.get('charset') ?? 'utf-8');
  } catch {
    return false;
  }
}

function readBytes(req: Request, res: Response, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(createInvalidBody('The body took too long.', { connection: 'close' })),
      maxBodyMs,
    );
    getCollector(maxBytes)(req, res, (error?: unknown) => {
      clearTimeout(timer);
      if (!error) return resolve(Buffer.isBuffer(req.body) ? req.body : new Uint8Array());
      const { type } = error as { type?: string };
      if (type === 'entity.too.large') reject(createTooLarge(maxBytes));
      else if (type === 'encoding.unsupported')
        reject(createInvalidBody('A Content-Encoding is not supported.'));
      else reject(createInvalidBody('The body broke off.'));
    });
  });
}

const createTooLarge = (maxBytes: number): Error =>
  errors.body_too_large({ message: `The request body is larger than ${maxBytes / 1024 / 1024} MiB.` });

function createInvalidBody(message: string, headers: Record<string, string> = {}): Error {
  return errors.invalid_body({ details: [{ pointer: '', message }], headers });
}

const maxProblems = 100;

/**
 * Finds what JSON allows and a database cannot store: NUL, half a surrogate pair, a number beyond all that a double can
 * hold. Throws `invalid_body` for excessive nesting.
 */
function collectProblems(value: unknown, pointer: string, depth: number, problems: Problem[]): void {
  if (typeof value === 'object' && value !== null) {
    if (depth > maxDepth) throw createInvalidBody(`is nested deeper than ${maxDepth} levels`);
    for (const key in value) {
      const child = (value as Record<string, unknown>)[key];
      const message = Array.isArray(value) ? null : findTextProblem(key);
      if (message && problems.length < maxProblems)
        problems.push({ pointer, message: `a member's name ${message}` });
      // Most values need no check and no pointer.
      const needsCheck = typeof child === 'object' ? child : findValueProblem(child);
      if (needsCheck) collectProblems(child, `${pointer}/${escapePointer(key)}`, depth + 1, problems);
    }
    return;
  }
  const message = findValueProblem(value);
  if (message && problems.length < maxProblems) problems.push({ pointer, message });
}

/** Returns why a database cannot store a value that holds no others; null if it can. */
function findValueProblem(value: unknown): string | null {
  if (typeof value === 'string') return findTextProblem(value);
  // JSON.parse turns it into infinity, which would be stored as null.
  return typeof value === 'number' && !Number.isFinite(value) ? 'is not a value that can stand here' : null;
}

/** Returns why a database cannot store a text; null if it can. */
export function findTextProblem(text: string): string | null {
  if (text.includes('\0')) return 'must not contain NUL';
  return text.isWellFormed() ? null : 'must be well-formed Unicode';
}

/** Returns a member's name as a reference token of an RFC 6901 pointer. */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
