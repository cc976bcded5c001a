import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { Principal } from '@waybill/contracts';
import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';

/** The header in which the gateway passes the principal to a service. The gateway drops such a header of a client. */
export const principalHeader = 'x-waybill-principal';
/** The header with the client's address, from the gateway. */
export const addressHeader = 'x-waybill-address';
/** The header with the id of a request in logs and audits, from the gateway. */
export const requestIdHeader = 'x-request-id';
/**
 * The header with the `Host` of the client's request, from the gateway: on the way, `Host` becomes the service's own.
 */
export const hostHeader = 'x-waybill-host';

const ttlSeconds = 30;
const issuer = 'waybill-gateway';

/** Returns an Ed25519 key from its 32-byte seed in base64url, the form of keys in the configuration. */
export function ed25519Key(seed: string): KeyObject {
  const bytes = Buffer.from(seed, 'base64url');
  if (bytes.length !== 32) throw new Error('a signing key is 32 bytes in base64url');
  // The PKCS #8 prefix of a bare seed.
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), bytes]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

/** Returns the public key of a private one. */
export const derivePublicKey = (key: KeyObject): KeyObject => createPublicKey(key);

/** Returns an Ed25519 public key from its 32 bytes in base64url, the form that `publicKeyText` returns. */
export function ed25519PublicKey(text: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: text }, format: 'jwk' });
}

/** Returns the public key of either half of a key, as text. */
export const publicKeyText = (key: KeyObject): string =>
  (key.type === 'public' ? key : createPublicKey(key)).export({ format: 'jwk' }).x!;

/**
 * Creates the function that signs principals. Each is signed once, and its token is reused until it is about to expire.
 * A token names its key by the public key, so that verifiers find it among several, regardless of their names in the
 * configuration (`decisions.md 18.1`).
 */
export function createPrincipalSigner(
  key: KeyObject,
): (cacheKey: string, principal: Principal) => Promise<string> {
  const header = { alg: 'EdDSA', kid: publicKeyText(key) };
  const tokens = new LRUCache<string, { principal: Principal; token: string; until: number }>({
    max: 20_000,
  });
  return async (cacheKey, principal) => {
    const cached = tokens.get(cacheKey);
    // The same object means the same facts: a changed principal is another object.
    if (cached && cached.principal === principal && cached.until > Date.now()) return cached.token;
    const token = await new SignJWT({ principal })
      .setProtectedHeader(header)
      .setIssuer(issuer)
      .setExpirationTime(`${ttlSeconds} s`)
      .sign(key);
    tokens.set(cacheKey, { principal, token, until: Date.now() + (ttlSeconds - 10) * 1000 });
    return token;
  };
}

/**
 * Creates the function that verifies the gateway's tokens and caches the results. It returns null for an invalid or
 * expired token, or one of an unknown key.
 */
export function createPrincipalVerifier(
  keys: readonly KeyObject[],
): (token: string) => Promise<Principal | null> {
  const byName = new Map(keys.map((key) => [publicKeyText(key), key]));
  const verified = new LRUCache<string, { principal: Principal; until: number }>({ max: 20_000 });
  return async (token) => {
    const cached = verified.get(token);
    if (cached) return cached.until > Date.now() ? cached.principal : null;
    try {
      const { kid } = decodeProtectedHeader(token);
      const { payload } = await verifyWithAny(token, kid === undefined ? keys : [byName.get(kid)]);
      verified.set(token, { principal: payload.principal, until: payload.exp! * 1000 });
      return payload.principal;
    } catch {
      return null;
    }
  };
}

/**
 * Verifies a token by one of the keys. A gateway of the previous version names no key, so all of them are tried. Throws
 * if none fits.
 */
async function verifyWithAny(token: string, keys: readonly (KeyObject | undefined)[]) {
  let failure: unknown = new Error('a key that is not accepted');
  for (const key of keys) {
    if (!key) continue;
    try {
      return await jwtVerify<{ principal: Principal }>(token, key, { algorithms: ['EdDSA'], issuer });
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
