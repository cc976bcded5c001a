import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { parseTrustedTargets, seal } from '@waybill/outbound';
import { amqpUrl, eventually, startReceiver } from '@waybill/testing';
import { connect } from 'amqplib';
import { startFauxqs } from 'fauxqs';
import { checkCall } from '../src/checks/checks.ts';
import type { Call, Destination } from '../src/destination.ts';
import { RabbitMqDestination } from '../src/destinations/rabbitmq.ts';
import { SqsDestination } from '../src/destinations/sqs.ts';
import { createSender } from '../src/sending/send.ts';

/** A message as it arrived at its destination. */
interface Arrived {
  body: string;
  attributes: Record<string, string | undefined>;
}

/** A destination under test, with the helpers that the suite needs. */
interface TestDestination {
  call(body: string, host?: string): Call;
  trusted: string;
  received(): Promise<Arrived[]>;
  close(): Promise<void>;
}

const headers = {
  'Content-Type': 'application/json',
  'X-WB-Event-Id': 'evt_1',
  'X-WB-Signature': 'sha256=ab',
  'X-WB-Attempt': '1',
};
const refusedPort = 1;

async function http(): Promise<TestDestination> {
  const receiver = await startReceiver();
  return {
    call: (body, host) => ({ url: host ? `http://${host}/` : receiver.url, headers, body }),
    trusted: receiver.trusted,
    received: async () =>
      receiver.calls.map((call) => ({
        body: call.body,
        attributes: Object.fromEntries(
          Object.keys(headers).map((name) => [name, String(call.headers[name.toLowerCase()])]),
        ),
      })),
    close: () => receiver.close(),
  };
}

async function rabbitmq(): Promise<TestDestination> {
  const { hostname, port, username, password, pathname } = new URL(amqpUrl);
  const name = `waybill-test-${randomBytes(6).toString('hex')}`;
  const model = await connect(amqpUrl);
  const channel = await model.createChannel();
  await channel.assertQueue(name, { exclusive: true });
  const arrived: Arrived[] = [];
  await channel.consume(
    name,
    (message) => {
      const { contentType, headers: own } = message!.properties;
      arrived.push({
        body: message!.content.toString(),
        attributes: { ...(own as Record<string, string>), 'Content-Type': contentType },
      });
    },
    { noAck: true },
  );
  const address = (host = `${hostname}:${port || 5672}`) =>
    ({
      kind: 'rabbitmq',
      url: `amqp://${username}@${host}${pathname}`,
      exchange: '',
      routingKey: name,
    }) as const;
  return {
    call: (body, host) => ({
      url: address(host).url,
      headers,
      body,
      queue: {
        address: address(host),
        secret: decodeURIComponent(password),
        eventId: 'evt_1',
        messageId: randomBytes(6).toString('hex'),
        subject: null,
      },
    }),
    trusted: `127.0.0.1/32:${port || 5672}`,
    received: async () => arrived,
    close: () => model.close(),
  };
}

async function sqs(): Promise<TestDestination> {
  const server = await startFauxqs({ port: 0, logger: false });
  const endpoint = `http://127.0.0.1:${server.port}`;
  const keys = { accessKeyId: 'an-access-key', secretAccessKey: 'a/secret+key' };
  const client = new SQSClient({ region: 'eu-west-1', endpoint, credentials: keys });
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: 'calls' }));
  const path = new URL(QueueUrl).pathname;
  const arrived: Arrived[] = [];
  const address = (host = `127.0.0.1:${server.port}`) =>
    ({
      kind: 'sqs',
      queueUrl: `http://${host}${path}`,
      region: 'eu-west-1',
      accessKeyId: keys.accessKeyId,
    }) as const;
  return {
    call: (body, host) => ({
      url: address(host).queueUrl,
      headers,
      body,
      queue: {
        address: address(host),
        secret: keys.secretAccessKey,
        eventId: 'evt_1',
        messageId: randomBytes(6).toString('hex'),
        subject: 'prd_1',
      },
    }),
    trusted: `127.0.0.1/32:${server.port}`,
    async received() {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: address().queueUrl,
          MaxNumberOfMessages: 10,
          MessageAttributeNames: ['All'],
        }),
      );
      for (const { Body = '', MessageAttributes = {} } of Messages)
        arrived.push({
          body: Body,
          attributes: {
            ...Object.fromEntries(
              Object.entries(MessageAttributes).map(([name, value]) => [name, value.StringValue]),
            ),
            'Content-Type': 'application/json',
          },
        });
      return arrived;
    },
    async close() {
      client.destroy();
      await server.stop();
    },
  };
}

