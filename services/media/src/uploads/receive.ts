import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { ApiError } from '@waybill/contracts';
import { ObjectStoreError } from '@waybill/object-store';
import { errors } from '../errors.ts';
import { decodeEncodedWords, parseExtendedFileName } from './file-names.ts';

/** `store-api.md 8`. */
const maxFileBytes = 25 * 1024 * 1024;
/** Allowance for the rest of a form: boundaries, headers, other parts. */
const maxOverheadBytes = 256 * 1024;
const maxParts = 20;
const maxFieldBytes = 4096;
const bufferBytes = 16 * 1024;
/** Minimum average rate of a client; a slower one would occupy a place for nothing. */
const minBytesPerSecond = 16 * 1024;
const rateWindowSeconds = 10;

/** A complete upload in a file of this process. The caller that takes it removes the file. */
export interface Upload {
  path: string;
  sizeBytes: number;
  /** In hex. */
  sha256: string;
  /** The client's name for the file, without a path. */
  fileName: string;
  /** The other part of the form, as sent. */
  folderId: string | undefined;
  name: string | undefined;
}

/**
 * Writes the file of a form to `folder`, with only a few chunks in memory. On failure nothing is left, and the rest of
 * the body is not read.
 * @throws invalid_body, missing_file, empty_file, file_too_large, request_timeout; ObjectStoreError when the disk
 * refuses the file
 */
export async function receiveUpload(
  stream: Readable,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  folder: string,
): Promise<Upload> {
  const parser = openForm(headers);
  const path = join(folder, randomUUID());
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await readForm(stream, parser, path);
  } catch (error) {
    await rm(path, { force: true });
    throw toUploadError(error);
  }
}

function openForm(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const type = headers['content-type'];
  if (typeof type !== 'string' || !/^multipart\/form-data\s*;/i.test(type)) {
    throw createInvalidBodyError('Send the body as Content-Type: multipart/form-data with a boundary.');
  }
  if (headers['content-encoding'] !== undefined)
    throw createInvalidBodyError('A Content-Encoding is not supported.');
  try {
    return new Busboy({
      headers: { 'content-type': type },
      highWaterMark: bufferBytes,
      fileHwm: bufferBytes,
      isPartAFile: (name) => name === 'file',
      limits: {
        parts: maxParts,
        fileSize: maxFileBytes,
        fieldSize: maxFieldBytes,
        headerSize: 8192,
        headerPairs: 32,
      },
    });
  } catch {
    throw createInvalidBodyError('The Content-Type names no boundary.');
  }
}

async function readForm(
  stream: Readable,
  parser: ReturnType<typeof openForm>,
  path: string,
): Promise<Upload> {
  const fields: { folderId?: string; name?: string } = {};
  let file: Promise<Pick<Upload, 'sizeBytes' | 'sha256'>> | undefined;
  let fileName = '';
  let receivedBytes = 0;
  let failure: Error | null = null;
  const fail = (error: Error) => {
    failure ??= error;
    parser.destroy(failure);
  };

  const getExtendedName = trackExtendedNames(parser);
  parser.on('file', (_part, content, name) => {
    if (file) return fail(createInvalidBodyError('The form has more than one part named "file".'));
    fileName = getExtendedName() ?? decodeEncodedWords(name ?? '');
    content.once('limit', () => fail(errors.file_too_large()));
    parser.once('close', () => content.destroy());
    file = saveFile(content, path);
    file.catch(fail);
  });
  parser.on('field', (part, value, _nameTruncated, truncated) => {
    if (part !== 'folderId' && part !== 'name') return;
    if (truncated || value.includes('\0'))
      fail(createInvalidBodyError('is not a text of this length', `/${part}`));
    fields[part] = value;
  });
  parser.on('partsLimit', () => fail(createInvalidBodyError(`The form has more than ${maxParts} parts.`)));
  const onData = (chunk: Buffer) => {
    receivedBytes += chunk.length;
    if (receivedBytes > maxFileBytes + maxOverheadBytes) fail(errors.file_too_large());
  };
  const stopRateCheck = enforceMinimumRate(
    stream,
    () => receivedBytes,
    () => fail(errors.request_timeout({ headers: { connection: 'close' } })),
  );
  const onAborted = () => fail(createInvalidBodyError('The body broke off.'));
  stream.on('data', onData).once('error', onAborted).once('aborted', onAborted);
  stream.pipe(parser);
  try {
    await finished(parser);
    if (!file) throw errors.missing_file();
    const saved = await file;
    if (saved.sizeBytes === 0) throw fileName === '' ? errors.missing_file() : errors.empty_file();
    // Forms send fields that were left empty: such a name is none.
    return { path, ...saved, fileName, folderId: fields.folderId, name: fields.name || undefined };
  } catch (error) {
    await file?.catch(() => {});
    throw failure ?? error;
  } finally {
    stopRateCheck();
    stream.unpipe(parser).off('data', onData).off('error', onAborted).off('aborted', onAborted);
  }
}

/** The parser with which busboy reads the headers of a part. It ignores `filename*` next to a `filename`. */
interface HeaderReader {
  prependListener(event: 'part', listener: (part: PartHeaders) => void): void;
}
interface PartHeaders {
  on(event: 'header', listener: (headers: Readonly<Record<string, string[]>>) => void): void;
}

/** Returns a function that gives the extended file name of the part being read. */
function trackExtendedNames(form: ReturnType<typeof openForm>): () => string | undefined {
  const { parser } = (form as unknown as { _parser: { parser: HeaderReader } })._parser;
  let name: string | undefined;
  // Must precede busboy's own listener, which announces the file as soon as it has the headers.
  parser.prependListener('part', (part) => {
    part.on('header', (headers) => {
      name = parseExtendedFileName(headers['content-disposition']?.[0] ?? '');
    });
  });
  return () => name;
}

/**
 * Calls `onTooSlow` when a client has sent too little in any ten seconds, unless this process was the one that did not
 * read.
 */
function enforceMinimumRate(
  stream: Readable,
  getReceivedBytes: () => number,
  onTooSlow: () => void,
): () => void {
  let previousBytes = 0;
  const timer = setInterval(() => {
    const receivedBytes = getReceivedBytes();
    const isWaiting = stream.readableLength === 0 && !stream.readableEnded;
    if (isWaiting && receivedBytes - previousBytes < minBytesPerSecond * rateWindowSeconds) onTooSlow();
    previousBytes = receivedBytes;
  }, rateWindowSeconds * 1000);
  return () => clearInterval(timer);
}

async function saveFile(content: BusboyFileStream, path: string) {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const target = createWriteStream(path, { flags: 'wx', mode: 0o600, highWaterMark: bufferBytes });
  // A form may fail before its file is open, and only a closed file can be removed for good.
  const closed = new Promise<void>((resolve) => target.once('close', () => resolve()));
  await pipeline(
    content,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        sizeBytes += chunk.length;
        hash.update(chunk);
        yield chunk;
      }
    },
    target,
  ).finally(() => closed);
  return { sizeBytes, sha256: hash.digest('hex') };
}

/**
 * Tells errors of the file system (no space, no rights), which are not the client's fault, from those of the parser,
 * which are.
 */
function toUploadError(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (syscall) return new ObjectStoreError('an upload could not be written', { cause: error });
  return code ? error : createInvalidBodyError(`The form cannot be read: ${message}.`);
}

function createInvalidBodyError(message: string, pointer = ''): Error {
  return errors.invalid_body({ details: [{ pointer, message }] });
}
