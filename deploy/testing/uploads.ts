import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { crc32, deflateSync } from 'node:zlib';
import type { Reply } from './client.ts';

export const boundary = 'waybill-e2e';

/** The first bytes of a JPEG, up to its scan. */
const jpegHead = Buffer.from(
  'ffd8ffe000104a46494600010100000100010000ffc0000b080010001001011100ffda0008010100003f00',
  'hex',
);

/** Yields a unique JPEG of 16 × 16 pixels with this length, in chunks, never whole in memory. */
export function* jpegOf(sizeBytes: number, chunkBytes = 256 * 1024): Generator<Buffer> {
  const own = randomBytes(16).map((byte) => byte & 0x7f);
  yield Buffer.concat([jpegHead, own]);
  const filler = Buffer.alloc(chunkBytes, 0x11);
  let left = sizeBytes - jpegHead.length - own.length - 2;
  for (; left > 0; left -= chunkBytes) yield filler.subarray(0, Math.min(left, chunkBytes));
  yield Buffer.from([0xff, 0xd9]);
}

/** Returns a unique PNG of grey noise. */
export function noisyPng(width: number, height: number): Buffer {
  const uint32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
  };
  const rows = Array.from({ length: height }, () => Buffer.concat([Buffer.alloc(1), randomBytes(width)]));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', Buffer.concat([uint32(width), uint32(height), Buffer.from([8, 0, 0, 0, 0])])),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Yields a form with a file. */
export function* formOf(file: Iterable<Buffer>, fileName = 'photo.jpg'): Generator<Buffer> {
  const head = `Content-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: image/jpeg`;
  yield Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`);
  yield* file;
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

export type UploadReply = Pick<Reply, 'status' | 'body'>;

/** Sends a form in chunks, and returns the answer; `key` is a credential for `path`. */
export function upload(
  baseUrl: string,
  key: string,
  form: Iterable<Buffer> | AsyncIterable<Buffer>,
  { headers = {}, path = '/api/v1/media' }: { headers?: Record<string, string>; path?: string } = {},
): Promise<UploadReply> {
  return new Promise((resolve, reject) => {
    const req = http.request(`${baseUrl}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
        ...headers,
      },
    });
    req.on('error', reject);
    req.on('response', async (res) => {
      resolve({ status: res.statusCode!, body: JSON.parse(await text(res)) });
    });
    const body = Readable.from(form);
    body.on('error', () => req.destroy());
    body.pipe(req);
  });
}

/** Reads a whole file. */
export async function download(url: string, headers: Record<string, string> = {}) {
  const req = http.get(url, { headers });
  const [res] = (await once(req, 'response')) as [http.IncomingMessage];
  return { status: res.statusCode!, headers: res.headers, bytes: await buffer(res) };
}
