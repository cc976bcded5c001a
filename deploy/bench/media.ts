import { randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import { type System, startProgram } from './processes.ts';

const fileBytes = 20 * 1024 * 1024;
const lanes = 4;
const rounds = 3;
const perRound = 12;
const boundary = 'waybill-bench';
const agent = new Agent({ connections: lanes });

/**
 * The operations of a target: `upload` stores a file and returns its place, `url` is the address at which a file is
 * read.
 */
interface Target {
  upload(file: Buffer): Promise<string>;
  url(where: string): string;
}

/**
 * Measures uploads and downloads in MB/s through the whole standalone system, next to a bare file server in the same
 * run.
 */
export async function benchMedia(system: System): Promise<void> {
  const server = await startProgram('file-server.ts', {});
  const floorUrl = `http://127.0.0.1:${server.line}`;
  const { baseUrl, apiKey } = system.demo;
  const post = async (url: string, headers: Record<string, string>, body: Buffer, status: number) => {
    const reply = await request(url, { method: 'POST', headers, body, dispatcher: agent });
    const text = await reply.body.text();
    if (reply.statusCode !== status) throw new Error(`${url}: ${reply.statusCode} ${text}`);
    return text;
  };
  const floor: Target = {
    upload: (file) => post(floorUrl, { 'content-type': 'image/jpeg' }, file, 200),
    url: (where) => `${floorUrl}/${where}`,
  };
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': `multipart/form-data; boundary=${boundary}`,
  };
  const waybill: Target = {
    upload: async (file) =>
      JSON.parse(await post(`${baseUrl}/api/v1/media`, headers, createForm(file), 201)).media.url,
    url: (where) => where,
  };
  try {
    const best = { up: [0, 0], down: [0, 0] };
    for (let round = 0; round < rounds; round++) {
      for (const [i, target] of [floor, waybill].entries()) {
        const stored: string[] = [];
        best.up[i] = Math.max(
          best.up[i]!,
          await rate(async () => void stored.push(await target.upload(newFile()))),
        );
        best.down[i] = Math.max(
          best.down[i]!,
          await rate((n) => read(target.url(stored[n % stored.length]!))),
        );
      }
    }
    console.log(`${lanes} at a time, 20 MiB each   floor MB/s   Waybill MB/s   ratio`);
    for (const [name, [a, b]] of Object.entries(best)) {
      console.log(
        `${name === 'up' ? 'upload' : 'download'}`.padEnd(27) +
          a!.toFixed(0).padStart(12) +
          b!.toFixed(0).padStart(15) +
          (b! / a!).toFixed(2).padStart(8),
      );
    }
  } finally {
    await agent.close();
    await server.stop();
  }
}

/** Returns the megabytes per second of `perRound` files, `lanes` at a time. */
async function rate(work: (n: number) => Promise<void>): Promise<number> {
  let next = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (next < perRound) await work(next++);
    }),
  );
  return (perRound * fileBytes) / 1e6 / ((performance.now() - started) / 1000);
}

async function read(url: string): Promise<void> {
  const { statusCode, body } = await request(url, { dispatcher: agent });
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.length;
  if (statusCode !== 200 || bytes < fileBytes) throw new Error(`${url}: ${statusCode}, ${bytes} bytes`);
}

const jpeg = Buffer.alloc(fileBytes, 0x11);
jpeg.set(
  Buffer.from(
    'ffd8ffe000104a46494600010100000100010000ffc0000b080010001001011100ffda0008010100003f00',
    'hex',
  ),
);
jpeg.set([0xff, 0xd9], fileBytes - 2);

/** Returns a JPEG that differs from all others, so that it has to be stored. */
function newFile(): Buffer {
  const file = Buffer.from(jpeg);
  file.set(
    randomBytes(16).map((byte) => byte & 0x7f),
    1000,
  );
  return file;
}

const createForm = (file: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n`),
    file,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
