import { createServer } from 'node:http';
import { isWaybillError, webhooks } from '@waybill/sdk';

const secret = process.env.WAYBILL_WEBHOOK_SECRET ?? '';
/** No webhook call is larger than this. */
const maxBytes = 2 * 1024 * 1024;

const server = createServer(async (req, res) => {
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of req) {
      size += chunk.length;
      if (size > maxBytes) return void res.writeHead(413, { connection: 'close' }).end();
      chunks.push(chunk);
    }
    const event = await webhooks.verify(Buffer.concat(chunks), req.headers, secret);
    console.log(event.type, event.id);
    res.writeHead(204).end();
  } catch (error) {
    if (!isWaybillError(error)) console.error(error);
    res.writeHead(isWaybillError(error) ? 401 : 500).end();
  }
});
server.listen(Number(process.env.PORT ?? 3000), () => console.log('listening'));
