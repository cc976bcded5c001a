import { once } from 'node:events';
import http, { type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@waybill/testing';
import { shedHeader } from '../../src/http/forwarding.ts';
import { createPeers, type PeersControl, type PeersOptions } from '../../src/http/peers.ts';
import { createLog } from '../../src/operations/log.ts';

const log = createLog('silent');
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a copy that answers with the request and notes its connections; it counts the requests. */
async function startCopy(): Promise<{ url: string; sockets: Set<Socket>; countRequests: () => number }> {
  const sockets = new Set<Socket>();
  let requests = 0;
  const server = http.createServer((req, res) => {
    requests++;
    sockets.add(req.socket);
    const answer = (body: string) => res.end(JSON.stringify(`${req.method} ${body}`));
    text(req).then(answer, () => {});
  });
  undo.push(() => server.closeAllConnections());
  return { url: await listen(server), sockets, countRequests: () => requests };
}

/** Starts a copy that accepts requests and never answers; it counts the requests. */
async function startSilent(): Promise<{ url: string; countRequests: () => number }> {
  let requests = 0;
  const server = http.createServer(() => requests++);
  undo.push(() => server.closeAllConnections());
  return { url: await listen(server), countRequests: () => requests };
}

/** Returns an address where nobody listens. */
async function nobody(): Promise<string> {
  const server = createServer();
  const url = await listen(server);
  server.close();
  await once(server, 'close');
  return url;
}

/** Starts a copy that resets the connection of a request; it counts the requests. */
async function startResetting(): Promise<{ url: string; countRequests: () => number }> {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      requests++;
      socket.resetAndDestroy();
    });
  });
  return { url: await listen(server), countRequests: () => requests };
}

type Times = Pick<PeersOptions, 'connectionMs' | 'callMs' | 'silenceMs'>;

function createTestPeers(urls: string[], times: Times = {}): PeersControl {
  const peers = createPeers({ urls: { notes: urls }, serviceToken: 'x'.repeat(16), log, ...times });
  undo.push(() => peers.close());
  return peers;
}

/** Opens a door in front of the peers and returns its address. */
async function openDoor(peers: PeersControl): Promise<string> {
  const handle: RequestListener = (req, res) => peers.forward('notes', req as IncomingMessage, res, {});
  const door = http.createServer(handle);
  undo.push(() => door.closeAllConnections());
  return listen(door);
}

/** Opens a bare connection to an address, and collects everything that comes back. */
function converse(url: string): { client: Socket; received: () => string } {
  const { port, hostname } = URL.parse(url)!;
  const client = connect(Number(port), hostname);
  undo.push(() => client.destroy());
  let received = '';
  client.on('data', (chunk) => {
    received += chunk;
  });
  return { client, received: () => received };
}

/** Returns the answer that a client gets through the gateway. */
async function ask(peers: PeersControl, method: string, body?: string) {
  const reply = await fetch(await openDoor(peers), { method, ...(body !== undefined && { body }) });
  return { status: reply.status, retryAfter: reply.headers.get('retry-after'), text: await reply.text() };
}

describe('a replica that refuses connections', () => {
  test.each([
    ['GET', undefined],
    ['POST', 'a body that goes to the other copy whole'],
  ])('%s is answered by another', async (method, body) => {
    const copy = await startCopy();
    const peers = createTestPeers([await nobody(), copy.url]);
    for (let i = 0; i < 4; i++) {
      expect(await ask(peers, method, body)).toMatchObject({
        status: 200,
        text: `"${method} ${body ?? ''}"`,
      });
    }
  });

  test('a call is answered by another replica', async () => {
    const server = http.createServer((_req, res) => void res.end('{"fine":true}'));
    const peers = createTestPeers([await nobody(), await listen(server)]);
    for (let i = 0; i < 4; i++)
      expect(await peers.call('notes', 'POST', '/internal/notes', {})).toEqual({ fine: true });
  });

  test('a call that is answered without a body returns null', async () => {
    const server = http.createServer((_req, res) => void res.writeHead(204).end());
    const peers = createTestPeers([await listen(server)]);
    expect(await peers.call('notes', 'POST', '/internal/notes', {})).toBe(null);
  });

  test('503 with Retry-After without another replica', async () => {
    const peers = createTestPeers([await nobody()]);
    expect(await ask(peers, 'POST', 'x')).toMatchObject({ status: 503, retryAfter: '1' });
  });
});

