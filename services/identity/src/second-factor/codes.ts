import { randomInt } from 'node:crypto';
import { hashCredential } from '@waybill/contracts';
import { generateSecret, generateURI, verifySync } from 'otplib';

const periodSeconds = 30;
const recoveryCodes = 10;
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** A secret of 160 random bits in base32, as authenticator apps take it (RFC 6238, SHA-1, six digits, 30 seconds). */
export const makeSecret = (): string => generateSecret();

/** The secret as the URI that a QR code of it holds. */
export const uriOf = (secret: string, email: string): string =>
  generateURI({ issuer: 'Waybill', label: email, secret, period: periodSeconds });

/** Whether it looks like a code of an authenticator; anything else can only be a recovery code. */
export const isTotpCode = (code: string): boolean => /^\d{6}$/.test(code);

/** The time step that a code is of, the present one or one beside it, as clocks differ; null: it is of none. */
export function timeStepOf(secret: string, code: string): number | null {
  const found = verifySync({ secret, token: code, period: periodSeconds, epochTolerance: periodSeconds });
  return found.valid && 'timeStep' in found ? found.timeStep : null;
}

/** Ten codes of 120 random bits, in groups that can be copied by hand. `decisions.md 15.4`. */
export function makeRecoveryCodes(): string[] {
  const group = () => Array.from({ length: 6 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return Array.from({ length: recoveryCodes }, () => Array.from({ length: 4 }, group).join('-'));
}

/** SHA-256, hex, however the code was typed. So many random bits need no slow hash. */
export const hashRecoveryCode = (code: string): string =>
  hashCredential(code.toLowerCase().replaceAll(/[\s-]+/g, ''));
