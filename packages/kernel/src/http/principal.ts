import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { Principal } from '@waybill/contracts';
import { jwtVerify, SignJWT } from 'jose';
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

export const publicKeyText = (key: KeyObject): string => createPublicKey(key).export({ format: 'jwk' }).x!;

/** Signs principals; each is signed once and its token reused until it is about to run out. */
export function createPrincipalSigner(
  key: KeyObject,
): (cacheKey: string, principal: Principal) => Promise<string> {
  const tokens = new LRUCache<string, { principal: Principal; token: string; until: number }>({
    max: 20_000,
  });
  return async (cacheKey, principal) => {
    const kept = tokens.get(cacheKey);
    // The same object means the same facts: a changed principal is another object.
    if (kept && kept.principal === principal && kept.until > Date.now()) return kept.token;
    const token = await new SignJWT({ principal })
      .setProtectedHeader({ alg: 'EdDSA' })
      .setIssuer(issuer)
      .setExpirationTime(`${lifeSeconds} s`)
      .sign(key);
    tokens.set(cacheKey, { principal, token, until: Date.now() + (lifeSeconds - 10) * 1000 });
    return token;
  };
}

/** Verifies the gateway's tokens; each is verified once and remembered. Null: not one, or run out. */
export function createPrincipalVerifier(key: KeyObject): (token: string) => Promise<Principal | null> {
  const verified = new LRUCache<string, { principal: Principal; until: number }>({ max: 20_000 });
  return async (token) => {
    const kept = verified.get(token);
    if (kept) return kept.until > Date.now() ? kept.principal : null;
    try {
      const { payload } = await jwtVerify<{ principal: Principal }>(token, key, {
        algorithms: ['EdDSA'],
        issuer,
      });
      verified.set(token, { principal: payload.principal, until: payload.exp! * 1000 });
      return payload.principal;
    } catch {
      return null;
    }
  };
}