describe('a replica that ends during a request', () => {
  test('a read is answered by another replica', async () => {
    const [gone, copy] = [await startResetting(), await startCopy()];
    const peers = createTestPeers([gone.url, copy.url]);
    for (let i = 0; i < 4; i++) expect((await ask(peers, 'GET')).status).toBe(200);
    expect(gone.countRequests()).toBeGreaterThan(0);
  });

  test('a write is not sent again: 503 with Retry-After', async () => {
    const gone = await startResetting();
    const peers = createTestPeers([gone.url]);
    expect(await ask(peers, 'POST', 'x')).toMatchObject({ status: 503, retryAfter: '1' });
    expect(gone.countRequests()).toBe(1);
  });

  test('a call is answered by another replica', async () => {
    const [gone, copy] = [await startResetting(), await startCopy()];
    const peers = createTestPeers([gone.url, copy.url]);
    expect(await peers.call('notes', 'POST', '/internal/notes', {})).toBe('POST {}');
    expect(gone.countRequests()).toBe(1);
  });
});

describe('a silent replica', () => {
  test('is given up after the timeout, and not retried', async () => {
    const silent = await startSilent();
    const peers = createTestPeers([silent.url], { callMs: 50, silenceMs: 50 });
    expect(await ask(peers, 'GET')).toMatchObject({ status: 503, retryAfter: '1' });
    await expect(peers.call('notes', 'GET', '/internal/notes')).rejects.toMatchObject({ status: 503 });
    // Fewer if the time was over before the request had arrived.
    expect(silent.countRequests()).toBeLessThanOrEqual(2);
  });

  test('is not timed out while the client is still sending', async () => {
    const [copy, silenceMs] = [await startCopy(), 50];
    const door = URL.parse(await openDoor(createTestPeers([copy.url], { silenceMs })))!;
    const request = http.request(door, { method: 'POST' });
    const replied = once(request, 'response') as Promise<[IncomingMessage]>;
    request.write('slowly ');
    await eventually(() => copy.countRequests() === 1);
    await sleep(4 * silenceMs);
    request.end('sent');
    const [reply] = await replied;
    expect([reply.statusCode, await text(reply)]).toEqual([200, '"POST slowly sent"']);
  });
});

test('a client may pause its reading for longer than the timeout', async () => {
  const silenceMs = 2_000;
  const server = http.createServer(async (_req, res) => {
    res.write('the first half, ');
    await sleep(1.5 * silenceMs);
    res.end('the second');
  });
  const door = await openDoor(createTestPeers([await listen(server)], { silenceMs }));
  expect(await (await fetch(door)).text()).toBe('the first half, the second');
});

describe('a body stays within its request', () => {
  const other = 'GET /other HTTP/1.1\r\nHost: x\r\n\r\n';
  const chunked = `Transfer-Encoding: chunked\r\n\r\n${other.length.toString(16)}\r\n${other}\r\n0\r\n\r\n`;
  const measured = `Content-Length: ${other.length}\r\n\r\n${other}`;

  /** Returns the requests that a copy received for this text, followed by another request over the same connections. */
  async function recordRequests(
    method: string,
    rest: string,
  ): Promise<{ sent: string[]; statuses: string[] }> {
    const sent: string[] = [];
    const server = http.createServer(async (req, res) => {
      const body = await text(req);
      sent.push(`${req.method} ${req.url} ${body}`);
      res.end();
    });
    undo.push(() => server.closeAllConnections());
    const { client, received } = converse(await openDoor(createTestPeers([await listen(server)])));
    client.write(`${method} /one HTTP/1.1\r\nHost: x\r\n${rest}`);
    await eventually(() => received().includes('\r\n\r\n'));
    client.write('POST /two HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi');
    await once(client, 'close');
    return { sent, statuses: [...received().matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status!) };
  }

  test.each(['DELETE', 'OPTIONS', 'POST', 'PATCH'])('%s', async (method) => {
    for (const rest of [chunked, measured]) {
      const { sent, statuses } = await recordRequests(method, rest);
      expect(sent).toEqual([`${method} /one ${other}`, 'POST /two hi']);
      expect(statuses).toEqual(['200', '200']);
    }
  });

  test.each(['GET', 'HEAD'])('%s, whose body is not forwarded', async (method) => {
    for (const rest of [chunked, measured]) {
      const { sent, statuses } = await recordRequests(method, rest);
      expect(sent).toEqual([`${method} /one `, 'POST /two hi']);
      expect(statuses).toEqual(['200', '200']);
    }
  });
});

test('a body that a service answers without reading leaves the connection to the next request', async () => {
  const server = http.createServer((req, res) => void res.writeHead(req.url === '/two' ? 200 : 413).end());
  undo.push(() => server.closeAllConnections());
  const { client, received } = converse(await openDoor(createTestPeers([await listen(server)])));
  client.write('POST /one HTTP/1.1\r\nHost: x\r\nContent-Length: 4000001\r\n\r\n0');
  await eventually(() => received().includes('413'));
  client.write(Buffer.alloc(4_000_000));
  client.write('POST /two HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n');
  await eventually(() => received().includes('HTTP/1.1 200'));
});

