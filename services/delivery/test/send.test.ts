import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { parseTrustedTargets, vetHost } from '@waybill/outbound';
import fc from 'fast-check';
import type { Destination as Sender } from '../src/destination.ts';
import { createSender, type SenderOptions } from '../src/sending/send.ts';
import { listen, type Receiver, startHttpReceiver, startRawReceiver, waitUntilClosed } from './receivers.ts';

const timeoutMs = 10_000;
/** Deadline for tests whose receivers let it pass. */
const shortMs = 400;
const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
});

function started<Each extends { stop(): Promise<void> }>(each: Each): Each {
  running.push(each);
  return each;
}

/** Creates a sender that may reach only this receiver. */
function senderTo({ port }: Receiver, options: Partial<SenderOptions> = {}): Sender {
  const trustedTargets = parseTrustedTargets(`127.0.0.1/32:${port}`);
  const sender = createSender({ trustedTargets, timeoutMs, ...options });
  running.unshift({ stop: () => sender.close() });
  return sender;
}

const call = (url: string) => ({ url, headers: { 'X-WB-Attempt': '1' }, body: '{"é":1}' });
const answering = (head: string) => startRawReceiver((socket) => socket.write(head));
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

describe('the stored part of a reply', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nSet-Cookie: sid=secret\r\n';

  it('is its headers without cookies, and the first KiB', async () => {
    const receiver = started(
      await startRawReceiver((socket) =>
        socket.write(`${head}Content-Length: 30000\r\n\r\n${'x'.repeat(30_000)}`),
      ),
    );
    const { reply } = await senderTo(receiver).send(call(receiver.url));
    expect(reply).toEqual({
      headers: { 'content-type': 'text/plain', 'content-length': '30000' },
      body: 'x'.repeat(1024),
    });
  });

  it('is the part that arrived before the connection broke', async () => {
    const receiver = started(
      await startRawReceiver((socket) => {
        socket.write(`${head}Content-Length: 99\r\n\r\nte`);
        setTimeout(() => socket.write('a, '), 20);
        setTimeout(() => socket.end('and'), 40);
      }),
    );
    const { delivered, reply } = await senderTo(receiver).send(call(receiver.url));
    expect([delivered, reply!.body]).toEqual([true, 'tea, and']);
  });

  it('is empty for an informational reply, or without a reply', async () => {
    const early = started(await answering(`HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n${ok}`));
    const { reply } = await senderTo(early).send(call(early.url));
    expect(reply).toEqual({ headers: { 'content-length': '0' }, body: '' });
    const broken = started(
      await startRawReceiver((socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Le')),
    );
    expect(await senderTo(broken).send(call(broken.url))).toMatchObject({ statusCode: null, reply: null });
  });
});

describe('what counts as delivered', () => {
  it.each([200, 201, 202, 204, 299])('a %i is', async (status) => {
    const receiver = started(await startHttpReceiver((_, reply) => reply.writeHead(status).end()));
    const outcome = await senderTo(receiver).send(call(receiver.url));
    expect(outcome).toEqual({
      delivered: true,
      statusCode: status,
      error: '',
      durationMs: expect.any(Number),
      reply: { headers: expect.objectContaining({ connection: 'keep-alive' }), body: '' },
      startedAt: expect.any(Number),
    });
  });

  it.each([300, 304, 400, 404, 410, 429, 500, 503, 599])('a %i is not', async (status) => {
    const receiver = started(await startHttpReceiver((_, reply) => reply.writeHead(status).end()));
    const outcome = await senderTo(receiver).send(call(receiver.url));
    expect(outcome).toMatchObject({ delivered: false, statusCode: status });
    expect(outcome.error).toMatch(`answered ${status}`);
  });

  it.each([301, 302, 303, 307, 308])('a %i is not, and is not followed', async (status) => {
    const redirectTarget = started(await startHttpReceiver((_, reply) => reply.end()));
    const receiver = started(
      await startHttpReceiver((_, reply) => reply.writeHead(status, { Location: redirectTarget.url }).end()),
    );
    const trustedTargets = parseTrustedTargets(
      `127.0.0.1/32:${receiver.port},127.0.0.1/32:${redirectTarget.port}`,
    );
    const outcome = await senderTo(receiver, { trustedTargets }).send(call(receiver.url));
    expect(outcome).toMatchObject({ delivered: false, statusCode: status });
    expect(outcome.error).toBe(`answered ${status}; redirects are not followed`);
    expect(redirectTarget.sockets).toHaveLength(0);
  });

  const continueResponse = 'HTTP/1.1 100 Continue\r\n\r\n';
  it.each([
    ['103', 'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n'],
    ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['100', continueResponse],
    ['100 with headers', 'HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n'],
    ['100 without a reason', 'HTTP/1.1 100 \r\n\r\n'],
    [
      'several',
      `${continueResponse}HTTP/1.1 102 Processing\r\n\r\n${continueResponse}${continueResponse}HTTP/1.1 103 Early Hints\r\n\r\n`,
    ],
  ])('the status after an unasked %s decides, however the bytes come', async (_, interim) => {
    const wholeReply = started(await answering(`${interim}${ok}`));
    const bytewise = started(
      await startRawReceiver(async (socket) => {
        for (const byte of `${interim}${ok}`) {
          socket.write(byte);
          await setImmediate();
        }
      }),
    );
    for (const receiver of [wholeReply, bytewise]) {
      const sender = senderTo(receiver);
      for (let i = 0; i < 2; i++) {
        const outcome = await sender.send(call(receiver.url));
        expect(outcome).toMatchObject({ delivered: true, statusCode: 200, error: '' });
        await setImmediate();
      }
    }
  });

  it('a status line that only starts like 100 is not an interim reply', async () => {
    const receiver = started(await answering('HTTP/1.1 1000 No\r\n\r\n'));
    const outcome = await senderTo(receiver).send(call(receiver.url));
    expect(outcome).toMatchObject({ delivered: false, error: 'the reply is not valid HTTP' });
  });
});

it('sends the body, the headers and the path unchanged', async () => {
  let seen: unknown;
  const receiver = started(
    await startHttpReceiver(async (incoming, reply) => {
      const chunks = await incoming.toArray();
      const { headers, method, url } = incoming;
      seen = { method, url, body: Buffer.concat(chunks).toString(), headers };
      reply.end();
    }),
  );
  await senderTo(receiver).send(call(`${receiver.url}/a%20b?c=d&e#f`));
  expect(seen).toEqual({
    method: 'POST',
    url: '/hook/a%20b?c=d&e',
    body: '{"é":1}',
    headers: expect.objectContaining({
      host: `127.0.0.1:${receiver.port}`,
      'x-wb-attempt': '1',
      'content-length': '8',
    }),
  });
});

describe('the address rule at connect', () => {
  it('does not connect to a name that has become private since it was stored', async () => {
    const receiver = started(await startHttpReceiver((_, reply) => reply.end()));
    const url = `http://rebinding.example:${receiver.port}/`;
    const answers = ['93.184.216.34', '127.0.0.1'];
    const lookup = async () => [answers.shift()!];
    expect(await vetHost(new URL(url), [], { lookup })).toEqual({ addresses: ['93.184.216.34'] });
    const outcome = await senderTo(receiver, { trustedTargets: [], lookup }).send(call(url));
    expect(outcome).toMatchObject({ delivered: false, statusCode: null });
    expect(outcome.error).toBe('the host leads to an address that is not allowed');
    expect(answers).toEqual([]);
    expect(receiver.sockets).toHaveLength(0);
  });

  it.each(['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost', 'a.localhost', 'mixed.example'])(
    'does not connect to %s',
    async (host) => {
      const receiver = started(await startHttpReceiver((_, reply) => reply.end()));
      const lookup = async () => ['93.184.216.34', '127.0.0.1'];
      const sender = senderTo(receiver, { trustedTargets: [], lookup });
      const outcome = await sender.send(call(`http://${host}:${receiver.port}/`));
      expect(outcome.error).toBe('the host leads to an address that is not allowed');
      expect(receiver.sockets).toHaveLength(0);
    },
  );

  it('connects to the vetted address, under the name of the URL', async () => {
    let host: string | undefined;
    const receiver = started(
      await startHttpReceiver(({ headers }, reply) => {
        host = headers.host;
        reply.end();
      }),
    );
    const sender = senderTo(receiver, { lookup: async () => ['127.0.0.1'] });
    expect(await sender.send(call(`http://shop.example:${receiver.port}/`))).toMatchObject({
      delivered: true,
    });
    expect(host).toBe(`shop.example:${receiver.port}`);
  });

  it('reaches localhost if only one of its addresses listens', async () => {
    const receiver = started(await startHttpReceiver((_, reply) => reply.end()));
    const trustedTargets = parseTrustedTargets(`127.0.0.1/32:${receiver.port},[::1]/128:${receiver.port}`);
    const sender = senderTo(receiver, { trustedTargets });
    expect(await sender.send(call(`http://localhost:${receiver.port}/`))).toMatchObject({ delivered: true });
  });

  it('reports a name that does not resolve', async () => {
    const receiver = started(await startHttpReceiver((_, reply) => reply.end()));
    const sender = senderTo(receiver, { lookup: () => Promise.reject(new Error('ENOTFOUND')) });
    expect((await sender.send(call('http://nowhere.example/'))).error).toBe('the host name does not resolve');
    const hanging = senderTo(receiver, { lookup: () => new Promise(() => {}), timeoutMs: shortMs });
    const outcome = await hanging.send(call('http://hanging.example/'));
    expect(outcome.delivered).toBe(false);
    expect(outcome.durationMs).toBeLessThan(timeoutMs);
  });

  it('does not call an unsupported URL', async () => {
    const receiver = started(await startHttpReceiver((_, reply) => reply.end()));
    expect((await senderTo(receiver).send(call('ftp://127.0.0.1/'))).error).toMatch(
      'does not begin with http',
    );
  });
});

describe('the deadline', () => {
  const drip = (first: string) => (socket: Socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(timer));
  };

  it.each([
    ['never answers', () => {}],
    ['drips headers for ever', drip('HTTP/1.1 200 OK\r\nX-Drip: ')],
    ['sends 1xx for ever', (socket: Socket) => socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000))],
    ['stops before the end of its headers', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\n')],
  ])('ends a call to a receiver that %s', async (_, behave) => {
    const receiver = started(await startRawReceiver(behave));
    const outcome = await senderTo(receiver, { timeoutMs: shortMs }).send(call(receiver.url));
    expect(outcome).toMatchObject({ delivered: false, statusCode: null, error: 'no complete reply in time' });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(shortMs - 5);
    await waitUntilClosed(receiver.sockets[0]!);
  });

  it('ends the reading of a slow body, which still counts as delivered', async () => {
    const receiver = started(
      await startRawReceiver(drip('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n')),
    );
    const outcome = await senderTo(receiver, { timeoutMs: shortMs }).send(call(receiver.url));
    expect(outcome).toMatchObject({ delivered: true, statusCode: 200, error: '' });
    await waitUntilClosed(receiver.sockets[0]!);
  });

  it('covers a TLS handshake that never completes', async () => {
    const receiver = started(await startRawReceiver(() => {}));
    const sender = senderTo(receiver, { timeoutMs: shortMs });
    const outcome = await sender.send(call(`https://127.0.0.1:${receiver.port}/`));
    expect(outcome.delivered).toBe(false);
    expect(outcome.error).toMatch(/in time|too long/);
    await waitUntilClosed(receiver.sockets[0]!);
  });
});

