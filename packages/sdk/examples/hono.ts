import { serve } from '@hono/node-server';
import { isWaybillError, webhooks } from '@waybill/sdk';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';

const app = new Hono();

app.post('/', bodyLimit({ maxSize: 2 * 1024 * 1024 }), async (c) => {
  try {
    const secret = process.env.WAYBILL_WEBHOOK_SECRET ?? '';
    const event = await webhooks.verify(await c.req.arrayBuffer(), c.req.raw.headers, secret);
    console.log(event.type, event.id);
    return c.body(null, 204);
  } catch (error) {
    if (!isWaybillError(error)) throw error;
    return c.json({ code: error.code }, 401);
  }
});

// On Node.js. Deno, Bun and Workers take `export default app` instead.
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, () => console.log('listening'));
