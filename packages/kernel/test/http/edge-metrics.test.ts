import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { measureEdge } from '../../src/http/edge-metrics.ts';
import { createPeers } from '../../src/http/peers.ts';
import { listen, type OpenServer } from '../../src/http/server.ts';
import { createLog, metrics } from '../../src/index.ts';

let far: http.Server;
let server: OpenServer;
const log = createLog('silent');
let peers: ReturnType<typeof createPeers>;

beforeAll(async () => {
  far = http.createServer((req, res) => {
    if (req.url!.startsWith('/things/')) res.setHeader('x-waybill-route', 'GET /things/{id}');
    if (req.url!.startsWith('/many/')) res.setHeader('x-waybill-route', req.url!);
    res.writeHead(req.url === '/things/broken' ? 500 : 200).end('{}');
  });
  far.listen(0, '127.0.0.1');
  await once(far, 'listening');
  peers = createPeers({
    urls: { far: [`http://127.0.0.1:${(far.address() as AddressInfo).port}`] },
    serviceToken: 'x'.repeat(16),
    log,
  });
  const address = { host: '127.0.0.1', port: 0 };
  server = await listen(
    measureEdge((req, res) => peers.forward('far', req, res, {})),
    address,
    true,
  );
});
afterAll(async () => {
  await server.close();
  peers.close();
  far.closeAllConnections();
  far.close();
});

/** Returns the number of answers that the metric has counted, by route and kind. */
async function counted(): Promise<Record<string, number>> {
  const text = await metrics.getSingleMetricAsString('waybill_gateway_request_seconds');
  const lines = text.matchAll(/_count\{route="([^"]*)",status="(\w+)"\} (\d+)/g);
  return Object.fromEntries(
    [...lines].map(([, route, status, count]) => [`${route} ${status}`, Number(count)]),
  );
}

test('the public port counts by the answering route, which clients do not see, and never by path', async () => {
  // The metric belongs to the process, in which other suites may have counted before.
  const before = await counted();
  for (const path of ['/things/1', '/things/2', '/things/broken', '/nothing/here']) {
    const reply = await fetch(server.url + path);
    await reply.text();
    expect(reply.headers.has('x-waybill-route')).toBe(false);
  }
  const after = await counted();
  const more = Object.keys(after).map((row) => [row, after[row]! - (before[row] ?? 0)] as const);
  expect(Object.fromEntries(more.filter(([, count]) => count > 0))).toEqual({
    'GET /things/{id} 2xx': 2,
    'GET /things/{id} 5xx': 1,
    'none 2xx': 1,
  });
});

test('a service that reports ever more routes adds at most a thousand labels', async () => {
  for (let i = 0; i < 1_010; i++) await (await fetch(`${server.url}/many/${i}`)).text();
  const rows = await counted();
  expect(Object.keys(rows).filter((row) => row.startsWith('/many/')).length).toBeLessThan(1_000);
  expect(rows['other 2xx']).toBeGreaterThan(10);
});