describe('excessive replies', () => {
  it('reads no more than its limit of an endless body', async () => {
    const megabyte = Buffer.alloc(1 << 20);
    const receiver = started(
      await startRawReceiver((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        const pour = () => {
          while (!socket.destroyed && socket.write(`100000\r\n${megabyte.toString('latin1')}\r\n`, 'latin1'));
        };
        socket.on('drain', pour);
        pour();
      }),
    );
    const sender = senderTo(receiver);
    const outcome = await sender.send(call(receiver.url));
    expect(outcome).toMatchObject({ delivered: true, statusCode: 200 });
    expect(outcome.durationMs).toBeLessThan(timeoutMs);
    await waitUntilClosed(receiver.sockets[0]!);
    const sent = receiver.sockets[0]!.bytesWritten - receiver.sockets[0]!.writableLength;
    expect(sent).toBeLessThan(30 << 20); // counts what the kernel buffers, not what the sender read
  });

  it('refuses endless headers', async () => {
    const receiver = started(
      await answering(`HTTP/1.1 200 OK\r\n${`X-H: ${'x'.repeat(1000)}\r\n`.repeat(100)}`),
    );
    const outcome = await senderTo(receiver).send(call(receiver.url));
    expect(outcome).toMatchObject({ delivered: false, error: 'the reply headers are too large' });
    await waitUntilClosed(receiver.sockets[0]!);
  });
});

