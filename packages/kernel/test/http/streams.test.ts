import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { eventually, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import Type from 'typebox';
import { send } from '../../src/http/send.ts';
import { Answer, aggregate, createLog, defineConfig, defineRoutes, defineService } from '../../src/index.ts';

const routes = defineRoutes({
  echo: {
    method: 'POST',
    path: '/echo',
    access: 'public',
    summary: 'Gives back what it gets',
    streamedBodies: { 'text/plain': Type.String() },
    answer: [201, null],
  },
  readPart: {
    method: 'GET',
    path: '/part/{how}',
    access: 'public',
    summary: 'Gives a part of a file',
    answer: [200, null],
  },
});

const whole = { 'content-length': '4', 'cache-control': 'public' };

async function* brokenOff() {
  yield 'ab';
  throw new Error('the disk is gone');
}

const files = defineService<object, unknown>({
  name: 'files',
  config: defineConfig(Type.Object({})),
  aggregates: [
    aggregate(routes, () => ({
      echo: async ({ stream }) => new Answer(stream, 'text/plain'),
      readPart: async ({ params }) =>
        params.how === 'unchanged'
          ? new Answer('', 'text/plain', { etag: '"1"' }, 304)
          : params.how === 'broken'
            ? new Answer(Readable.from(brokenOff()), 'text/plain', whole)
            : new Answer(Readable.from(['ab', 'cd']), 'text/plain', whole, 206),
    })),
  ],
});

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([files]);
});
afterAll(() => system.stop());

const ask = () => request(system.internalUrl);

describe('a stream', () => {
  test('is streamed in both directions', async () => {
    const text = 'x'.repeat(300_000);
    const res = await ask().post('/echo').type('text/plain').send(text);
    expect(res).toMatchObject({ status: 201, text });
  });
  test('is answered with the status and the headers that the handler chose', async () => {
    const res = await ask().get('/part/of');
    expect(res).toMatchObject({ status: 206, text: 'abcd' });
    expect(res.headers).toMatchObject({ 'content-length': '4', 'cache-control': 'public' });
  });
  test('is not sent for HEAD', async () => {
    const res = await ask().head('/part/of');
    expect(res.status).toBe(206);
    expect(res.headers['content-length']).toBe('4');
    expect(res.text).toBeUndefined();
  });
  test('has neither a body nor a type when nothing has changed', async () => {
    const res = await ask().get('/part/unchanged');
    expect(res.status).toBe(304);
    expect(res.headers).toMatchObject({ etag: '"1"' });
    expect(res.headers['content-type']).toBeUndefined();
    expect(res.headers['content-length']).toBeUndefined();
  });
  test('that breaks off closes the connection, so that the answer is not taken for complete', async () => {
    await expect(ask().get('/part/broken')).rejects.toThrow(/aborted|socket hang up/);
    expect((await ask().get('/part/of')).status).toBe(206);
  });
  test('that breaks off is logged', async () => {
    const lines: string[] = [];
    const log = createLog('warn', { write: (line) => void lines.push(line) });
    const server = createServer((req, res) =>
      send(req, res, 200, new Answer(Readable.from(brokenOff()), 'text/plain'), log),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      await expect(request(`http://127.0.0.1:${port}`).get('/broken?q=secret')).rejects.toThrow();
      await eventually(() => lines.length > 0);
    } finally {
      server.closeAllConnections();
      server.close();
    }
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: 'error',
        msg: 'an answer broke off',
        method: 'GET',
        url: '/broken',
        err: expect.objectContaining({ message: 'the disk is gone' }),
      }),
    ]);
  });
});
