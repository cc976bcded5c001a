import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { eventually } from '@waybill/testing';
import { listen } from '../../src/http/server.ts';

describe('the end of a server', () => {
  test('an answer during the stop says that the connection ends', async () => {
    const begun = Promise.withResolvers<ServerResponse>();
    const server = await listen((_, res) => begun.resolve(res), { host: '127.0.0.1', port: 0 }, false);
    const agent = new http.Agent({ keepAlive: true });
    const request = http.get(server.url, { agent });
    const inFlight = await begun.promise;
    const closed = server.close();
    inFlight.end('done');
    const [reply] = (await once(request, 'response')) as [IncomingMessage];
    expect(reply.headers.connection).toBe('close');
    expect(Buffer.concat(await reply.toArray()).toString()).toBe('done');
    await closed;
    agent.destroy();
  });

  test('a request on an open connection is answered at the beginning of the stop', async () => {
    const server = await listen((_, res) => void res.end('done'), { host: '127.0.0.1', port: 0 }, false);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const url = server.url;
    const ask = async () => {
      const [reply] = (await once(http.get(url, { agent }), 'response')) as [IncomingMessage];
      await reply.toArray();
      return reply.headers.connection;
    };
    expect(await ask()).toBe('keep-alive');
    const closed = server.close();
    expect(await ask()).toBe('close');
    await closed;
    agent.destroy();
  });
});

(process.platform === 'linux' ? test : test.skip)(
  'new connections do not wait behind each other where turns of the event loop are long',
  async () => {
    const [count, turnMs] = [64, 15];
    let taken = 0;
    const server = await listen((_, res) => void res.end(), { host: '127.0.0.1', port: 0 }, true);
    server.http.on('connection', () => taken++);
    const { port } = new URL(server.url);
    const clients = Array.from({ length: count }, () => connect(Number(port), '127.0.0.1'));
    let turns = 0;
    while (taken < count && turns < 3 * count) {
      turns++;
      for (const until = performance.now() + turnMs; performance.now() < until; );
      await new Promise(setImmediate);
    }
    expect({ taken, isQuick: turns < count / 2 }).toEqual({ taken: count, isQuick: true });
    for (const client of clients) client.destroy();
    await server.close();
  },
);

test('invalid HTTP is not answered in the middle of an answer', async () => {
  const handler = async (_: IncomingMessage, res: ServerResponse) => {
    res.writeHead(200, { 'content-length': 10 }).write('begun');
    await new Promise((resolve) => setTimeout(resolve, 200));
    res.end('ended');
  };
  const server = await listen((req, res) => void handler(req, res), { host: '127.0.0.1', port: 0 }, true);
  const said = async (...parts: string[]) => {
    const client = connect(Number(new URL(server.url).port), '127.0.0.1');
    let text = '';
    client.on('data', (chunk) => {
      text += chunk;
      if (text.endsWith('begun')) client.write(parts.pop() ?? '');
    });
    client.on('error', () => {});
    client.write(parts.shift()!);
    await once(client, 'close');
    return text;
  };
  const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  expect((await said(get, 'no request\r\n\r\n')).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  expect(await said('no request\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  await server.close();
});

test('an unused connection is closed silently; an incomplete request gets an answer', async () => {
  const server = await listen((_, res) => void res.end(), { host: '127.0.0.1', port: 0 }, true);
  // The error that Node raises after 15 seconds, for which it checks twice a minute.
  const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  const said = async (begun: string) => {
    const accepted = once(server.http, 'connection');
    const client = connect(Number(new URL(server.url).port), '127.0.0.1');
    let text = '';
    client.on('data', (chunk) => {
      text += chunk;
    });
    client.on('error', () => {});
    const [socket] = (await accepted) as [Socket];
    client.write(begun);
    await eventually(() => socket.bytesRead === begun.length);
    server.http.emit('clientError', late, socket);
    await once(client, 'close');
    return text;
  };
  expect(await said('')).toBe('');
  expect(await said('GET / HT')).toMatch(/^HTTP\/1\.1 408 /);
  await server.close();
});
