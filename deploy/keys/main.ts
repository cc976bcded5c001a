import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { type NamedKey, readKeys, runProgram, StartError } from '@waybill/kernel';
import { say } from '../announce.ts';
import { settings } from '../settings.ts';
import { openDataDirectory, readSecrets, writeSecrets } from '../standalone/data-directory.ts';

const usage =
  'Usage: npm run keys -- list | add <key> | use <key> <id> | drop <key> <id>; keys: npm run keys -- list';

/** What rotation is for: the secrets of an installation that are keys or tokens, and no passwords of servers. */
const isKey = (name: string) =>
  /^(principalKey|userTokenKey|webhookEncryptionKey|serviceToken\..+)$/.test(name);

/**
 * `npm run keys`: the keys of the data directory, while nothing runs on it (`decisions.md 18.1`). `add` makes one more,
 * which is accepted and not used yet; `use` makes one the first; `drop` forgets one that is not. No key is printed.
 */
async function runKeys(args: readonly string[]): Promise<void> {
  const directory = await openDataDirectory(resolve(settings.read(process.env).dataDir));
  try {
    const secrets = await readSecrets(directory.path);
    const [action, name = '', id] = args;
    if (action === 'list' && args.length === 1) return list(secrets);
    if (!isKey(name) || secrets[name] === undefined) throw new StartError(usage);
    const keys = keysOf(secrets[name]);
    secrets[name] = textOf(changed(keys, action, id, args.length));
    await writeSecrets(directory.path, secrets);
    list({ [name]: secrets[name] });
  } finally {
    await directory.release();
  }
}

function changed(keys: NamedKey[], action: string | undefined, id: string | undefined, count: number) {
  if (action === 'add' && count === 2) {
    if (keys.length >= 8) throw new StartError('There are eight of them; drop one first.');
    const numbers = keys.map((key) => Number(/^k(\d+)$/.exec(key.id)?.[1] ?? 1));
    return [...keys, { id: `k${Math.max(...numbers) + 1}`, value: randomBytes(32).toString('base64url') }];
  }
  const key = keys.find((each) => each.id === id);
  if (count !== 3 || (action !== 'use' && action !== 'drop')) throw new StartError(usage);
  if (!key) throw new StartError(`There is no key ${id}; npm run keys -- list says which there are.`);
  const others = keys.filter((each) => each !== key);
  if (action === 'use') return [key, ...others];
  if (key === keys[0]) throw new StartError(`${id} is the one in use; use another first.`);
  return others;
}

/** One that was never rotated is k1. */
const keysOf = (text: string): NamedKey[] =>
  text.includes(':')
    ? readKeys({ WAYBILL_PRINCIPAL_KEYS: text }, 'WAYBILL_PRINCIPAL_KEY')
    : [{ id: 'k1', value: text }];

const textOf = (keys: readonly NamedKey[]) => keys.map(({ id, value }) => `${id}:${value}`).join(',');

function list(secrets: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(secrets)) {
    if (!isKey(name)) continue;
    const [first, ...others] = keysOf(text).map(({ id }) => id);
    say(`${name}: ${first} in use${others.length > 0 ? `, ${others.join(', ')} accepted` : ''}`);
  }
}

runProgram(async () => {
  await runKeys(process.argv.slice(2));
  process.exit(0);
});
