import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The kinds of credential by prefix: API key, app access token, app refresh token. `store-api.md 5.1`. */
export type CredentialPrefix = 'wbk' | 'wba' | 'wbr';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const credentialPattern = /^(wbk|wba|wbr)_[0-9A-Za-z]{36}$/;

/** Creates a credential: prefix, 30 random base62 characters (178 bits), and a checksum of six. `decisions.md 8.4`. */
export function createCredential(prefix: CredentialPrefix): string {
  let text = `${prefix}_`;
  for (let i = 0; i < 30; i++) text += alphabet[randomInt(62)];
  return text + checksum(text);
}

/** Whether a text can be a credential: this detects a mistyped one without a lookup. */
export function isWellFormedCredential(text: string): boolean {
  return credentialPattern.test(text) && checksum(text.slice(0, -6)) === text.slice(-6);
}

/** Returns the form in which a credential is stored and looked up: SHA-256, hex. */
export function hashCredential(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < 6; i++) {
    digits = alphabet[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
