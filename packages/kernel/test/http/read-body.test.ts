import { PassThrough } from 'node:stream';
import { readBody } from '../../src/http/read-body.ts';

describe('readBody', () => {
  const refusals = {
    tooLarge: () => new Error('too large'),
    broken: (message: string) => new Error(message),
  };
  const read = (body: PassThrough, maxMs?: number) => readBody(body, 4, refusals, maxMs);

  test('reads a body of the maximum size', async () => {
    const body = new PassThrough();
    const bytes = read(body);
    body.write('ab');
    body.end('cd');
    expect((await bytes).toString()).toBe('abcd');
  });

  test('refuses one byte more, and leaves the rest unread', async () => {
    const body = new PassThrough();
    const bytes = read(body);
    body.write('abcde');
    await expect(bytes).rejects.toThrow('too large');
    expect([body.destroyed, body.listenerCount('data')]).toEqual([false, 0]);
  });

  test('rejects when the client breaks off or never finishes', async () => {
    const body = new PassThrough();
    const bytes = read(body);
    body.destroy(new Error('reset'));
    await expect(bytes).rejects.toThrow('broke off');
    await expect(read(new PassThrough(), 1)).rejects.toThrow('took too long');
  });
});
