import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually, type TestSystem } from '@waybill/testing';
import fc from 'fast-check';
import { type Library, newLibrary, startMedia } from './library.ts';
import { samples } from './samples.ts';

let system: TestSystem;
let library: Library;
beforeAll(async () => {
  system = await startMedia();
  library = await newLibrary(system);
});
afterAll(() => system.stop());

const boundary = 'xxBOUNDARYxx';
const png = samples.png!.bytes;

const part = (headers: string, content: string | Buffer) =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\n${headers}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
const filePart = part('Content-Disposition: form-data; name="file"; filename="a.png"', png);
const field = (name: string, value: string) => part(`Content-Disposition: form-data; name="${name}"`, value);
const end = Buffer.from(`--${boundary}--\r\n`);
const form = (...parts: (Buffer | string)[]) =>
  Buffer.concat([...parts.map((each) => Buffer.from(each)), end]);

/** Sends bytes as a form, in chunks, with these headers instead of the usual ones. */
async function send(body: Buffer, headers: Record<string, string> = {}, chunks: Buffer[] = [body]) {
  const req = http.request(`${system.internalUrl}/api/v1/media`, {
    method: 'POST',
    headers: {
      ...library.headers,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': body.length,
      ...headers,
    },
  });
  const answered = once(req, 'response') as Promise<[http.IncomingMessage]>;
  for (const chunk of chunks) req.write(chunk);
  req.end();
  const [res] = await answered;
  const answer = await text(res);
  return { status: res.statusCode!, body: JSON.parse(answer) };
}

const leftovers = () => readdir(join(system.dataDir, 'uploads')).catch(() => []);

test.each([
  [`filename="a.png"; filename*=UTF-8''%e2%82%ac%20x.png`, '€ x.png'],
  [`filename*=UTF-8''%e2%82%ac.png; filename="a.png"`, '€.png'],
  [`filename*="utf-8'en'%C3%A4.png"`, 'ä.png'],
  [`filename*=iso-8859-1''%A3.png`, '£.png'],
  [`filename*0*=UTF-8''%e2%82%ac; filename*1=" b.png"`, '€ b.png'],
  [`filename="a.png"; filename*=no-such-charset''%A3.png`, 'a.png'],
  [`filename="=?UTF-8?B?4oKsLnBuZw==?="`, '€.png'],
  [`filename="=?utf-8?q?=C3=A4_b?= =?iso-8859-1?Q?=A3.png?="`, 'ä b£.png'],
  [`filename="=?x?.png"`, '=?x?.png'],
])('the name of a file with %s is %s', async (parameters, name) => {
  const file = part(`Content-Disposition: form-data; name="file"; ${parameters}`, png);
  expect(await send(form(file))).toMatchObject({ status: 201, body: { media: { name } } });
});

