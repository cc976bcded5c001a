import { createHash, timingSafeEqual } from 'node:crypto';
import Type, { type TOptional, type TString } from 'typebox';

/** A key of the configuration and the name that its operator gave it, empty for a setting with one key. */
export interface NamedKey {
  id: string;
  value: string;
}

type KeyNames<Name extends string> = Name | `${Name}S`;

/** The values of the two settings of a key. */
export type KeyEnv<Name extends string> = { readonly [Setting in KeyNames<Name>]?: string | undefined };

/**
 * Returns the two settings of a key, `decisions.md 18.1`: `…_KEY` with one key, and `…_KEYS` with `new:…,old:…`, which
 * takes precedence.
 */
export function keySettings<Name extends string>(
  name: Name,
  description: string,
): Record<KeyNames<Name>, TOptional<TString>> {
  const settings = {
    [name]: Type.Optional(Type.String({ description })),
    [`${name}S`]: Type.Optional(
      Type.String({
        description:
          'Replaces the single key with several, `new:…,old:…`. The first is used, all are accepted.',
      }),
    ),
  };
  return settings as Record<KeyNames<Name>, TOptional<TString>>;
}

/** Maximum number of keys of one setting: enough for any rotation, and few enough to try one after the other. */
const maxKeys = 16;
const idPattern = /^[A-Za-z0-9_-]{1,32}$/;

/**
 * Reads the keys of both settings, the current one first. Throws an error of one line that names the variable and never
 * contains a key.
 */
export function readKeys<Name extends string>(env: KeyEnv<Name>, name: Name): NamedKey[] {
  const { [`${name}S`]: list, [name]: single } = env as Readonly<Record<string, string | undefined>>;
  if (list) return parseNamed(`${name}S`, list);
  if (single) return [{ id: '', value: single }];
  throw new Error(`${name}: must be set`);
}

/** Converts each key by `read`, whose errors get the variable's name. */
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

/** Parses `name:value,…`, each name once. Throws an error of one line that contains no value. */
export function parseNamed(setting: string, text: string, limit = maxKeys): NamedKey[] {
  const entries = text.split(',').map((entry) => entry.trim());
  if (entries.length > limit) throw new Error(`${setting}: must be ${limit} at most`);
  const keys = entries.map((entry, i) => {
    const colon = entry.indexOf(':');
    const [id, value] = [entry.slice(0, Math.max(colon, 0)), entry.slice(colon + 1)];
    // The message does not quote the entry, because it may be a key whose name was forgotten.
    if (!idPattern.test(id) || !value)
      throw new Error(`${setting}: entry ${i + 1} is not name:value (names are 1 to 32 of A-Z a-z 0-9 _ -)`);
    return { id, value };
  });
  const duplicate = keys.find(({ id }, i) => keys.findIndex((other) => other.id === id) !== i);
  if (duplicate) throw new Error(`${setting}: ${duplicate.id} appears twice`);
  return keys;
}

/** A caller that may use internal routes: its name and the SHA-256 of its token. */
export interface Caller {
  name: string;
  hash: Buffer;
}

/** Returns the SHA-256 of a token. Tokens are random, so a slow hash would add nothing. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Parses `WAYBILL_CALLERS`: `catalog:<SHA-256 of its token in hex>,…`. */
export function parseCallers(text: string): Caller[] {
  return parseNamed('WAYBILL_CALLERS', text, 100).map(({ id: name, value }) => {
    if (!/^[0-9a-f]{64}$/i.test(value))
      throw new Error(`WAYBILL_CALLERS: ${name}: must be a SHA-256, 64 hexadecimal digits`);
    return { name, hash: Buffer.from(value, 'hex') };
  });
}

/** Returns the text of `WAYBILL_CALLERS` for these tokens by name. */
export const callersText = (tokens: readonly (readonly [name: string, token: string])[]): string =>
  tokens.map(([name, token]) => `${name}:${hashToken(token).toString('hex')}`).join(',');

/**
 * Returns the caller whose token an `Authorization` header has; null if no token matches. Its duration reveals nothing
 * about the tokens.
 */
export function findCaller(callers: readonly Caller[], authorization: string | undefined): string | null {
  const hash = hashToken(authorization?.startsWith('Bearer ') ? authorization.slice(7) : '');
  let found: string | null = null;
  for (const caller of callers) if (timingSafeEqual(caller.hash, hash)) found = caller.name;
  return found;
}
