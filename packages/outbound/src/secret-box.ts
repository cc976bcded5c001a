import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const version = Buffer.from([1]);
const nonceLength = 12;
const tagLength = 16;

/** Generates a secret for signing webhook calls (`decisions.md 6.7`). */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** A 32-byte key that seals secrets at rest, and its name. The name is '' if the setting holds a single key. */
export interface SealingKey {
  id: string;
  key: Uint8Array;
}

/** One or more keys: the first one seals, any of them opens (`decisions.md 18.1`). */
export type SealingKeys = readonly SealingKey[];

/**
 * Encrypts a secret for the database and for messages: AES-256-GCM under a 32-byte key, as base64url of version, nonce,
 * ciphertext and tag, prefixed with the key's name and a dot if the key has a name. `context` (the id of the secret's
 * owner) is bound to it, so a sealed text that is moved to another row cannot be opened there.
 */
export function seal([{ id, key } = noKey()]: SealingKeys, text: string, context: string): string {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(bound(context));
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const bytes = Buffer.concat([version, nonce, ciphertext, cipher.getAuthTag()]).toString('base64url');
  return id ? `${id}.${bytes}` : bytes;
}

/**
 * Returns the text that was passed to `seal`. Throws if none of the keys sealed it, the context differs, or a bit has
 * changed. The name only decides which key is tried first, so a key still opens its texts after it has been named or
 * renamed.
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
      // The text may be sealed with another one of the keys.
    }
  }
  throw new Error('a sealed secret cannot be opened: wrong key, wrong context or damaged');
}

/** Whether one of the keys opens a sealed text. */
export function opens(keys: SealingKeys, sealed: string, context: string): boolean {
  try {
    open(keys, sealed, context);
    return true;
  } catch {
    return false;
  }
}

/** Whether a text is sealed with the first key, judged by the key's name. */
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
