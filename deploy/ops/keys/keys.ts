import { randomBytes } from 'node:crypto';
import { type NamedKey, readKeys, StartError } from '@waybill/kernel';
import { say } from '../../announce.ts';
import { secretNames } from '../../secrets.ts';
import { readSecrets, writeSecrets } from '../../standalone/data-directory.ts';
import type { Installation } from '../backup/installation.ts';
import { refuseWhileNeeded, sealedWith } from './sealed.ts';

const usage = 'Usage: npm run keys -- list | add <key> | use <key> <id> | drop <key> <id> [--cluster]';

/** Whether rotation applies to a secret of the installation: to keys and tokens, not to passwords of servers. */
const isKey = (name: string) =>
  Object.values<string>(secretNames).includes(name) || name.startsWith('serviceToken.');

/** Throws a StartError that shows the usage if the number of arguments fits no action. */
export function checkArguments(args: readonly string[]): void {
  const counts: Record<string, number> = { list: 1, add: 2, use: 3, drop: 3 };
  if (counts[args[0] ?? ''] !== args.length) throw new StartError(usage);
}

/**
 * `npm run keys`: manages the keys of a data directory, while no system runs on it (`decisions.md 18.1`). `add` creates
 * a key that is accepted and not used yet; `use` makes a key the first; `drop` removes a key other than the first, if
 * no data in the databases of `openPlaces` needs it. No key is printed. When it throws a StartError, it has changed
 * nothing.
 */
export async function runKeys(
  args: readonly string[],
  dataDir: string,
  openInstallations: (secrets: Readonly<Record<string, string>>) => Promise<readonly Installation[]>,
): Promise<void> {
  const secrets = await readSecrets(dataDir);
  const [action, name = '', id] = args;
  if (action === 'list' && args.length === 1) return list(secrets);
  if (!isKey(name) || secrets[name] === undefined)
    throw new StartError(`There is no key ${name}; npm run keys -- list shows the existing keys.`);
  const keys = parseKeys(secrets[name]);
  const left = changed(keys, action, id, args.length);
  const dropped = keys.find((key) => !left.includes(key));
  if (dropped) {
    // The shared key for all services, of earlier versions, opens the data that it sealed.
    const shared = name.startsWith('serviceToken.') && secrets.serviceToken;
    const others = shared ? [...left, { id: 'shared', value: shared }] : left;
    await refuseWhileNeeded(sealedWith(name), dropped, others, () => openInstallations(secrets));
  }
  secrets[name] = formatKeys(left);
  await writeSecrets(dataDir, secrets);
  list({ [name]: secrets[name] });
}

function changed(keys: NamedKey[], action: string | undefined, id: string | undefined, count: number) {
  if (action === 'add' && count === 2) {
    if (keys.length >= 8) throw new StartError('There are eight keys already; drop one first.');
    const numbers = keys.map((key) => Number(/^k(\d+)$/.exec(key.id)?.[1] ?? 1));
    return [...keys, { id: `k${Math.max(...numbers) + 1}`, value: randomBytes(32).toString('base64url') }];
  }
  const key = keys.find((each) => each.id === id);
  if (count !== 3 || (action !== 'use' && action !== 'drop')) throw new StartError(usage);
  if (!key) throw new StartError(`There is no key ${id}; npm run keys -- list shows the existing keys.`);
  const others = keys.filter((each) => each !== key);
  if (action === 'use') return [key, ...others];
  if (key === keys[0]) throw new StartError(`${id} is the one in use; use another first.`);
  return others;
}

/** Returns the keys of a text; a key that was never rotated is k1. */
const parseKeys = (text: string): NamedKey[] =>
  text.includes(':')
    ? readKeys({ WAYBILL_PRINCIPAL_KEYS: text }, 'WAYBILL_PRINCIPAL_KEY')
    : [{ id: 'k1', value: text }];

const formatKeys = (keys: readonly NamedKey[]) => keys.map(({ id, value }) => `${id}:${value}`).join(',');

function list(secrets: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(secrets)) {
    if (!isKey(name)) continue;
    const [first, ...others] = parseKeys(text).map(({ id }) => id);
    say(`${name}: ${first} in use${others.length > 0 ? `, ${others.join(', ')} accepted` : ''}`);
  }
}

/**
 * Whether `npm run cluster` has used a data directory: each of its services has a token of its own, and `npm start` one
 * for all. Without databases of its own, the passwords of roles are a cluster's too.
 */
export function isClusterData(secrets: Readonly<Record<string, string>>, hasOwn: boolean): boolean {
  const names = Object.keys(secrets);
  const isRole = (name: string) => name.startsWith('postgres.');
  return names.some((name) => name === 'serviceToken.gateway' || (!hasOwn && isRole(name)));
}
