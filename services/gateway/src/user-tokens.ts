import type { Principal } from '@waybill/contracts';
import type { Peers } from '@waybill/kernel';
import { singleFlight } from '@waybill/kernel';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';

export type UserPrincipal = Extract<Principal, { kind: 'user' }>;

/** The user and session of a valid access token. Only identity knows whether the session has ended. */
export interface Bearer {
  user: UserPrincipal;
  sessionId: string;
}

export interface UserTokens {
  /** Returns null if the token is not a valid access token. */
  verify(token: string): Promise<Bearer | null>;
}

type KeySet = ReturnType<typeof createLocalJWKSet> | null;

/** Old tokens have no `sid` and are refused, because they could not be ended. */
type Claims = { email: string; sid?: string };

const refetchMs = 10_000;
/** Maximum time for which a key is still accepted after identity has dropped it. */
const keysMs = 60_000;

/** Verifies access tokens with the public keys that identity publishes: `decisions.md 8.1`. */
export function createUserTokens(peers: Peers): UserTokens {
  const verified = new LRUCache<string, Bearer & { until: number }>({ max: 20_000 });
  const shared = singleFlight<KeySet>();
  let keys: KeySet = null;
  let published = '';
  let fetchedAt = 0;
  let triedAt = 0;

  /**
   * Fetches identity's keys, at most every `refetchMs`: regularly, and when a token names an unknown key. If the keys
   * have changed, forgets the tokens that were verified with the old ones.
   */
  const fetchKeys = () =>
    shared('keys', async () => {
      if (keys && Date.now() - fetchedAt < refetchMs) return keys;
      const set = await peers.call<JSONWebKeySet>('identity', 'GET', '/.well-known/jwks.json');
      fetchedAt = Date.now();
      const now = JSON.stringify(set);
      if (now !== published) {
        verified.clear();
        published = now;
      }
      keys = set && createLocalJWKSet(set);
      return keys;
    });

  /** Refreshes the keys in the background. If identity is unreachable, the current keys stay in use. */
  function refreshKeys(): void {
    if (!keys || Date.now() - Math.max(fetchedAt, triedAt) < keysMs) return;
    triedAt = Date.now();
    fetchKeys().catch(() => {});
  }

  async function verify(token: string) {
    const options = { audience: 'waybill', algorithms: ['EdDSA'] };
    try {
      return await jwtVerify<Claims>(token, keys ?? (await fetchKeys())!, options);
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_JWKS_NO_MATCHING_KEY') throw error;
      return jwtVerify<Claims>(token, (await fetchKeys())!, options);
    }
  }

  return {
    async verify(token) {
      refreshKeys();
      const cached = verified.get(token);
      if (cached) return cached.until > Date.now() ? cached : null;
      if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return null;
      try {
        const { payload } = await verify(token);
        if (!payload.sid) return null;
        const user: UserPrincipal = { kind: 'user', userId: payload.sub!, email: payload.email };
        const bearer = { user, sessionId: payload.sid };
        verified.set(token, { ...bearer, until: payload.exp! * 1000 });
        return bearer;
      } catch (error) {
        // An unreachable identity service says nothing about the token.
        if ((error as { status?: number }).status === 503) throw error;
        return null;
      }
    },
  };
}
