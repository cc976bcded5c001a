import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errors } from '@waybill/contracts';
import { answerError } from '../../src/http/send.ts';
import { answerNotReady } from '../../src/http/server.ts';
import { createLog, ReportedError, rateLimited } from '../../src/operations/log.ts';

function capture(level: string) {
  const lines: { level: string; msg: string }[] = [];
  const log = createLog(level, { write: (line) => void lines.push(JSON.parse(line)) });
  return { log, listLines: () => lines.map(({ level, msg }) => `${level}: ${msg}`) };
}

test('a failure whose cause was reported is logged at debug', () => {
  const { log, listLines } = capture('debug');
  log.error({ err: new ReportedError('away') }, 'its echo');
  log.child({ service: 'x' }).warn({ err: new ReportedError('away') }, "a child's");
  log.error({ err: new Error('a bug') }, 'a request failed');
  log.info('ready');
  expect(listLines()).toEqual([
    'debug: its echo',
    "debug: a child's",
    'error: a request failed',
    'info: ready',
  ]);
});

test('an error is logged with its cause, and without its other properties', () => {
  const lines: { err: object }[] = [];
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC', parameters: ['secret'] });
  log.error({ err: new Error('the store failed', { cause: full }) }, 'no');
  expect(lines[0]!.err).toMatchObject({
    message: 'the store failed',
    cause: { type: 'Error', message: 'no space left', code: 'ENOSPC', stack: expect.any(String) },
  });
  expect(JSON.stringify(lines)).not.toContain('secret');
});

test('of hundreds of simultaneous lines, one is a warning', () => {
  const { log, listLines } = capture('info');
  const tell = rateLimited(log);
  for (let i = 0; i < 500; i++) tell({ i }, 'away');
  expect(listLines()).toEqual(['warn: away']);
});

describe('the log line of a failed request', () => {
  /** Returns the answer to a client, and the log, of a request whose handling throws. */
  async function failing(error: Error, path: string) {
    const lines: object[] = [];
    const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
    const server = createServer((req, res) => answerError(error, req, res, log)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
    await answer.text();
    server.close();
    return { answer, lines };
  }

  test('contains no secrets or personal data from the path or the query', async () => {
    const token = '01jd5w2k0q8v6m3n4p5r6s7t8v-Zm9vYmFyYmF6cXV4MTIzNA';
    for (const path of [`/storefront/str_1/orders/${token}?x=1`, `/s/tea/de/orders/${token}`]) {
      const { lines } = await failing(new Error('a bug'), path);
      expect(lines).toMatchObject([
        { msg: 'a request failed', url: path.replace(token, '{token}').split('?')[0] },
      ]);
    }
    const { lines } = await failing(new Error('a bug'), '/api/v1/customers?q=ann@example.com');
    expect(lines).toMatchObject([{ url: '/api/v1/customers' }]);
  });

  test('has a Retry-After whenever a retry may help', async () => {
    const plain = await failing(errors.resource_unavailable(), '/');
    expect([plain.answer.status, plain.answer.headers.get('retry-after')]).toEqual([503, '1']);
    const said = await failing(errors.resource_unavailable({ headers: { 'retry-after': '60' } }), '/');
    expect(said.answer.headers.get('retry-after')).toBe('60');
  });

  test('has a request id even while the services start', async () => {
    const server = createServer(answerNotReady).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { status, headers } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    server.close();
    expect(status).toBe(503);
    expect(headers.get('x-request-id')).toMatch(/^\w+$/);
    expect(headers.get('cache-control')).toBe('private, no-store');
  });
});
