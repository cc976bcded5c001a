import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { demoReviewer, permissions } from '@waybill/contracts';
import got from 'got';
import { ask, type Operated } from '../ops/admin/command.ts';
import { writePrivateFile } from '../standalone/data-directory.ts';
import { furnishDemo } from './shop/furnish.ts';

interface Account {
  email: string;
  password: string;
}

/** The content of `demo.json`, `decisions.md 9.3`. */
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

/** The system in which the demo is created. */
export interface DemoSystem extends Pick<Operated, 'identityUrl' | 'serviceToken'> {
  /** The address of the internal routes of orders. */
  ordersUrl: string;
  /** Whether it can store pictures. */
  storesFiles: boolean;
  /** The address at which this process reaches it. */
  url: string;
}

/** The file next to `demo.json` that exists while the store is to be furnished, with the progress. */
const furnishingFile = (file: string) => join(dirname(file), 'demo-shop.json');

/**
 * Whether a start creates a demo shop: the first start of a data directory, or one after a start that was killed
 * meanwhile.
 */
export const isFurnishing = (file: string, hasShop: boolean): boolean =>
  hasShop && (!existsSync(file) || existsSync(furnishingFile(file)));

/**
 * Creates the demo store through the public API, once for a data directory, and writes `demo.json`, with `baseUrl` for
 * its reader. The accounts are chosen and stored before they are created, so that the next start can finish after a
 * kill midway. `furnishStore` then turns the store into a shop.
 */
export async function ensureDemo(
  file: string,
  system: DemoSystem,
  { baseUrl = system.url, hasShop = false }: { baseUrl?: string; hasShop?: boolean } = {},
): Promise<void> {
  if (existsSync(file)) return refreshDemo(file, system, baseUrl);
  const pending = join(dirname(file), 'demo-accounts.json');
  const accounts: Accounts = existsSync(pending)
    ? JSON.parse(await readFile(pending, 'utf8'))
    : newAccounts();
  await writeJson(pending, accounts);

  await createVerifiedUser(system, accounts.merchant, 'Demo Merchant');
  await createVerifiedUser(system, accounts.reviewer, 'Demo Reviewer');
  await createVerifiedUser(system, accounts.developer, 'Demo Developer');
  const { accessToken } = await got
    .post(`${system.url}/api/auth/login`, { json: accounts.merchant })
    .json<{ accessToken: string }>();
  const api = got.extend({
    prefixUrl: system.url,
    headers: { authorization: `Bearer ${accessToken}` },
    responseType: 'json',
  });
  const { stores } = await api.get('api/stores').json<{ stores: { id: string; slug: string }[] }>();
  const store =
    stores[0] ??
    (
      await api
        .post('api/stores', { json: { name: hasShop ? 'Linden & Leaf' : 'Demo Store', slug: 'demo' } })
        .json<{ store: { id: string; slug: string } }>()
    ).store;
  if (hasShop) await writeJson(furnishingFile(file), {});
  const { secret } = await api
    .post(`api/stores/${store.id}/api-keys`, { json: { name: 'Demo key', scopes: permissions } })
    .json<{ secret: string }>();
  const demo: Demo = { baseUrl, ...accounts, storeId: store.id, storeSlug: store.slug, apiKey: secret };
  await writeJson(file, demo);
  await rm(pending);
}

/**
 * Furnishes the demo store if necessary, while the system is already in use. It reports a failure to `say`: the demo is
 * no reason to end a running system, and the next start continues.
 */
export async function furnishStore(
  file: string,
  system: DemoSystem,
  say: (line: string) => void,
): Promise<void> {
  const furnishing = furnishingFile(file);
  if (!existsSync(furnishing)) return;
  try {
    const demo: Demo = JSON.parse(await readFile(file, 'utf8'));
    await furnishDemo(furnishing, { ...demo, ...system });
  } catch (error) {
    say(`The demo shop is not complete; the next start goes on: ${String(error)}`);
  }
}

/**
 * Updates the demo, because the next start may be on another port, and an older one created its accounts without
 * verified addresses.
 */
async function refreshDemo(file: string, system: DemoSystem, baseUrl: string): Promise<void> {
  const demo: Demo = JSON.parse(await readFile(file, 'utf8'));
  if (demo.baseUrl !== baseUrl) await writeJson(file, { ...demo, baseUrl });
  // A user who has taken over an account, with a new password, keeps it.
  for (const account of [demo.merchant, demo.reviewer, demo.developer])
    await createVerifiedUser(system, account, 'Demo').catch(() => {});
}

/** Creates an account whose address needs no proof; if an earlier start has created it, nothing changes. */
const createVerifiedUser = (system: DemoSystem, account: Account, name: string) =>
  ask(system, '/internal/users', { ...account, name });

function newAccounts(): Accounts {
  const account = (email: string): Account => ({ email, password: randomBytes(18).toString('base64url') });
  return {
    merchant: account('merchant@example.com'),
    reviewer: account(demoReviewer),
    developer: account('developer@example.com'),
  };
}

const writeJson = (file: string, content: object) =>
  writePrivateFile(file, `${JSON.stringify(content, null, 2)}\n`);