describe('a form', () => {
  const code = (expected: string) => ({ status: 400, body: { code: expected } });
  test.each([
    ['with other parts and other fields', form(field('x', 'y'), field('__proto__', 'z'), filePart)],
    [
      'with a text before it and behind it',
      Buffer.concat([Buffer.from('before\r\n'), form(filePart), Buffer.from('behind')]),
    ],
    [
      'with headers in capitals',
      form(part('CONTENT-DISPOSITION: FORM-DATA; NAME="file"; FILENAME="a.png"\r\nX-Other: 1', png)),
    ],
    ['with a file part that has no filename', form(part('Content-Disposition: form-data; name="file"', png))],
    ['with a name in quotes', form(field('name', '"quoted" \\ name'), filePart)],
  ])('%s is taken', async (_, body) => {
    expect(await send(body)).toMatchObject({ status: 201, body: { media: { contentType: 'image/png' } } });
  });

  test('with an empty name gives the asset the name of its file; blanks alone are refused', async () => {
    const unnamed = (await send(form(filePart))).body.media.name;
    expect((await send(form(field('name', ''), filePart))).body.media.name).toBe(unnamed);
    expect(await send(form(field('name', ' '), filePart))).toMatchObject(code('invalid_body'));
  });

  test('is read in the same way in any chunks', async () => {
    const body = form(field('name', 'Cut'), filePart);
    const cuts = fc.array(fc.integer({ min: 1, max: body.length - 1 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const sorted = [0, ...new Set(places), body.length].sort((a, b) => a - b);
        const chunks = sorted.slice(1).map((to, i) => body.subarray(sorted[i], to));
        const reply = await send(body, {}, chunks);
        expect(reply).toMatchObject({ status: 201, body: { media: { name: 'Cut', sizeBytes: png.length } } });
      }),
      { numRuns: 30 },
    );
  });

  const huge = 'x'.repeat(100_000);
  test.each<[string, Buffer, Record<string, string>, object]>([
    ['without a boundary', form(filePart), { 'content-type': 'multipart/form-data' }, code('invalid_body')],
    [
      'with an empty boundary',
      form(filePart),
      { 'content-type': 'multipart/form-data; boundary=' },
      code('invalid_body'),
    ],
    [
      'with another boundary',
      form(filePart),
      { 'content-type': 'multipart/form-data; boundary=other' },
      code('invalid_body'),
    ],
    [
      'with two boundaries, the first of them wrong',
      form(filePart),
      { 'content-type': `multipart/form-data; boundary=other; boundary=${boundary}` },
      code('invalid_body'),
    ],
    ['without an end', filePart, {}, code('invalid_body')],
    ['cut in the middle of the file', filePart.subarray(0, 120), {}, code('invalid_body')],
    ["cut in a part's headers", filePart.subarray(0, 40), {}, code('invalid_body')],
    ['of nothing', Buffer.alloc(0), {}, code('invalid_body')],
    ['of an end alone', end, {}, code('missing_file')],
    ['with two files', form(filePart, filePart), {}, code('invalid_body')],
    ['with a part without headers', form(part('', 'x')), {}, code('missing_file')],
    [
      'with a disposition that is none',
      form(part('Content-Disposition: nonsense', png)),
      {},
      code('missing_file'),
    ],
    [
      'with a header of 100 kB',
      form(part(`X: ${huge}\r\nContent-Disposition: form-data; name="file"; filename="a"`, png)),
      {},
      code('missing_file'),
    ],
    [
      'with 10,000 headers in a part',
      form(
        part(`${'X: 1\r\n'.repeat(10_000)}Content-Disposition: form-data; name="file"; filename="a"`, png),
      ),
      {},
      code('missing_file'),
    ],
    ['with 5,000 parts', form(...Array(5000).fill(field('x', 'y')), filePart), {}, code('invalid_body')],
    ['that is compressed', form(filePart), { 'content-encoding': 'gzip' }, code('invalid_body')],
    ['with a field of 100 kB for a name', form(field('name', huge), filePart), {}, code('invalid_body')],
    [
      'inside a form',
      form(
        part(
          `Content-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: multipart/mixed; boundary=y`,
          '--y--',
        ),
      ),
      {},
      code('unsupported_type'),
    ],
    ['of random bytes', Buffer.from(huge), {}, code('invalid_body')],
  ])('%s is refused', async (_, body, headers, expected) => {
    expect(await send(body, headers)).toMatchObject(expected);
    expect(await leftovers()).toEqual([]);
  });

  test('that is too large because of its other parts is refused', async () => {
    const body = Buffer.concat([Buffer.alloc(26 * 1024 * 1024, 'x'), form(filePart)]);
    expect(await send(body)).toMatchObject({ status: 413, body: { code: 'file_too_large' } });
  });

  test('whose client leaves stores nothing', async () => {
    for (const at of [50, 150, filePart.length - 5]) {
      const req = http.request(`${system.internalUrl}/api/v1/media`, {
        method: 'POST',
        headers: {
          ...library.headers,
          'content-type': `multipart/form-data; boundary=${boundary}`,
          'content-length': 1_000_000,
        },
      });
      req.on('error', () => {});
      req.write(filePart.subarray(0, at));
      await eventually(() => req.socket?.bytesWritten);
      req.destroy();
    }
    await eventually(async () => (await leftovers()).length === 0);
    // The slots are free again.
    expect((await send(form(filePart))).status).toBe(201);
  });

  test('of any bytes yields an asset or a documented refusal', async () => {
    const pieces = fc.constantFrom<Buffer>(
      filePart,
      field('name', 'x'),
      end,
      ...[
        `--${boundary}`,
        `--${boundary}\r\n`,
        '\r\n',
        '\r\n\r\n',
        '--',
        '\0',
        `\r\n--${boundary}`,
        'Content-Disposition: form-data; name="file"\r\n\r\n',
      ].map((each) => Buffer.from(each)),
    );
    const bodies = fc.array(
      fc.oneof(
        pieces,
        fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      ),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(bodies, async (parts) => {
        const { status, body } = await send(Buffer.concat(parts));
        if (status === 201) return;
        expect(status).toBe(400);
        expect(['invalid_body', 'missing_file', 'empty_file', 'unsupported_type']).toContain(body.code);
      }),
      { numRuns: 150 },
    );
    expect(await leftovers()).toEqual([]);
  });
});
