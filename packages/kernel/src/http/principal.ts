import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { Principal } from '@waybill/contracts';
import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';

/** The header in which the gateway names the principal to a service. The gateway drops what a client sends under it. */
export const principalHeader = 'x-waybill-principal';
/** The client's address, from the gateway. */
export const addressHeader = 'x-waybill-address';
/** What logs and audits name a request by, from the gateway. */
export const requestIdHeader = 'x-request-id';
/** The `Host` that the client asked for, which the gateway names: on the way it becomes the service's own. */
export const hostHeader = 'x-waybill-host';

const lifeSeconds = 30;
const issuer = 'waybill-gateway';

/** An Ed25519 key from its 32-byte seed in base64url, the form in which the configuration carries keys. */
export function ed25519Key(seed: string): KeyObject {
  const bytes = Buffer.from(seed, 'base64url');
  if (bytes.length !== 32) throw new Error('a signing key is 32 bytes in base64url');
  // PKCS #8 in front of the bare seed.
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), bytes]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

export const publicKeyOf = (key: KeyObject): KeyObject => createPublicKey(key);

/** An Ed25519 public key from its 32 bytes in base64url, the form that `publicKeyText` gives. */
export function ed25519PublicKey(text: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: text }, format: 'jwk' });
}

/** Of either half of a key. */
export const publicKeyText = (key: KeyObject): string =>
  (key.type === 'public' ? key : createPublicKey(key)).export({ format: 'jwk' }).x!;

/**
 * Signs principals; each is signed once and its token reused until it is about to run out. A token names its key by the
 * public one, so that it is found among several under whatever names they are configured (`decisions.md 18.1`).
 */
export function createPrincipalSigner(
  key: KeyObject,
): (cacheKey: string, principal: Principal) => Promise<string> {
  const header = { alg: 'EdDSA', kid: publicKeyText(key) };
  const tokens = new LRUCache<string, { principal: Principal; token: string; until: number }>({
    max: 20_000,
  });
  return async (cacheKey, principal) => {
    const kept = tokens.get(cacheKey);
    // The same object means the same facts: a changed principal is another object.
    if (kept && kept.principal === principal && kept.until > Date.now()) return kept.token;
    const token = await new SignJWT({ principal })
      .setProtectedHeader(header)
      .setIssuer(issuer)
      .setExpirationTime(`${lifeSeconds} s`)
      .sign(key);
    tokens.set(cacheKey, { principal, token, until: Date.now() + (lifeSeconds - 10) * 1000 });
    return token;
  };
}

/** Verifies the gateway's tokens; each is verified once and remembered. Null: not one, of no key here, or run out. */
export function createPrincipalVerifier(
  keys: readonly KeyObject[],
): (token: string) => Promise<Principal | null> {
  const byName = new Map(keys.map((key) => [publicKeyText(key), key]));
  const verified = new LRUCache<string, { principal: Principal; until: number }>({ max: 20_000 });
  return async (token) => {
    const kept = verified.get(token);
    if (kept) return kept.until > Date.now() ? kept.principal : null;
    try {
      const { kid } = decodeProtectedHeader(token);
      const { payload } = await verifyWithOne(token, kid === undefined ? keys : [byName.get(kid)]);
      verified.set(token, { principal: payload.principal, until: payload.exp! * 1000 });
      return payload.principal;
    } catch {
      return null;
    }
  };
}

/** A gateway of the version before names no key: then it is one of all. Throws when it is none. */
async function verifyWithOne(token: string, keys: readonly (KeyObject | undefined)[]) {
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