describe('failures', () => {
  it('a refused connection', async () => {
    const receiver = await startHttpReceiver(() => {});
    await receiver.stop();
    const outcome = await senderTo(receiver).send(call(receiver.url));
    expect(outcome).toMatchObject({
      delivered: false,
      statusCode: null,
      error: 'the connection was refused',
    });
  });

  it.each([
    ['is reset', (socket: Socket) => socket.resetAndDestroy(), 'reset'],
    ['ends without a byte', (socket: Socket) => socket.end(), 'closed'],
    ['ends within the headers', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nX-A: b'), 'closed'],
  ])('a new connection that %s: one call, no second try', async (_, behave, how) => {
    const receiver = started(await startRawReceiver(behave));
    const outcome = await senderTo(receiver).send(call(receiver.url));
    expect(outcome).toMatchObject({ delivered: false, statusCode: null });
    expect(outcome.error).toBe(`the connection was ${how} before a complete reply`);
    expect(receiver.sockets).toHaveLength(1);
  });

  it.each([
    'SSH-2.0-OpenSSH_9.6\r\n',
    'HTTP/9.9 OK\r\n\r\n',
    '\0\0\0\0',
    '<html></html>\n',
    'HTTP/1.1 2000 OK\r\n\r\n',
  ])('an answer that is not HTTP: %j', async (answer) => {
    const receiver = started(await answering(answer));
    const outcome = await senderTo(receiver).send(call(receiver.url));
    expect(outcome).toMatchObject({
      delivered: false,
      statusCode: null,
      error: 'the reply is not valid HTTP',
    });
  });

  it('any reply at all ends in an outcome in time', async () => {
    let answer = '';
    const receiver = started(await startRawReceiver((socket) => socket.end(answer, 'latin1')));
    const sender = senderTo(receiver, { timeoutMs: shortMs });
    const piece = fc.constantFrom(
      'HTTP/1.1 ',
      'HTTP/1.0 ',
      '100 Continue',
      '101 Switching',
      '103 Hints',
      '200 OK',
      '204 No',
      '304 Not',
      '500 No',
      '\r\n',
      '\r\n\r\n',
      '\n',
      'Content-Length: 5',
      'Content-Length: -1',
      'Connection: upgrade',
      'Upgrade: h2c',
      'Transfer-Encoding: chunked',
      'Connection: close',
      'Keep-Alive: timeout=9e9',
      'hello',
      '5\r\nhello\r\n0\r\n\r\n',
      'ffffffffffffffff\r\n',
      '\0',
      '\xff',
      ': ',
      'Trailer: x',
      'PRI * HTTP/2.0',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        answer = pieces.join('');
        const outcome = await sender.send(call(receiver.url));
        const inRange = outcome.statusCode !== null && outcome.statusCode >= 200 && outcome.statusCode < 300;
        expect([outcome.delivered, outcome.error === '']).toEqual([inRange, inRange]);
        expect(outcome.durationMs).toBeLessThan(timeoutMs);
      }),
      { numRuns: 300 },
    );
  });
});

