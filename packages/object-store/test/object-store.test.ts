import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { eventually } from '@waybill/testing';
import fc from 'fast-check';
import { createFileStore, createS3Store, type ObjectStore, ObjectStoreError } from '../src/index.ts';
import { startS3Server } from './s3-server.ts';

interface Driver {
  name: string;
  open(folder: string): Promise<{ store: ObjectStore; close(): Promise<void> }>;
}

const drivers: Driver[] = [
  {
    name: 'files',
    open: async (folder) => ({ store: createFileStore(join(folder, 'objects')), close: async () => {} }),
  },
  {
    name: 'S3',
    async open() {
      const server = await startS3Server();
      return { store: createS3Store(server.options), close: server.close };
    },
  },
];

const text = { contentType: 'text/plain' };
const createStream = (...chunks: (string | Buffer)[]) =>
  Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function* breakingOff(bytes: number) {
  yield randomBytes(bytes);
  throw new Error('the client went away');
}

describe.each(drivers)('an object store on $name', ({ open }) => {
  let folder: string;
  let store: ObjectStore;
  let close: () => Promise<void>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waybill-store-'));
    ({ store, close } = await open(folder));
  });
  afterAll(async () => {
    store.close();
    await close();
    await rm(folder, { recursive: true, force: true });
  });
  const read = async (key: string) => {
    const object = await store.get(key);
    return object && buffer(object.stream);
  };

  test('gives back what was put, from a buffer, a stream of known length and one of unknown length', async () => {
    await store.put('a/buffer', Buffer.from('one'), text);
    await store.put('a/known', createStream('tw', 'o'), { ...text, sizeBytes: 3 });
    await store.put('a/unknown', createStream('thr', 'ee'), text);
    expect(String(await read('a/buffer'))).toBe('one');
    expect(String(await read('a/known'))).toBe('two');
    expect(String(await read('a/unknown'))).toBe('three');
    expect(await store.head('a/unknown')).toEqual({ sizeBytes: 5 });
  });

  test('keeps an empty object', async () => {
    await store.put('a/empty', Buffer.alloc(0), text);
    await store.put('a/empty-stream', createStream(), { ...text, sizeBytes: 0 });
    expect(await store.head('a/empty')).toEqual({ sizeBytes: 0 });
    expect(await read('a/empty-stream')).toEqual(Buffer.alloc(0));
  });

  test('puts an object in place of another', async () => {
    await store.put('a/again', Buffer.from('first, and longer'), text);
    await store.put('a/again', Buffer.from('second'), text);
    expect(String(await read('a/again'))).toBe('second');
  });

  test('gives ranges, the last one cut at the end, with the size of the whole', async () => {
    await store.put('a/range', Buffer.from('0123456789'), text);
    const range = async (start: number, end: number) => {
      const { stream, sizeBytes } = (await store.get('a/range', { start, end }))!;
      return [String(await buffer(stream)), sizeBytes];
    };
    expect(await range(0, 0)).toEqual(['0', 10]);
    expect(await range(3, 6)).toEqual(['3456', 10]);
    expect(await range(8, 100)).toEqual(['89', 10]);
    await expect(store.get('a/range', { start: 10, end: 11 })).rejects.toThrow(RangeError);
  });

  test('has nothing where nothing was put', async () => {
    expect(await store.get('a/nothing')).toBeNull();
    expect(await store.get('a/nothing', { start: 0, end: 1 })).toBeNull();
    expect(await store.head('a/nothing')).toBeNull();
    await store.delete('a/nothing');
  });

  test('forgets what is deleted', async () => {
    await store.put('a/gone', Buffer.from('x'), text);
    await store.delete('a/gone');
    expect(await store.get('a/gone')).toBeNull();
  });

  test('lists what is directly in a folder', async () => {
    for (const key of ['d/one', 'd/two', 'd/below/three', 'dd/four']) {
      await store.put(key, Buffer.from('x'), text);
    }
    expect((await store.list('d')).sort()).toEqual(['one', 'two']);
    expect(await store.list('d/nothing')).toEqual([]);
    expect(await store.list('d/one')).toEqual([]);
    await expect(store.list('../d')).rejects.toThrow(RangeError);
  });

  test.each([
    ['with a known length', { ...text, sizeBytes: 200_000 }],
    ['with an unknown length', text],
  ])('keeps nothing of a body that breaks off, %s', async (name, options) => {
    const key = `b/${name.replaceAll(' ', '-')}`;
    await expect(store.put(key, Readable.from(breakingOff(100_000)), options)).rejects.toThrow(
      'the client went away',
    );
    expect(await store.head(key)).toBeNull();
    await store.put(key, Buffer.from('before'), text);
    await expect(store.put(key, Readable.from(breakingOff(100_000)), options)).rejects.toThrow();
    expect(String(await read(key))).toBe('before');
  });

  test.each([9, 11])('keeps nothing of a body that is not as long as announced: %i', async (sizeBytes) => {
    await expect(
      store.put('b/length', createStream('01234', '56789'), { ...text, sizeBytes }),
    ).rejects.toThrow(RangeError);
    expect(await store.head('b/length')).toBeNull();
  });

  test('takes a file over', async () => {
    const file = join(folder, 'upload');
    const bytes = randomBytes(300_000);
    await writeFile(file, bytes);
    await store.putFile('c/file', file, { ...text, sizeBytes: bytes.length });
    expect(existsSync(file)).toBe(false);
    expect(hash((await read('c/file'))!)).toBe(hash(bytes));
  });

  test('refuses a file that is not as long as announced, and removes it', async () => {
    const file = join(folder, 'short');
    await writeFile(file, 'short');
    await expect(store.putFile('c/short', file, { ...text, sizeBytes: 6 })).rejects.toThrow(RangeError);
    expect([existsSync(file), await store.head('c/short')]).toEqual([false, null]);
  });

  test('has one whole object after many puts of one key at once', async () => {
    const bodies = Array.from({ length: 10 }, () => randomBytes(100_000));
    await Promise.all(
      bodies.map((body) => store.put('c/raced', Readable.from([body]), { ...text, sizeBytes: body.length })),
    );
    expect(bodies.map(hash)).toContain(hash((await read('c/raced'))!));
  });

  test('keeps 12 MiB of unknown length', async () => {
    const bytes = randomBytes(12 * 1024 * 1024);
    await store.put(
      'c/large',
      Readable.from([bytes.subarray(0, 1_000_000), bytes.subarray(1_000_000)]),
      text,
    );
    expect(hash((await read('c/large'))!)).toBe(hash(bytes));
  });

  test.each([
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '..',
    'a/../b',
    'a/..',
    '.hidden',
    'a/.b',
    './a',
    '~/a',
    'a\\b',
    'A',
    'a b',
    'a\0',
    'ä',
    'a%2f',
    'a\nb',
    'a'.repeat(201),
    `a${'/a'.repeat(300)}`,
  ])('refuses the key %j', async (key) => {
    await expect(store.put(key, Buffer.from('x'), text)).rejects.toThrow('not an object');
    await expect(store.get(key)).rejects.toThrow(RangeError);
    await expect(store.head(key)).rejects.toThrow(RangeError);
    await expect(store.delete(key)).rejects.toThrow(RangeError);
  });

  test('keeps any bytes under any key, and gives any range of them', async () => {
    const segment = fc.stringMatching(/^[a-z0-9][a-z0-9_.-]{0,30}$/);
    const cases = fc.record({
      // Each key starts with its own folder, because no key may be a folder of another.
      key: fc
        .tuple(fc.uuid(), fc.array(segment, { maxLength: 4 }))
        .map(([id, rest]) => [id, ...rest].join('/')),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 2000 }),
      start: fc.nat(1999),
      length: fc.nat(2000),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ key, bytes, start, length }) => {
        const body = Buffer.from(bytes);
        await store.put(key, body, text);
        expect(await read(key)).toEqual(body);
        const from = start % body.length;
        const part = await store.get(key, { start: from, end: from + length });
        expect(await buffer(part!.stream)).toEqual(body.subarray(from, from + length + 1));
      }),
      { numRuns: 40 },
    );
  });

  test('is ready', async () => {
    expect(await store.ready()).toBe(true);
  });
});

