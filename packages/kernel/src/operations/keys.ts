import { createHash, timingSafeEqual } from 'node:crypto';
import Type, { type TOptional, type TString } from 'typebox';

/** A key of the configuration and the name that its operator gave it; that of a setting with one key has none. */
export interface NamedKey {
  id: string;
  value: string;
}

type KeyNames<Name extends string> = Name | `${Name}S`;

/** The values of the two settings. */
export type KeyEnv<Name extends string> = { readonly [Setting in KeyNames<Name>]?: string | undefined };

/** The two settings of a key, `decisions.md 18.1`: `…_KEY` with one, `…_KEYS` with `new:…,old:…`, which goes before. */
export function keySettings<Name extends string>(
  name: Name,
  description: string,
): Record<KeyNames<Name>, TOptional<TString>> {
  const settings = {
    [name]: Type.Optional(Type.String({ description })),
    [`${name}S`]: Type.Optional(
      Type.String({
        description: `In its place: several, \`new:…,old:…\`. The first is used, all are accepted.`,
      }),
    ),
  };
  return settings as Record<KeyNames<Name>, TOptional<TString>>;
}

/** Of one setting: enough for any rotation, and little enough to try one after the other. */
const maxKeys = 16;
const idPattern = /^[A-Za-z0-9_-]{1,32}$/;

/** The keys of both settings, the one to use first. Throws an error of one line that names the variable, never a key. */
export function readKeys<Name extends string>(env: KeyEnv<Name>, name: Name): NamedKey[] {
  const { [`${name}S`]: list, [name]: single } = env as Readonly<Record<string, string | undefined>>;
  if (list) return parseNamed(`${name}S`, list);
  if (single) return [{ id: '', value: single }];
  throw new Error(`${name}: must be set`);
}

/** Reads each key by `read`, whose errors get the variable's name. */
export function keysFrom<Key>(
  name: string,
  keys: readonly NamedKey[],
  read: (value: string) => Key,
): { id: string; key: Key }[] {
  return keys.map(({ id, value }) => {
    try {
      return { id, key: read(value) };
    } catch (error) {
      throw new Error(`${name}${id && `S: ${id}`}: ${(error as Error).message}`);
    }
  });
}

/** `name:value,…`, each name once. Throws an error of one line that holds no value. */
export function parseNamed(setting: string, text: string, limit = maxKeys): NamedKey[] {
  const entries = text.split(',').map((entry) => entry.trim());
  if (entries.length > limit) throw new Error(`${setting}: must be ${limit} at most`);
  const keys = entries.map((entry, i) => {
    const colon = entry.indexOf(':');
    const [id, value] = [entry.slice(0, Math.max(colon, 0)), entry.slice(colon + 1)];
    // Not in its own words: what stands there may be a key whose name was forgotten.
    if (!idPattern.test(id) || !value)
      throw new Error(`${setting}: entry ${i + 1} is not name:value (names are 1 to 32 of A-Z a-z 0-9 _ -)`);
    return { id, value };
  });
  const twice = keys.find(({ id }, i) => keys.findIndex((other) => other.id === id) !== i);
  if (twice) throw new Error(`${setting}: ${twice.id} stands there twice`);
  return keys;
}

/** Who may ask internal routes: the name of each, and the SHA-256 of its token. */
export interface Caller {
  name: string;
  hash: Buffer;
}

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** `WAYBILL_CALLERS`: `catalog:<SHA-256 of its token in hex>,…`. */
export function parseCallers(text: string): Caller[] {
  return parseNamed('WAYBILL_CALLERS', text, 100).map(({ id: name, value }) => {
    if (!/^[0-9a-f]{64}$/i.test(value))
      throw new Error(`WAYBILL_CALLERS: ${name}: must be a SHA-256, 64 hexadecimal digits`);
    return { name, hash: Buffer.from(value, 'hex') };
  });
}

/** `WAYBILL_CALLERS` of these tokens by name. */
export const callersText = (tokens: readonly (readonly [name: string, token: string])[]): string =>
  tokens.map(([name, token]) => `${name}:${hashToken(token).toString('hex')}`).join(',');

/** Whose token stands in an `Authorization` header; null: nobody's. Its time tells nothing of the tokens. */
export function findCaller(callers: readonly Caller[], authorization: string | undefined): string | null {
  const hash = hashToken(authorization?.startsWith('Bearer ') ? authorization.slice(7) : '');
  let found: string | null = null;
  for (const caller of callers) if (timingSafeEqual(caller.hash, hash)) found = caller.name;
  return found;
}