describe('TLS', () => {
  const certificate = (file: string) =>
    readFileSync(new URL(`./certificates/${file}`, import.meta.url), 'utf8');
  const [key, cert] = [certificate('receiver.key'), certificate('receiver.crt')];
  const lookup = async () => ['127.0.0.1'];

  async function tlsReceiver(): Promise<{ receiver: Receiver; names: unknown[] }> {
    const names: unknown[] = [];
    const server = createTlsServer({ key, cert }, (incoming, reply) => {
      names.push((incoming.socket as unknown as { servername: unknown }).servername, incoming.headers.host);
      reply.end();
    });
    return { receiver: started(await listen(server)), names };
  }

  it('requests the host of the URL and checks its certificate', async () => {
    const { receiver, names } = await tlsReceiver();
    const sender = senderTo(receiver, { lookup, ca: cert });
    const outcome = await sender.send(call(`https://receiver.test:${receiver.port}/`));
    expect(outcome).toMatchObject({ delivered: true, statusCode: 200 });
    expect(names).toEqual(['receiver.test', `receiver.test:${receiver.port}`]);
  });

  it.each([
    ['of another host', 'other.test', cert, 'the TLS certificate is for another host'],
    ['of a host, at a bare address', '127.0.0.1', cert, 'the TLS certificate is for another host'],
    [
      'nobody vouches for',
      'receiver.test',
      undefined,
      'the TLS certificate is not trusted: it is self-signed',
    ],
  ])('refuses a certificate %s', async (_, host, ca, error) => {
    const { receiver, names } = await tlsReceiver();
    const outcome = await senderTo(receiver, { lookup, ca }).send(call(`https://${host}:${receiver.port}/`));
    expect(outcome).toMatchObject({ delivered: false, statusCode: null, error });
    expect(names).toEqual([]);
  });

  it('reports a receiver that does not speak TLS', async () => {
    const receiver = started(await answering('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const outcome = await senderTo(receiver).send(call(`https://127.0.0.1:${receiver.port}/`));
    expect(outcome).toMatchObject({
      delivered: false,
      error: 'the TLS handshake failed: the receiver does not speak TLS',
    });
  });
});

describe('connections', () => {
  it('are reused', async () => {
    const receiver = started(await startHttpReceiver((_, reply) => reply.end('fine')));
    const sender = senderTo(receiver);
    for (let i = 0; i < 5; i++) {
      await sender.send(call(receiver.url));
      await setImmediate(); // the client takes one turn to notice that the receiver closes
    }
    expect(receiver.sockets).toHaveLength(1);
  });

  it('are closed when idle, even if the receiver would keep them', async () => {
    const receiver = started(
      await answering('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nKeep-Alive: timeout=600\r\n\r\n'),
    );
    await senderTo(receiver, { idleMs: 50 }).send(call(receiver.url));
    await waitUntilClosed(receiver.sockets[0]!);
  });

  it('are limited in number', async () => {
    const receiver = started(await answering(ok));
    const other = started(await answering(ok));
    const trustedTargets = parseTrustedTargets(`127.0.0.1/32:${receiver.port},127.0.0.1/32:${other.port}`);
    const sender = senderTo(receiver, { trustedTargets, idleConnections: 1 });
    await sender.send(call(receiver.url));
    await sender.send(call(other.url));
    await waitUntilClosed(other.sockets[0]!);
    expect(receiver.sockets[0]!.closed).toBe(false);
  });

  it('that break after reuse fail their call, because a call that reached a receiver is an attempt', async () => {
    const receiver = started(
      await startRawReceiver((socket, count) => (count === 2 ? socket.resetAndDestroy() : socket.write(ok))),
    );
    const sender = senderTo(receiver);
    expect(await sender.send(call(receiver.url))).toMatchObject({ delivered: true });
    await setImmediate();
    expect(await sender.send(call(receiver.url))).toMatchObject({
      delivered: false,
      error: 'the connection was reset before a complete reply',
    });
    expect(receiver.sockets).toHaveLength(1);
    expect(await sender.send(call(receiver.url))).toMatchObject({ delivered: true });
  });

  it('end with close(), after the calls in flight', async () => {
    const receiver = started(
      await startHttpReceiver((_, reply) => {
        setTimeout(() => reply.end(), 100);
      }),
    );
    const sender = senderTo(receiver);
    const inFlight = Array.from({ length: 5 }, () => sender.send(call(receiver.url)));
    await sender.close();
    expect((await Promise.all(inFlight)).every((outcome) => outcome.delivered)).toBe(true);
    await Promise.all(receiver.sockets.map(waitUntilClosed));
    await expect(sender.send(call(receiver.url))).rejects.toThrow('the sender is closed');
  });

  it('end with close() when a receiver hangs', async () => {
    const receiver = started(await startRawReceiver(() => {}));
    const sender = senderTo(receiver);
    const inFlight = sender.send(call(receiver.url));
    await sender.close();
    expect((await inFlight).delivered).toBe(false);
  });
});