test('a large answer reaches a slow client completely, without piling up listeners', async () => {
  const body = Buffer.alloc(8_000_000, 'x');
  const server = http.createServer((_req, res) => void res.end(body));
  undo.push(() => server.closeAllConnections());
  const peers = createTestPeers([await listen(server)]);
  let most = 0;
  const door = http.createServer((req, res) => {
    res.on('drain', () => {
      most = Math.max(most, res.listenerCount('close'));
    });
    peers.forward('notes', req, res, {});
  });
  undo.push(() => door.closeAllConnections());
  const { client, received } = converse(await listen(door));
  client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await once(client, 'close');
  expect(received().length).toBeGreaterThan(body.length);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(5);
});

test('a client that leaves aborts its request', async () => {
  const [requested, closed] = [new Set(), new Set()];
  const server = http.createServer((req, res) => {
    requested.add(req.url);
    res.once('close', () => closed.add(req.url));
    if (req.url === '/half') res.write('half of it');
  });
  undo.push(() => server.closeAllConnections());
  const door = await openDoor(createTestPeers([await listen(server)]));
  for (const path of ['/half', '/none']) {
    const leave = new AbortController();
    const reply = fetch(`${door}${path}`, { signal: leave.signal });
    if (path === '/half') await reply;
    await eventually(() => requested.has(path));
    leave.abort();
    await reply.catch(() => {});
    await eventually(() => closed.has(path));
  }
});

describe('several replicas', () => {
  test('take turns, regardless of checks for their existence', async () => {
    const copies = [await startCopy(), await startCopy(), await startCopy()];
    const peers = createTestPeers(copies.map(({ url }) => url));
    for (let i = 0; i < 6; i++) {
      peers.has('notes');
      peers.has('notes');
      await ask(peers, 'GET');
    }
    expect(copies.map(({ countRequests }) => countRequests())).toEqual([2, 2, 2]);
  });
});

test('requests whose bodies stall do not delay others', async () => {
  const copy = await startCopy();
  const peers = createTestPeers([copy.url]);
  const door = URL.parse(await openDoor(peers))!;
  const slow = Array.from({ length: 300 }, () => http.request(door, { method: 'POST' }));
  undo.push(() => slow.map((request) => request.on('error', () => {}).destroy()));
  for (const request of slow) request.write('x');
  await eventually(() => copy.countRequests() === slow.length);
  expect(await peers.call('notes', 'POST', '/internal/notes', {})).toBe('POST {}');
  expect((await ask(peers, 'GET')).status).toBe(200);
});

describe('a kept connection', () => {
  test('carries the next request', async () => {
    const copy = await startCopy();
    const peers = createTestPeers([copy.url]);
    for (let i = 0; i < 5; i++) await ask(peers, 'POST', 'x');
    expect(copy.sockets.size).toBe(1);
  });

  test('is closed after its maximum age', async () => {
    const copy = await startCopy();
    const peers = createTestPeers([copy.url], { connectionMs: 1 });
    for (let i = 0; i < 5; i++) {
      await ask(peers, 'POST', 'x');
      await sleep(5);
    }
    expect(copy.sockets.size).toBe(5);
  });
});

test('two hundred simultaneous writes all reach the only running replica', async () => {
  const [away, copy] = [await nobody(), await startCopy()];
  const door = await openDoor(createTestPeers([away, copy.url]));
  const replies = await Promise.all(
    Array.from({ length: 200 }, () => fetch(door, { method: 'POST', body: 'whole' })),
  );
  expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
});

test('a replica that sheds load is skipped, and the other gets all requests', async () => {
  let requests = 0;
  const shedding = http.createServer((_, res) => {
    requests++;
    res.writeHead(503, { 'retry-after': '1', [shedHeader]: 'yes' }).end();
  });
  undo.push(() => shedding.closeAllConnections());
  const [url, copy] = [await listen(shedding), await startCopy()];
  const both = createTestPeers([url, copy.url]);
  const alone = createTestPeers([url]);
  const doorOfOne = await openDoor(alone);
  await eventually(async () => {
    const reply = await fetch(doorOfOne);
    const received = [reply.status, reply.headers.get('retry-after'), reply.headers.get(shedHeader)];
    expect(received).toEqual([503, '1', null]);
    return alone.isShedding('notes');
  });
  const askedAlone = requests;
  await eventually(() => !alone.isShedding('notes'));
  const door = await openDoor(both);
  expect((await fetch(door)).status).toBe(503);
  expect(both.isShedding('notes')).toBe(false);
  expect(requests).toBe(askedAlone + 1);
  // It is asked again after its pause, so no more often than that, however slow this machine is.
  const before = { requests, at: performance.now() };
  for (let i = 0; i < 20; i++) await fetch(door).then((again) => again.text());
  expect(requests - before.requests).toBeLessThanOrEqual(1 + (performance.now() - before.at) / 50);
});
