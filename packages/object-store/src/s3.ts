import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import { checkLength } from './check-length.ts';
import {
  type ByteRange,
  checkKey,
  maxListed,
  type ObjectStore,
  ObjectStoreError,
  type PutOptions,
  type StoredObject,
} from './object-store.ts';

export interface S3Options {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Maximum time in milliseconds that a connection may go without a single byte. */
  silenceMs?: number;
}

type Sdk = typeof import('@aws-sdk/client-s3');

/** A store that does not answer about its bucket within this time counts as unreachable. */
const connectTimeoutMs = 3_000;
const defaultSilenceMs = 20_000;
/** Deadline of a whole call including its retries, but not of reading the opened body. */
const callDeadlineMs = 10_000;
/** Deadline of a call that sends a body. */
const putDeadlineMs = 120_000;
const maxConnections = 128;

/** Stores objects in a bucket of any S3-compatible store, addressed by path; the bucket is created if it is missing. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function createS3Store({ bucket: Bucket, ...options }: S3Options): ObjectStore {
  let connected: Promise<{ client: S3Client; sdk: Sdk }> | null = null;

  /** The SDK is large, so it is loaded on first use. */
  function connect() {
    connected ??= openClient(options).then(async (connection) => {
      await inTime(callDeadlineMs, ({ signal }) => ensureBucket(connection, Bucket, signal));
      return connection;
    });
    connected.catch(() => {
      connected = null;
    });
    return connected;
  }

  async function send(
    abortController: AbortController,
    Key: string,
    body: Buffer | Readable,
    { contentType, sizeBytes }: PutOptions,
  ) {
    const { client, sdk } = await connect();
    const params = { Bucket, Key, ContentType: contentType };
    const size = Buffer.isBuffer(body) ? body.length : sizeBytes;
    const Body = checkLength(sizeBytes);
    let bodyFailure: unknown;
    const source = Buffer.isBuffer(body) ? Readable.from([body]) : body;
    const fed = pipeline(source, Body).catch((error) => {
      // The SDK does not watch the body for errors; without the abort it would wait for more bytes.
      bodyFailure = error;
      abortController.abort();
    });
    const { Upload } = await import('@aws-sdk/lib-storage');
    const sent =
      size === undefined
        ? new Upload({ client, params: { ...params, Body }, queueSize: 1, abortController }).done()
        : client.send(new sdk.PutObjectCommand({ ...params, Body, ContentLength: size }), {
            abortSignal: abortController.signal,
          });
    try {
      await sent;
    } catch (error) {
      throw bodyFailure ? new BodyError(bodyFailure) : error;
    } finally {
      Body.destroy();
      await fed;
    }
  }

  function read(key: string, range: ByteRange | undefined): Promise<StoredObject | null> {
    return inTime(callDeadlineMs, async ({ signal: abortSignal }) => {
      const { client, sdk } = await connect();
      const Range = range && `bytes=${range.start}-${range.end}`;
      const reply = await client
        .send(new sdk.GetObjectCommand({ Bucket, Key: key, ...(Range && { Range }) }), { abortSignal })
        .catch((error) => {
          if (findStatus(error) === 404) return null;
          if (findStatus(error) === 416)
            throw new RangeError('the range begins behind the end of the object');
          throw error;
        });
      if (!reply) return null;
      const whole = /\/(\d+)$/.exec(reply.ContentRange ?? '')?.[1];
      return { sizeBytes: Number(whole ?? reply.ContentLength), stream: reply.Body as Readable };
    });
  }

  return {
    async put(key, body, putOptions) {
      checkKey(key);
      try {
        await inTime(putDeadlineMs, (controller) => send(controller, key, body, putOptions));
      } finally {
        if (body instanceof Readable) body.destroy();
      }
    },

    async putFile(key, file, putOptions) {
      checkKey(key);
      try {
        await inTime(putDeadlineMs, (controller) =>
          send(controller, key, createReadStream(file), putOptions),
        );
      } finally {
        await rm(file, { force: true });
      }
    },

    async get(key, range) {
      checkKey(key);
      const found = await read(key, range);
      if (!found) return null;
      const { sizeBytes, stream } = found;
      const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
      const readOn = async (after: number) => {
        const rest = await read(key, { start: start + after, end });
        if (rest?.sizeBytes === sizeBytes) return rest.stream;
        throw new ObjectStoreError('an object changed while it was read');
      };
      return { sizeBytes, stream: resumeOnTimeout(stream, readOn) };
    },

    async head(key) {
      checkKey(key);
      return inTime(callDeadlineMs, async ({ signal: abortSignal }) => {
        const { client, sdk } = await connect();
        const reply = await client
          .send(new sdk.HeadObjectCommand({ Bucket, Key: key }), { abortSignal })
          .catch(nullIfMissing);
        return reply && { sizeBytes: reply.ContentLength! };
      });
    },

    async delete(key) {
      checkKey(key);
      await inTime(callDeadlineMs, async ({ signal: abortSignal }) => {
        const { client, sdk } = await connect();
        await client
          .send(new sdk.DeleteObjectCommand({ Bucket, Key: key }), { abortSignal })
          .catch(nullIfMissing);
      });
    },

    async list(folder) {
      checkKey(folder);
      return inTime(callDeadlineMs, async ({ signal: abortSignal }) => {
        const { client, sdk } = await connect();
        const Prefix = `${folder}/`;
        const { Contents = [] } = await client.send(
          new sdk.ListObjectsV2Command({ Bucket, Prefix, Delimiter: '/', MaxKeys: maxListed }),
          { abortSignal },
        );
        return Contents.map(({ Key }) => Key!.slice(Prefix.length));
      });
    },

    async ready() {
      try {
        await inTime(callDeadlineMs, async ({ signal: abortSignal }) => {
          const { client, sdk } = await connect();
          await client.send(new sdk.HeadBucketCommand({ Bucket }), { abortSignal });
        });
        return true;
      } catch {
        return false;
      }
    },

    close() {
      connected?.then(
        ({ client }) => client.destroy(),
        () => {},
      );
    },
  };
}

