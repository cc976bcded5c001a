import { randomInt } from 'node:crypto';
import { hashCredential } from '@waybill/contracts';
import { generateSecret, generateURI, verifySync } from 'otplib';

const periodSeconds = 30;
const recoveryCodes = 10;
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Creates a secret of 160 random bits in base32, as authenticator apps accept it (RFC 6238, SHA-1, six digits, 30
 * seconds).
 */
export const createTotpSecret = (): string => generateSecret();

/** Returns the secret as a URI for a QR code. */
export const toTotpUri = (secret: string, email: string): string =>
  generateURI({ issuer: 'Waybill', label: email, secret, period: periodSeconds });

/** Whether the text looks like a code of an authenticator; any other text can only be a recovery code. */
export const isTotpCode = (code: string): boolean => /^\d{6}$/.test(code);

/**
 * Returns the time step of a code: the current one or an adjacent one, because clocks differ. Returns null if the code
 * is wrong.
 */
export function findTimeStep(secret: string, code: string): number | null {
  const found = verifySync({ secret, token: code, period: periodSeconds, epochTolerance: periodSeconds });
  return found.valid && 'timeStep' in found ? found.timeStep : null;
}

/** Creates ten codes of 120 random bits, in groups that can be copied by hand. `decisions.md 15.4`. */
export function createRecoveryCodes(): string[] {
  const randomGroup = () => Array.from({ length: 6 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return Array.from({ length: recoveryCodes }, () => Array.from({ length: 4 }, randomGroup).join('-'));
}

/**
 * Returns the SHA-256 hash in hex, independent of how the code was typed. A code with so many random bits needs no slow
 * hash.
 */
export const hashRecoveryCode = (code: string): string =>
  hashCredential(code.toLowerCase().replaceAll(/[\s-]+/g, ''));
