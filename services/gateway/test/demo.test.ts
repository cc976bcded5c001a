import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from '@waybill/kernel';
import { config } from '../src/config.ts';
import { readDemoAccounts } from '../src/demo/demo.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'waybill-test-'));
});
afterAll(() => rm(dataDir, { recursive: true }));

const account = (email: string) => ({ email, password: 'a password' });
const demo = {
  baseUrl: 'http://127.0.0.1:8080',
  merchant: account('merchant@example.com'),
  reviewer: account('reviewer@example.com'),
  developer: account('developer@example.com'),
  apiKey: 'wbk_secret',
};
const base = { WAYBILL_PRINCIPAL_KEY: randomBytes(32).toString('base64url') };
const ask = (env: Env, headers: Record<string, string>, address = '127.0.0.1') =>
  readDemoAccounts(config.read({ ...base, WAYBILL_DATA_DIR: dataDir, ...env }), { address, headers });

const on = { WAYBILL_DEMO: 'on', PUBLIC_BASE_URL: 'http://127.0.0.1:8080' };
const here = { host: '127.0.0.1:8080' };

test('without a demo there are no accounts', async () => {
  expect(await ask(on, here)).toBeNull();
});

describe('with a demo', () => {
  beforeAll(() => writeFile(join(dataDir, 'demo.json'), JSON.stringify(demo)));

  test.each(['127.0.0.1:8080', 'localhost:8080', '[::1]:8080', 'LOCALHOST'])(
    'its accounts are told at %s, and nothing else of it',
    async (host) => {
      expect(await ask(on, { host })).toEqual({
        accounts: [
          { ...demo.merchant, name: 'Demo Merchant', role: 'merchant' },
          { ...demo.reviewer, name: 'Demo Reviewer', role: 'reviewer' },
          { ...demo.developer, name: 'Demo Developer', role: 'developer' },
        ],
      });
      for (const address of ['::1', '::ffff:127.0.0.1'])
        expect(await ask({ WAYBILL_DEMO: 'on' }, { host }, address)).not.toBeNull();
    },
  );

  test.each<[string, Env, Record<string, string>]>([
    ['the demo is off', { ...on, WAYBILL_DEMO: 'off' }, here],
    ['nobody has said that there is one', { PUBLIC_BASE_URL: on.PUBLIC_BASE_URL }, here],
    [
      'the system has a name that others can use',
      { ...on, PUBLIC_BASE_URL: 'https://waybill.example' },
      here,
    ],
    ['a page whose name was led here asks', on, { host: 'evil.example:8080' }],
    ['a name that only begins alike asks', on, { host: '127.0.0.1.evil.example' }],
    ['nobody says what is asked', on, {}],
    ['a proxy stands in front', on, { ...here, 'x-forwarded-for': '203.0.113.5' }],
    ['a tunnel stands in front', on, { ...here, forwarded: 'for=203.0.113.5' }],
  ])('nothing is told where %s', async (_, env, headers) => {
    expect(await ask(env, headers)).toBeNull();
  });

  test.each(['192.168.0.7', '172.18.0.1', '::ffff:192.168.0.7', 'fe80::1', ''])(
    'nor to %p',
    async (address) => {
      expect(await ask(on, here, address)).toBeNull();
    },
  );
});
