/**
 * A webhook receiver that counts. GET /stats returns the milliseconds until the arrival of each call, from the `sentAt`
 * in its body or else from the commit, and forgets them. GET /app returns the number of calls to /lifecycle, which
 * /stats does not contain. Calls to /flood are not counted, and after GET /hang never answered, until GET /answer.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let latencies: number[] = [];
let lifecycleCalls = 0;
let isHanging = false;

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    if (req.url === '/count') return void res.end(String(latencies.length));
    if (req.url === '/stats') {
      res.end(JSON.stringify(latencies));
      latencies = [];
      return;
    }
    if (req.url === '/app') return void res.end(String(lifecycleCalls));
    if (req.url === '/lifecycle') {
      lifecycleCalls++;
      return void res.end();
    }
    if (req.url === '/flood') return void (isHanging || res.end());
    if (req.url === '/hang' || req.url === '/answer') {
      isHanging = req.url === '/hang';
      return void res.end();
    }
    const arrived = performance.timeOrigin + performance.now();
    const text = Buffer.concat(chunks).toString();
    const sentAt = /sentAt\W+(\d+\.\d+)/.exec(text)?.[1];
    const createdAt = /"createdAt":"([^"]+)"/.exec(text)?.[1];
    latencies.push(arrived - (sentAt ? Number(sentAt) : Date.parse(createdAt ?? '')));
    res.end();
  });
});
server.listen(Number(process.env.RECEIVER_PORT ?? 0), '127.0.0.1', () =>
  console.log((server.address() as AddressInfo).port),
);
process.on('SIGTERM', () => process.exit(0));
