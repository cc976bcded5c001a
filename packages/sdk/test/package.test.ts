import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { dropped, json, startServer } from './server.ts';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('..', import.meta.url));

test('client and verification are at most 12 KiB, compressed, in what a browser loads', async () => {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `import { createClient, webhooks } from '@waybill/sdk';
        globalThis.used = [createClient, webhooks.verify];`,
      resolveDir: folder,
    },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
  });
  const bytes = gzipSync(outputFiles![0]!.contents).length;
  expect(bytes).toBeGreaterThan(1000);
  expect(bytes).toBeLessThanOrEqual(12 * 1024);
  const libraries = Object.keys(metafile.inputs).filter((path) => path.includes('node_modules'));
  expect(libraries.filter((path) => !path.includes('openapi-fetch'))).toEqual([]);
});

describe('the package as it is published', () => {
  // A folder that no other tool scans and from which the package finds its library.
  const out = `${folder}/node_modules/.built`;
  let findings = '';
  beforeAll(async () => {
    findings = (await run(process.execPath, [`${folder}/build.ts`, '--check', `--out=${out}`])).stdout;
  }, 60_000);

  test('has nothing that publint and “Are the types wrong?” find', () => {
    expect(findings).toContain('find nothing');
  });

  // Node.js always runs; the others only if they are installed.
  const runtimes = [
    { name: 'Node.js', program: process.execPath, args: [] },
    {
      name: 'Deno',
      program: 'deno',
      args: ['run', '--quiet', '--node-modules-dir=manual', '--no-lock', '--allow-net=127.0.0.1'],
    },
    { name: 'Bun', program: 'bun', args: ['run'] },
  ].filter(({ program }) => !spawnSync(program, ['--version']).error);

  test.each(runtimes)(
    'calls, repeats, follows pages, uploads and verifies in $name',
    async ({ program, args }) => {
      const server = await startServer();
      server.answer(
        dropped,
        json(429, { error: '', code: 'rate_limited' }, { 'retry-after': '0' }),
        json(201, { product: { id: 'prd_1' } }),
        json(200, { orders: [{ number: 1 }], nextCursor: 'a' }),
        json(200, { orders: [{ number: 2 }], nextCursor: null }),
        json(201, { media: { id: 'mda_1' } }),
        json(404, { error: 'There is no product of that id.', code: 'not_found' }),
      );
      const script = `${out}/everywhere.mjs`;
      await writeFile(script, everywhere);
      try {
        const { stdout } = await run(program, [...args, script, server.baseUrl]);
        expect(JSON.parse(stdout)).toEqual({
          product: 'prd_1',
          numbers: [1, 2],
          media: 'mda_1',
          hasGoneOut: true,
          refused: 'not_found',
          event: 'evt_1',
          forged: 'webhook_signature_invalid',
        });
        const keys = server.seen.slice(0, 3).map(({ headers }) => headers['idempotency-key']);
        expect(keys).toEqual([keys[0], keys[0], keys[0]]);
        expect(keys[0]).toBeTruthy();
        expect(server.seen[5]!.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
      } finally {
        server.close();
      }
    },
    60_000,
  );
});

/** A program that uses the package and takes the address as its argument. */
const everywhere = `
  import process from 'node:process';
  import { createClient, isWaybillError, items, pages, uploadMedia, webhooks } from './index.js';
  const client = createClient({ baseUrl: process.argv[2], credential: 'wbk_x', sleep: async () => {} });
  const { product } = await client.post('/api/v1/products', { body: { name: 'Earl Grey' } });
  const orders = pages((after) => client.get('/api/v1/orders', { params: { query: { ...(after && { after }) } } }));
  const numbers = [];
  for await (const order of items(orders, 'orders')) numbers.push(order.number);
  let share = 0;
  const file = new File([new Uint8Array(300_000)], 'tea.png', { type: 'image/png' });
  const media = await uploadMedia(client, file, { onProgress: (sent) => { share = sent; } });
  const refused = await client
    .get('/api/v1/products/{id}', { params: { path: { id: 'prd_2' } } })
    .catch((error) => isWaybillError(error, 'not_found') && error.code);
  const secret = webhooks.newSecret();
  const call = await webhooks.sign({ id: 'evt_1', type: 'order.created' }, secret);
  const event = await webhooks.verify(call.body, call.headers, secret);
  const forged = await webhooks.verify(call.body + ' ', call.headers, secret).catch(({ code }) => code);
  console.log(JSON.stringify({
    product: product.id, numbers, media: media.id, hasGoneOut: share === 1, refused, event: event.id, forged,
  }));
`;
