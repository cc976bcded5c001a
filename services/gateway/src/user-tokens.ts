import type { Principal } from '@waybill/contracts';
import type { Peers } from '@waybill/kernel';
import { singleFlight } from '@waybill/kernel';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';

export type UserPrincipal = Extract<Principal, { kind: 'user' }>;

/** What a valid access token says: who, by which session. Whether that goes on is identity's to say. */
export interface Bearer {
  user: UserPrincipal;
  sessionId: string;
}

export interface UserTokens {
  /** Null: no valid access token. */
  verify(token: string): Promise<Bearer | null>;
}

type KeySet = ReturnType<typeof createLocalJWKSet> | null;

/** `sid` is missing in tokens of before there was one: they could not be ended. */
type Claims = { email: string; sid?: string };

const refetchMs = 10_000;
/** For so long at most a key is accepted that identity accepts no more. */
const keysMs = 60_000;

/** Verifies the access tokens that identity signs, with the keys that it publishes: `decisions.md 8.1`. */
export function createUserTokens(peers: Peers): UserTokens {
  const verified = new LRUCache<string, Bearer & { until: number }>({ max: 20_000 });
  const shared = singleFlight<KeySet>();
  let keys: KeySet = null;
  let published = '';
  let fetchedAt = 0;
  let triedAt = 0;

  /**
   * Identity's keys; asked for again after a while, and, now and then, when a token names a key that is not among them.
   * What a key that went has signed is good no more.
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

  /** Beside the requests: none waits for it, and identity out of reach leaves the keys as they are. */
  function keepFresh(): void {
    if (!keys || Date.now() - Math.max(fetchedAt, triedAt) < keysMs) return;
    triedAt = Date.now();
    fetchKeys().catch(() => {});
  }

  async function check(token: string) {
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
      keepFresh();
      const kept = verified.get(token);
      if (kept) return kept.until > Date.now() ? kept : null;
      if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return null;
      try {
        const { payload } = await check(token);
        if (!payload.sid) return null;
        const user: UserPrincipal = { kind: 'user', userId: payload.sub!, email: payload.email };
        const bearer = { user, sessionId: payload.sid };
        verified.set(token, { ...bearer, until: payload.exp! * 1000 });
        return bearer;
      } catch (error) {
        // Identity out of reach is no verdict on the token.
        if ((error as { status?: number }).status === 503) throw error;
        return null;
      }
    },
  };
}
