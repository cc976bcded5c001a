import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { toFailure } from '../src/failure.ts';
import { describeConnectionProblem } from '../src/system-errors.ts';

const failedWith = (url: string) => fetch(url).then(() => '', describeConnectionProblem);

test('a connection that fails is described in words, not by its code', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  expect(await failedWith(`http://127.0.0.1:${port}/`)).toBe('nothing listens there');
  expect(await failedWith('http://no-such-host.invalid/')).toMatch(/^there is no host|^the name could not/);
});

test('a cause that nobody has described keeps its code beside its message', () => {
  const cause = Object.assign(new Error('odd thing'), { code: 'EODD' });
  expect(describeConnectionProblem(new TypeError('fetch failed', { cause }))).toBe('odd thing (EODD)');
  expect(describeConnectionProblem(new Error(''))).toBe('the connection failed');
});

test('a file that is not there is named', async () => {
  const error = await readFile('/no/such/file.csv').catch((reason) => reason);
  expect(toFailure(error).message).toBe('/no/such/file.csv is not there.');
});
