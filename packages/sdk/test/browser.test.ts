import { fileURLToPath } from 'node:url';
import { hasChromium, launchChromium } from '@waybill/testing';
import { build } from 'esbuild';
import { type Model, webhooks } from '../src/index.ts';
import { json, startServer } from './server.ts';

const inChromium = hasChromium('the SDK in a browser') ? test : test.skip;

inChromium('a browser calls, uploads with progress, and verifies', async () => {
  const bundle = await build({
    stdin: {
      contents: `import * as sdk from '@waybill/sdk'; globalThis.sdk = sdk;`,
      resolveDir: fileURLToPath(new URL('..', import.meta.url)),
    },
    bundle: true,
    format: 'iife',
    platform: 'browser',
    write: false,
  });
  const server = await startServer();
  const browser = await launchChromium();
  try {
    let refusals = 1;
    server.answer((req, res) => {
      if (req.method === 'GET') res.writeHead(200, { 'content-type': 'text/html' }).end('<title>t</title>');
      else if (refusals-- > 0) json(503, { error: '', code: 'resource_unavailable' })(req, res);
      else json(201, { media: { id: 'med_1' } })(req, res);
    });
    const page = await browser.newPage();
    await page.goto(server.baseUrl);
    await page.addScriptTag({ content: bundle.outputFiles![0]!.text });
    const secret = webhooks.newSecret();
    const event = { id: 'evt_1', type: 'order.created', createdAt: '', data: {} } as Model<'Event'>;
    const call = await webhooks.sign(event, secret);
    const seen = await page.evaluate(
      async ({ call, secret, baseUrl }) => {
        const { sdk } = globalThis as unknown as { sdk: typeof import('../src/index.ts') };
        const client = sdk.createClient({
          baseUrl,
          credential: 'wbk_x',
          sleep: async () => {},
        });
        const shares: number[] = [];
        const file = new File([new Uint8Array(2_000_000)], 'tea.png', { type: 'image/png' });
        const media = await sdk.uploadMedia(client, file, { onProgress: (share) => shares.push(share) });
        const stop = new AbortController();
        const stopped = sdk.uploadMedia(client, file, {
          onProgress: () => stop.abort(),
          signal: stop.signal,
        });
        return {
          media,
          last: shares.at(-1),
          stopped: await stopped.catch((error) => error.name),
          verified: await sdk.webhooks.verify(call.body, call.headers, secret),
          forged: await sdk.webhooks.verify(`${call.body} `, call.headers, secret).catch(({ code }) => code),
        };
      },
      { call, secret, baseUrl: server.baseUrl },
    );
    expect(seen).toEqual({
      media: { id: 'med_1' },
      last: 1,
      stopped: 'AbortError',
      verified: event,
      forged: 'webhook_signature_invalid',
    });
    const keys = server.seen
      .filter(({ method }) => method === 'POST')
      .map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
  } finally {
    await browser.close();
    server.close();
  }
});
