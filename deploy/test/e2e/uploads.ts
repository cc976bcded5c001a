import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Reply } from './client.ts';

export const boundary = 'waybill-e2e';

/** The first bytes of a JPEG, up to its scan. */
const jpegHead = Buffer.from(
  'ffd8ffe000104a46494600010100000100010000ffc0000b080010001001011100ffda0008010100003f00',
  'hex',
);

/** A JPEG of 16 × 16 pixels and a length, its bytes unlike any other's; given in chunks, never held whole. */
export function* jpegOf(sizeBytes: number, chunkBytes = 256 * 1024): Generator<Buffer> {
  const own = randomBytes(16).map((byte) => byte & 0x7f);
  yield Buffer.concat([jpegHead, own]);
  const filler = Buffer.alloc(chunkBytes, 0x11);
  let left = sizeBytes - jpegHead.length - own.length - 2;
  for (; left > 0; left -= chunkBytes) yield filler.subarray(0, Math.min(left, chunkBytes));
  yield Buffer.from([0xff, 0xd9]);
}

/** A form with a file. */
export function* formOf(file: Iterable<Buffer>, fileName = 'photo.jpg'): Generator<Buffer> {
  const head = `Content-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: image/jpeg`;
  yield Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`);
  yield* file;
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

export type UploadReply = Pick<Reply, 'status' | 'body'>;

/** Sends a form in chunks, and gives the answer. */
export function upload(
  baseUrl: string,
  key: string,
  form: Iterable<Buffer> | AsyncIterable<Buffer>,
  { headers = {} }: { headers?: Record<string, string> } = {},
): Promise<UploadReply> {
  return new Promise((resolve, reject) => {
    const req = http.request(`${baseUrl}/api/v1/media`, {
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
