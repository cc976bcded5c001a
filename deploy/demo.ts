import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { demoReviewer, permissions } from '@waybill/contracts';
import got from 'got';
import { writePrivateFile } from './standalone/data-directory.ts';

interface Account {
  email: string;
  password: string;
}

/** What `demo.json` holds, `decisions.md 9.3`. */
export interface Demo {
  baseUrl: string;
  merchant: Account;
  reviewer: Account;
  developer: Account;
  storeId: string;
  storeSlug: string;
  apiKey: string;
}

type Accounts = Pick<Demo, 'merchant' | 'reviewer' | 'developer'>;

/**
 * Makes the demo store through the public API, once for a data directory, and writes `demo.json`. The accounts
 * are decided, and kept, before they are registered: a start that is killed half-way is finished by the next.
 */
export async function ensureDemo(file: string, baseUrl: string): Promise<void> {
  if (existsSync(file)) return refreshBaseUrl(file, baseUrl);
  const pending = join(dirname(file), 'demo-accounts.json');
  const accounts: Accounts = existsSync(pending)
    ? JSON.parse(await readFile(pending, 'utf8'))
    : newAccounts();
  await writeJson(pending, accounts);

  const token = await signIn(baseUrl, accounts.merchant, 'Demo Merchant');
  await signIn(baseUrl, accounts.reviewer, 'Demo Reviewer');
  await signIn(baseUrl, accounts.developer, 'Demo Developer');
  const api = got.extend({
    prefixUrl: baseUrl,
    headers: { authorization: `Bearer ${token}` },
    responseType: 'json',
  });
  const { stores } = await api.get('api/stores').json<{ stores: { id: string; slug: string }[] }>();
  const store =
    stores[0] ??
    (
      await api
        .post('api/stores', { json: { name: 'Demo Store', slug: 'demo' } })
        .json<{ store: { id: string; slug: string } }>()
    ).store;
  const { secret } = await api
    .post(`api/stores/${store.id}/api-keys`, { json: { name: 'Demo key', scopes: permissions } })
    .json<{ secret: string }>();
  const demo: Demo = { baseUrl, ...accounts, storeId: store.id, storeSlug: store.slug, apiKey: secret };
  await writeJson(file, demo);
  await rm(pending);
}

/** The next start may be at another port. */
async function refreshBaseUrl(file: string, baseUrl: string): Promise<void> {
  const demo: Demo = JSON.parse(await readFile(file, 'utf8'));
  if (demo.baseUrl !== baseUrl) await writeJson(file, { ...demo, baseUrl });
}

function newAccounts(): Accounts {
  const account = (email: string): Account => ({ email, password: randomBytes(18).toString('base64url') });
  return {
    merchant: account('merchant@example.com'),
    reviewer: account(demoReviewer),
    developer: account('developer@example.com'),
  };
}

/** Registers an account, or signs in where an earlier start has registered it. Gives its access token. */
async function signIn(baseUrl: string, account: Account, name: string): Promise<string> {
  const post = (path: string, json: object) =>
    got.post(`${baseUrl}/api/auth/${path}`, {
      json,
      responseType: 'json',
      throwHttpErrors: path !== 'register',
    });
  const registered = await post('register', { ...account, name });
  const { body } = registered.statusCode === 409 ? await post('login', account) : registered;
  return (body as { accessToken: string }).accessToken;
}

const writeJson = (file: string, content: object) =>
  writePrivateFile(file, `${JSON.stringify(content, null, 2)}\n`);
