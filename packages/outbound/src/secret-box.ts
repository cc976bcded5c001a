import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const version = Buffer.from([1]);
const nonceLength = 12;
const tagLength = 16;

/** A new secret that webhook calls are signed with, `decisions.md 6.7`. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** A key that seals secrets at rest, 32 bytes, and its name; that of a setting with one key has none: ''. */
export interface SealingKey {
  id: string;
  key: Uint8Array;
}

/** Keys of which the first seals and all open, `decisions.md 18.1`; one at least. */
export type SealingKeys = readonly SealingKey[];

/**
 * Encrypts a secret for the database and for messages: AES-256-GCM under a 32-byte key, as base64url of
 * version, nonce, ciphertext and tag, behind the key's name and a dot where it has one. `context` (the id of what the
 * secret belongs to) is bound to it, so that a sealed text moved to another row does not open there.
 */
export function seal([{ id, key } = noKey()]: SealingKeys, text: string, context: string): string {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(bound(context));
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const bytes = Buffer.concat([version, nonce, ciphertext, cipher.getAuthTag()]).toString('base64url');
  return id ? `${id}.${bytes}` : bytes;
}

/**
 * The text that `seal` was given. Throws when none of the keys sealed it, the context is another one, or a bit has
 * changed. The name only says which key is tried first: a key that was given a name, or another one, opens as before.
 */
export function open(keys: SealingKeys, sealed: string, context: string): string {
  const dot = sealed.indexOf('.');
  const id = sealed.slice(0, Math.max(dot, 0));
  const bytes = Buffer.from(sealed.slice(dot + 1), 'base64url');
  const afterNonce = version.length + nonceLength;
  if (bytes.length < afterNonce + tagLength || bytes[0] !== version[0]) {
    throw new Error('a sealed secret cannot be opened: its form is unknown');
  }
  const named = keys.filter((each) => each.id === id);
  for (const { key } of [...named, ...keys.filter((each) => each.id !== id)]) {
    const nonce = bytes.subarray(version.length, afterNonce);
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength });
    decipher.setAAD(bound(context)).setAuthTag(bytes.subarray(-tagLength));
    try {
      return (
        decipher.update(bytes.subarray(afterNonce, -tagLength), undefined, 'utf8') + decipher.final('utf8')
      );
    } catch {
      // Another of the keys may have sealed it.
    }
  }
  throw new Error('a sealed secret cannot be opened: wrong key, wrong context or damaged');
}

/** Whether one of the keys opens a text. */
export function opens(keys: SealingKeys, sealed: string, context: string): boolean {
  try {
    open(keys, sealed, context);
    return true;
  } catch {
    return false;
  }
}

/** Whether a text is sealed with the key that seals now, by its name. */
export function isSealedWithFirst([{ id } = noKey()]: SealingKeys, sealed: string): boolean {
  const dot = sealed.indexOf('.');
  return sealed.slice(0, Math.max(dot, 0)) === id;
}

function noKey(): never {
  throw new Error('there is no key to seal with');
}

function bound(context: string): Buffer {
  return Buffer.concat([version, Buffer.from(context)]);
}