const options = (trusted: string) => ({
  trustedTargets: parseTrustedTargets(`${trusted},127.0.0.1/32:${refusedPort}`),
  timeoutMs: 5_000,
});

describe.each<[string, () => Promise<TestDestination>, (trusted: string) => Destination]>([
  ['a URL', http, (trusted) => createSender(options(trusted))],
  ['RabbitMQ', rabbitmq, (trusted) => new RabbitMqDestination(options(trusted))],
  ['SQS', sqs, (trusted) => new SqsDestination(options(trusted))],
])('%s as a destination', (kind, open, create) => {
  let target: TestDestination;
  let destination: Destination;
  beforeAll(async () => {
    target = await open();
    destination = create(target.trusted);
  });
  afterAll(async () => {
    await destination.close();
    await target.close();
  });

  test('receives the body unchanged, with the headers of the contract', async () => {
    const body = '{"id":"evt_1","data":{"text":"ä 日本 \\u0000"}}';
    const outcome = await destination.send(target.call(body));
    expect(outcome).toMatchObject({ delivered: true, error: '' });
    expect(outcome.startedAt).not.toBeNull();
    const arrived = await eventually(async () =>
      (await target.received()).find((each) => each.body === body),
    );
    expect(arrived.attributes).toMatchObject(headers);
  });

  test('receives many messages at once', async () => {
    const bodies = Array.from({ length: 20 }, (_, n) => `{"n":${n}}`);
    const outcomes = await Promise.all(bodies.map((body) => destination.send(target.call(body))));
    expect(outcomes.every(({ delivered }) => delivered)).toBe(true);
    await eventually(async () => {
      const arrived = new Set((await target.received()).map(({ body }) => body));
      return bodies.every((body) => arrived.has(body));
    });
  });

  test('is not called at a forbidden or closed address, and the outcome says so', async () => {
    expect(await destination.send(target.call('{}', '10.0.0.1:5672'))).toMatchObject({
      delivered: false,
      startedAt: null,
      error: 'the host leads to an address that is not allowed',
    });
    expect(await destination.send(target.call('{}', 'no.such.name.invalid:5672'))).toMatchObject({
      error: 'the host name does not resolve',
    });
    expect(await destination.send(target.call('{}', `127.0.0.1:${refusedPort}`))).toMatchObject({
      error: 'the connection was refused',
    });
  });

  test('receives no call that could not start in time', async () => {
    const late = { ...target.call('{"late":true}'), startBefore: performance.now() - 1 };
    expect(await destination.send(late)).toMatchObject({ delivered: false, isNotStarted: true });
    expect((await target.received()).map(({ body }) => body)).not.toContain('{"late":true}');
  });

  if (kind !== 'a URL') {
    test('can be checked without a message, and reports its refusal', async () => {
      expect(await destination.check!(target.call('{}'))).toBe('');
      const wrong = target.call('{}', `127.0.0.1:${refusedPort}`);
      expect(await destination.check!(wrong)).toBe('the connection was refused');
    });
  }
});

describe('RabbitMQ', () => {
  let target: TestDestination;
  let destination: Destination;
  beforeAll(async () => {
    target = await rabbitmq();
    destination = new RabbitMqDestination(options(target.trusted));
  });
  afterAll(async () => {
    await destination.close();
    await target.close();
  });
  const callWith = (address: object, secret?: string): Call => {
    const call = target.call('{}');
    const queue = call.queue!;
    return {
      ...call,
      queue: { ...queue, address: { ...queue.address, ...address } as never, secret: secret ?? queue.secret },
    };
  };

  test('an unroutable message, a missing exchange and a wrong password fail, without revealing names', async () => {
    expect(await destination.send(callWith({ routingKey: 'nobody' }))).toMatchObject({
      delivered: false,
      error: 'no queue is bound to that routing key',
    });
    expect(await destination.send(callWith({ exchange: 'no-such-exchange' }))).toMatchObject({
      delivered: false,
      error: 'the exchange does not exist',
    });
    expect(await destination.send(callWith({}, 'wrong'))).toMatchObject({
      delivered: false,
      error: 'the broker refused the user, or access to the exchange',
    });
    // The missing exchange closed the connection, so the next call opens it again.
    expect(await destination.send(target.call('{}'))).toMatchObject({ delivered: true });
  });
});