/**
 * Wraps an object's body so that a reader may pause (a player that has buffered enough, a slow line). The connection of
 * a paused reader falls silent and ends. When the reader continues, the rest is requested from the byte after the last
 * one it got, which it does not notice. A paused reader therefore holds no connection to the store.
 */
function resumeOnTimeout(first: Readable, readOn: (after: number) => Promise<Readable>): Readable {
  let body = first;
  async function* chunks() {
    for (let bytes = 0; ; ) {
      let isPaused = false;
      let hasBrokenInPause = false;
      body.once('error', () => {
        hasBrokenInPause = isPaused;
      });
      try {
        for await (const chunk of body as AsyncIterable<Buffer>) {
          bytes += chunk.length;
          isPaused = true;
          yield chunk;
          isPaused = false;
        }
        return;
      } catch (error) {
        if (!hasBrokenInPause) throw error;
        body = await readOn(bytes);
      }
    }
  }
  const stream = Readable.from(chunks(), { objectMode: false });
  // This also covers a stream that nobody has begun to read.
  stream.once('close', () => body.destroy());
  return stream;
}

async function openClient({
  endpoint,
  region,
  accessKeyId,
  secretAccessKey,
  silenceMs = defaultSilenceMs,
}: Omit<S3Options, 'bucket'>) {
  const sdk = await import('@aws-sdk/client-s3');
  const client = new sdk.S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    // The newer checksums are sent as trailers, which not every store understands.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // The caller learns of failures; the SDK would print them.
    logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      socketTimeout: silenceMs,
      httpAgent: { keepAlive: true, maxSockets: maxConnections },
      httpsAgent: { keepAlive: true, maxSockets: maxConnections },
    },
  });
  // Over plain HTTP the SDK would read a body twice, once for its signature; a stream can be read only once.
  client.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> };
      headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
      return next(args);
    },
    { step: 'build', name: 'unsignedPayload' },
  );
  return { client, sdk };
}

async function ensureBucket(
  { client, sdk }: { client: S3Client; sdk: Sdk },
  Bucket: string,
  abortSignal: AbortSignal,
): Promise<void> {
  if (await client.send(new sdk.HeadBucketCommand({ Bucket }), { abortSignal }).catch(nullIfMissing)) return;
  await client.send(new sdk.CreateBucketCommand({ Bucket }), { abortSignal }).catch((error: Error) => {
    // Another process created the bucket first.
    if (!/^Bucket(AlreadyOwnedByYou|AlreadyExists)$/.test(error.name)) throw error;
  });
}

const findStatus = (error: unknown): number | undefined =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;

function nullIfMissing(error: unknown): null {
  if (findStatus(error) === 404) return null;
  throw error;
}

/** The error that the body of a put failed with: the caller's failure, not the store's. */
class BodyError {
  readonly reason: unknown;
  constructor(reason: unknown) {
    this.reason = reason;
  }
}

/** Runs a call that respects the abort signal, and aborts it at its deadline. */
async function inTime<Result>(
  deadlineMs: number,
  call: (controller: AbortController) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), deadlineMs);
  try {
    return await call(controller);
  } catch (error) {
    if (error instanceof BodyError) throw error.reason;
    if (error instanceof RangeError || error instanceof ObjectStoreError) throw error;
    throw new ObjectStoreError('the S3 store failed', { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
