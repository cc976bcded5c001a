import { createLog, ReportedError, rateLimited } from '../src/log.ts';

function capture(level: string) {
  const lines: { level: string; msg: string }[] = [];
  const log = createLog(level, { write: (line) => void lines.push(JSON.parse(line)) });
  return { log, told: () => lines.map(({ level, msg }) => `${level}: ${msg}`) };
}

test('a failure whose cause was reported is logged at debug', () => {
  const { log, told } = capture('debug');
  log.error({ err: new ReportedError('away') }, 'its echo');
  log.child({ service: 'x' }).warn({ err: new ReportedError('away') }, "a child's");
  log.error({ err: new Error('a bug') }, 'a request failed');
  log.info('ready');
  expect(told()).toEqual(['debug: its echo', "debug: a child's", 'error: a request failed', 'info: ready']);
});

test('an error is logged with what caused it, and without what else it carries', () => {
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

test('of hundreds of lines at once one is a warning', () => {
  const { log, told } = capture('info');
  const tell = rateLimited(log);
  for (let i = 0; i < 500; i++) tell({ i }, 'away');
  expect(told()).toEqual(['warn: away']);
});