describe('a file store', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waybill-store-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test('touches nothing before it is used', async () => {
    createFileStore(join(folder, 'objects'));
    expect(await readdir(folder)).toEqual([]);
  });

  test('removes what a killed process has left unfinished, and nothing that is being written', async () => {
    const root = join(folder, 'objects');
    const first = createFileStore(root);
    await first.ready();
    await writeFile(join(root, '.unfinished', 'left'), 'x');
    await utimes(join(root, '.unfinished', 'left'), new Date(), new Date(Date.now() - 7_200_000));
    await writeFile(join(root, '.unfinished', 'fresh'), 'x');
    await createFileStore(root).ready();
    expect(await readdir(join(root, '.unfinished'))).toEqual(['fresh']);
  });

  test('says that it is not ready, and whose fault it is, where it cannot write', async () => {
    await writeFile(join(folder, 'in-the-way'), 'x');
    const store = createFileStore(join(folder, 'in-the-way'));
    expect(await store.ready()).toBe(false);
    await expect(store.put('a', Buffer.from('x'), text)).rejects.toThrow(ObjectStoreError);
    await expect(store.put('a', createStream('x'), text)).rejects.toThrow(ObjectStoreError);
  });
});

describe('an S3 store', () => {
  const away = { bucket: 'waybill', region: 'us-east-1', accessKeyId: 'a', secretAccessKey: 'b' };

  test('says that it is not ready, and whose fault it is, while its server is away; and recovers', async () => {
    const server = await startS3Server();
    const port = Number(new URL(server.options.endpoint).port);
    await server.close();
    const store = createS3Store(server.options);
    expect(await store.ready()).toBe(false);
    await expect(store.put('a', createStream('x'), { ...text, sizeBytes: 1 })).rejects.toThrow(
      ObjectStoreError,
    );
    await expect(store.get('a')).rejects.toThrow(ObjectStoreError);
    const back = createServer((_req, res) => void res.writeHead(200).end()).listen(port, '127.0.0.1');
    try {
      expect(await store.ready()).toBe(true);
    } finally {
      store.close();
      back.closeAllConnections();
      back.close();
    }
  });

  test.each([{ secretAccessKey: 'another' }, { accessKeyId: 'another' }, { region: 'us-east-1' }])(
    'is refused with %j, which signs every request wrongly',
    async (wrong) => {
      const server = await startS3Server();
      const [right, store] = [createS3Store(server.options), createS3Store({ ...server.options, ...wrong })];
      try {
        expect([await right.ready(), await store.ready()]).toEqual([true, false]);
        await expect(store.put('a', Buffer.from('x'), text)).rejects.toThrow(ObjectStoreError);
        await expect(store.get('a')).rejects.toThrow(ObjectStoreError);
        expect(await right.head('a')).toBeNull();
      } finally {
        right.close();
        store.close();
        await server.close();
      }
    },
  );

  test('gives up, whatever it asks, on a server that does not answer', async () => {
    let isStalled = false;
    const server = createServer((_req, res) => void (isStalled || res.writeHead(200).end())).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const store = createS3Store({ ...away, endpoint: `http://127.0.0.1:${port}` });
    expect(await store.ready()).toBe(true);
    isStalled = true;
    const began = Date.now();
    try {
      const calls = [store.get('a'), store.head('a'), store.delete('a'), store.list('a')];
      const results = await Promise.allSettled(calls);
      expect(results.map((result) => result.status === 'rejected' && result.reason)).toEqual(
        calls.map(() => expect.any(ObjectStoreError)),
      );
      expect(await store.ready()).toBe(false);
      expect(Date.now() - began).toBeLessThan(25_000);
    } finally {
      store.close();
      server.closeAllConnections();
      server.close();
    }
  });

  test('tells a refused credential from a missing object', async () => {
    const server = createServer((_req, res) => void res.writeHead(403).end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const store = createS3Store({ ...away, endpoint: `http://127.0.0.1:${port}` });
    try {
      expect(await store.ready()).toBe(false);
      await expect(store.head('a')).rejects.toThrow(ObjectStoreError);
    } finally {
      store.close();
      server.closeAllConnections();
      server.close();
    }
  });

  test('sends a file of 25 MiB as one object of that length', async () => {
    // Sent to a server of its own, because fauxqs takes at most 11 MiB.
    const puts: { url: string | undefined; length: string | undefined; sent: string }[] = [];
    const server = createServer(async (req, res) => {
      const sent = hash(await buffer(req));
      if (req.method === 'PUT') puts.push({ url: req.url, length: req.headers['content-length'], sent });
      res.writeHead(200).end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const store = createS3Store({ ...away, endpoint: `http://127.0.0.1:${port}` });
    const folder = await mkdtemp(join(tmpdir(), 'waybill-store-'));
    try {
      const bytes = randomBytes(25 * 1024 * 1024);
      await writeFile(join(folder, 'film'), bytes);
      await store.putFile('a/film', join(folder, 'film'), { ...text, sizeBytes: bytes.length });
      expect(puts).toEqual([
        { url: '/waybill/a/film?x-id=PutObject', length: String(bytes.length), sent: hash(bytes) },
      ]);
    } finally {
      store.close();
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    }
  });

  test('reads an object to its end for who pauses, whose connection the server does not keep', async () => {
    const bytes = randomBytes(24 * 1024 * 1024);
    let cut = 0;
    const server = createServer((req, res) => {
      if (req.method === 'HEAD') return void res.end();
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(req.headers.range ?? '') ?? [];
      const part = bytes.subarray(Number(first ?? 0), Number(last ?? bytes.length - 1) + 1);
      const range = first && { 'content-range': `bytes ${first}-${last}/${bytes.length}` };
      res.once('close', () => {
        if (!res.writableFinished) cut++;
      });
      res.writeHead(range ? 206 : 200, { 'content-length': part.length, ...range }).end(part);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const store = createS3Store({ ...away, endpoint: `http://127.0.0.1:${port}`, silenceMs: 600 });
    try {
      for (const range of [undefined, { start: 1_000_000, end: 23_000_000 }]) {
        const chunks = (await store.get('a/b', range))!.stream[Symbol.asyncIterator]();
        const read: Buffer[] = [(await chunks.next()).value];
        const before = cut;
        await eventually(() => cut > before);
        for await (const chunk of { [Symbol.asyncIterator]: () => chunks }) read.push(chunk);
        const part = range ? bytes.subarray(range.start, range.end + 1) : bytes;
        expect(hash(Buffer.concat(read))).toBe(hash(part));
      }
    } finally {
      store.close();
      server.closeAllConnections();
      server.close();
    }
  });

  test('gives up on a server that takes a body and then fails', async () => {
    const server = createServer((req, res) => {
      if (req.method !== 'PUT') return void res.writeHead(200).end();
      req.once('data', () => req.socket.destroy());
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const store = createS3Store({ ...away, endpoint: `http://127.0.0.1:${port}` });
    try {
      const body = Readable.from([randomBytes(1_000_000)]);
      await expect(store.put('a', body, { ...text, sizeBytes: 1_000_000 })).rejects.toThrow(ObjectStoreError);
      expect(body.destroyed).toBe(true);
    } finally {
      store.close();
      server.closeAllConnections();
      server.close();
    }
  });
});
