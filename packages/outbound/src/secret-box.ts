import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const version = Buffer.from([1]);
const nonceLength = 12;
const tagLength = 16;

/** A new secret that webhook calls are signed with, `decisions.md 6.7`. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/**
 * Encrypts a secret for the database and for messages: AES-256-GCM under a 32-byte key, as base64url of
 * version, nonce, ciphertext and tag. `context` (the id of what the secret belongs to) is bound to it, so that
 * a sealed text moved to another row does not open there.
 */
export function seal(key: Uint8Array, text: string, context: string): string {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(bound(context));
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([version, nonce, ciphertext, cipher.getAuthTag()]).toString('base64url');
}

/** The text that `seal` was given. Throws when the key or the context is another one, or a bit has changed. */
export function open(key: Uint8Array, sealed: string, context: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const afterNonce = version.length + nonceLength;
  if (bytes.length < afterNonce + tagLength || bytes[0] !== version[0]) {
    throw new Error('a sealed secret cannot be opened: its form is unknown');
  }
  const nonce = bytes.subarray(version.length, afterNonce);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength });
  decipher.setAAD(bound(context)).setAuthTag(bytes.subarray(-tagLength));
  try {
    return (
      decipher.update(bytes.subarray(afterNonce, -tagLength), undefined, 'utf8') + decipher.final('utf8')
    );
  } catch {
    throw new Error('a sealed secret cannot be opened: wrong key, wrong context or damaged');
  }
}

function bound(context: string): Buffer {
  return Buffer.concat([version, Buffer.from(context)]);
}