describe('a connection to RabbitMQ', () => {
  let target: TestDestination;
  let proxy: Server;
  const link = { isFrozen: false, sockets: new Set<Socket>(), opened: 0 };
  beforeAll(async () => {
    target = await rabbitmq();
    const { hostname, port } = new URL(amqpUrl);
    proxy = createServer((client) => {
      const broker = createConnection(Number(port || 5672), hostname);
      link.opened++;
      for (const socket of [client, broker]) link.sockets.add(socket.on('error', () => {}));
      client.on('data', (bytes) => link.isFrozen || broker.write(bytes)).on('close', () => broker.destroy());
      broker.on('data', (bytes) => client.write(bytes)).on('close', () => client.destroy());
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  });
  afterAll(async () => {
    for (const socket of link.sockets) socket.destroy();
    proxy.close();
    await target.close();
  });
  const port = () => (proxy.address() as AddressInfo).port;
  const call = () => target.call('{}', `127.0.0.1:${port()}`);

  test('that closes when idle gets no more calls, and one that does not close affects no other', async () => {
    const destination = new RabbitMqDestination({ ...options(`127.0.0.1/32:${port()}`), idleMs: 50 });
    expect(await destination.send(call())).toMatchObject({ delivered: true });
    const opened = link.opened;
    // The broker is cut off, so it does not hear that the connection is closing.
    link.isFrozen = true;
    await new Promise((resolve) => setTimeout(resolve, 200));
    link.isFrozen = false;
    expect(await destination.send(call())).toMatchObject({ delivered: true });
    expect(link.opened).toBe(opened + 1);
    link.isFrozen = true;
    const began = performance.now();
    await destination.close();
    expect(performance.now() - began).toBeLessThan(5_000);
    link.isFrozen = false;
  });
});

describe('a failed connection to RabbitMQ', () => {
  const servers: Server[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
  });
  const startServer = async (onConnection: (socket: Socket) => void) => {
    const server = createServer((socket) => {
      onConnection(socket.on('error', () => {}));
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const callTo = (url: string): Call => ({
    url,
    headers,
    body: '{}',
    queue: {
      address: { kind: 'rabbitmq', url, exchange: '', routingKey: 'q' },
      secret: 'pw',
      eventId: 'evt_1',
      messageId: 'a',
      subject: null,
    },
  });

  test.each<[string, string, (socket: Socket) => void, string]>([
    [
      'a reset',
      'amqp',
      (socket) => socket.once('data', () => socket.resetAndDestroy()),
      'the connection was reset before a complete reply',
    ],
    [
      'a close',
      'amqp',
      (socket) => socket.once('data', () => socket.end()),
      'the connection was closed before a complete reply',
    ],
    [
      'a server of HTTP',
      'amqp',
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      'the answer is not one of AMQP',
    ],
    [
      'a broker without TLS',
      'amqps',
      (socket) => socket.once('data', () => socket.end('AMQP\0\0\t\u0001')),
      'the TLS handshake failed: the receiver does not speak TLS',
    ],
    [
      'a reset in TLS',
      'amqps',
      (socket) => socket.once('data', () => socket.resetAndDestroy()),
      'the TLS handshake failed: the connection was closed',
    ],
    [
      'a close in TLS',
      'amqps',
      (socket) => socket.once('data', () => socket.end()),
      'the TLS handshake failed: the connection was closed',
    ],
  ])('says that it was %s', async (_, scheme, onConnection, error) => {
    const port = await startServer(onConnection);
    const destination = new RabbitMqDestination(options(`127.0.0.1/32:${port}`));
    expect(await destination.send(callTo(`${scheme}://ada@127.0.0.1:${port}`))).toMatchObject({ error });
    await destination.close();
  });

  test('to a broker without TLS fails in the step of TLS when it is checked', async () => {
    const port = await startServer((socket) => socket.once('data', () => socket.end('AMQP\0\0\t\u0001')));
    const encryptionKeys = [{ id: '', key: randomBytes(32) }];
    const trustedTargets = parseTrustedTargets(`127.0.0.1/32:${port}`);
    const { url, queue } = callTo(`amqps://ada@127.0.0.1:${port}`);
    const config = { encryptionKeys, trustedTargets, concurrency: 1, slowConcurrency: 1 };
    const checks = await checkCall(
      { config },
      {
        storeId: 'str_1',
        deliveryId: 'whd_1',
        endpointId: 'whe_1',
        url,
        sealedSecret: seal(encryptionKeys, 'whsec_YQ==', 'whe_1'),
        eventId: 'evt_1',
        eventType: 'product.created',
        attempt: 1,
        body: '{"data":{}}',
        committedAt: Date.now(),
        leasedUntil: Date.now(),
        settings: { destination: queue!.address },
        sealedSettings: seal(encryptionKeys, JSON.stringify({ destination: 'pw' }), 'whe_1'),
      },
    );
    expect(checks.map(({ id, state }) => [id, state])).toEqual([
      ['name', 'ok'],
      ['connection', 'ok'],
      ['tls', 'failed'],
    ]);
  });
});

describe('TLS to a queue', () => {
  const read = (file: string) => readFileSync(new URL(`./certificates/${file}`, import.meta.url), 'utf8');
  const [key, cert] = [read('receiver.key'), read('receiver.crt')];
  const asking = { key, cert, requestCert: true, rejectUnauthorized: false };
  const identity = { certificate: cert, key };
  const presented = (socket: TLSSocket) => socket.getPeerCertificate().subject?.CN ?? null;
  const names: unknown[] = [];
  const secure = (port: number) => ({
    ...options(`127.0.0.1/32:${port}`),
    lookup: async () => ['127.0.0.1'],
    ca: cert,
  });

  test('of RabbitMQ presents the client certificate on a connection of its own, and names what is untrusted', async () => {
    const place = await rabbitmq();
    const { hostname, port: brokerPort } = new URL(amqpUrl);
    const proxy = createTlsServer(asking, (client) => {
      names.push(presented(client));
      const broker = createConnection(Number(brokerPort || 5672), hostname);
      client
        .on('error', () => {})
        .pipe(broker.on('error', () => {}))
        .pipe(client);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const callTo = (host: string): Call => {
      const call = place.call('{}', `${host}:${port}`);
      const address = { ...call.queue!.address } as { url: string };
      const url = address.url.replace('amqp:', 'amqps:');
      return { ...call, url, queue: { ...call.queue!, address: { ...address, url } as never } };
    };
    const destination = new RabbitMqDestination(secure(port));
    const call = callTo('receiver.test');
    for (const each of [{ ...call, identity }, call, { ...call, identity }])
      expect(await destination.send(each)).toMatchObject({ delivered: true });
    expect(names).toEqual(['receiver.test', null]);
    expect(await destination.check({ ...call, identity })).toBe('');
    expect(names).toEqual(['receiver.test', null, 'receiver.test']);
    expect(await destination.send(callTo('other.test'))).toMatchObject({
      error: 'the TLS certificate is for another host',
    });
    const untrusting = new RabbitMqDestination({ ...secure(port), ca: undefined });
    expect(await untrusting.send(call)).toMatchObject({
      error: 'the TLS certificate is not trusted: it is self-signed',
    });
    await Promise.all([destination.close(), untrusting.close(), place.close()]);
    proxy.close();
  });

  test('of SQS presents the client certificate', async () => {
    const seen: unknown[] = [];
    const server = createHttpsServer(asking, ({ socket }, reply) => {
      seen.push(presented(socket as TLSSocket));
      reply.end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const queueUrl = `https://receiver.test:${port}/queue`;
    const address = { kind: 'sqs' as const, queueUrl, region: 'eu-central-1', accessKeyId: 'a' };
    const queue = { address, secret: 'b', eventId: 'evt_1', messageId: '1', subject: null };
    const call = { url: queueUrl, headers, body: '{}', queue };
    const destination = new SqsDestination(secure(port));
    await destination.send({ ...call, identity });
    await destination.send(call);
    expect(seen).toEqual(['receiver.test', null]);
    await destination.close();
    server.close();
  });
});

test('a server that is not SQS is reported', async () => {
  const receiver = await startReceiver();
  const destination = new SqsDestination(options(receiver.trusted));
  const queueUrl = `${receiver.url}/queue`;
  const address = { kind: 'sqs' as const, queueUrl, region: 'eu-central-1', accessKeyId: 'a' };
  const queue = { address, secret: 'b', eventId: 'evt_1', messageId: '1', subject: null };
  const call = { url: queueUrl, headers, body: '{}', queue };
  expect(await destination.send(call)).toMatchObject({
    delivered: false,
    error: 'the answer is not one of SQS',
  });
  expect(await destination.check!(call)).toBe('the answer is not one of SQS');
  await destination.close();
  await receiver.close();
});

test('a message that is too large for SQS fails without another attempt', async () => {
  const place = await sqs();
  const destination = new SqsDestination(options(place.trusted));
  const outcome = await destination.send(place.call(JSON.stringify({ text: 'x'.repeat(1_100_000) })));
  expect(outcome).toMatchObject({ delivered: false, isFinal: true });
  await destination.close();
  await place.close();
});
