import {
  type ApiError,
  errors,
  hashCredential,
  isWellFormedCredential,
  type Principal,
  type Role,
} from '@waybill/contracts';
import type { RateDecision, ServiceContext } from '@waybill/kernel';
import { LRUCache } from 'lru-cache';
import type { Config } from './config.ts';
import { shareLookUps } from './shared-look-ups.ts';
import type { UserPrincipal, UserTokens } from './user-tokens.ts';

/**
 * What is left of a bearer's rate limit; whoever is admitted, and a name for that bearer's signed principal. A bearer
 * that is known and yet refused uses up its limit like any other.
 */
export type Admission = { rate: RateDecision } & (
  | { principal: Principal; cacheKey: string }
  | { refusal: ApiError }
);

/** What identity and the app platform answer about a credential; cached under its store's epoch. */
interface Resolution {
  epoch: string;
  storeId: string;
  outcome: 'ok' | 'revoked' | 'unusable';
  principal: Principal;
  /** App tokens end; milliseconds since the epoch. */
  expiresAt?: number;
}

type Known = Pick<Resolution, 'outcome' | 'principal' | 'expiresAt'>;

/** What identity answers about a user in a store. */
type Membership = { epoch: string; role: Role };

/** How long a principal may be served without asking its owner, should a change of epoch ever get lost. */
const cacheSeconds = 30;

/**
 * Turns a request's bearer into a principal, in one round trip to the cache. A change of key, role, member or
 * install moves the store's epoch on before it is answered, so the very next request asks the owner again.
 */
export function createAdmission(context: ServiceContext<Config>, userTokens: UserTokens) {
  const { cache, config, peers } = context;
  // The same text gives the same object: what is derived from a principal can be remembered by it.
  const parsed = new LRUCache<string, { value: string; known: Known }>({ max: 20_000 });
  // Hashes that belong to nobody cost their owner one look-up every now and then.
  const unknown = new LRUCache<string, true>({ max: 20_000, ttl: 10_000 });

  const shared = shareLookUps<string | null>();

  function parse(key: string, value: string): Known {
    const kept = parsed.get(key);
    if (kept?.value === value) return kept.known;
    const known = JSON.parse(value) as Known;
    parsed.set(key, { value, known });
    return known;
  }

  /** What its owner says of a bearer, kept for the requests to come; null: nobody's. */
  const lookUp = (key: string, ask: () => Promise<Resolution | null>) =>
    shared(key, async () => {
      const found = await ask();
      if (!found) return null;
      const { epoch, storeId, ...known } = found;
      const value = JSON.stringify(known satisfies Known);
      await cache.put(key, { storeId, epoch, value }, cacheSeconds);
      return value;
    });

  /** The bearer of the public API: `store-api.md 5.1, 7.1`. */
  async function admitCredential(authorization: string | undefined): Promise<Admission> {
    const token = bearerOf(authorization);
    const prefix = token?.slice(0, 4);
    if (!token || (prefix !== 'wbk_' && prefix !== 'wba_')) {
      throw prefix === 'wbr_' ? errors.refresh_token_not_accepted() : errors.api_key_required();
    }
    const isKey = prefix === 'wbk_';
    const invalid = isKey ? errors.invalid_credential : errors.app_token_invalid;
    if (!isWellFormedCredential(token)) throw invalid();
    const [owner, path] = isKey
      ? ['identity', '/internal/credentials/resolve']
      : ['app-platform', '/internal/app-tokens/resolve'];
    if (!peers.has(owner)) throw errors.resource_unavailable({ headers: { 'retry-after': '60' } });

    const hash = hashCredential(token);
    if (unknown.has(hash)) throw invalid();
    const key = `credential:${hash}`;
    const { entry, rate } = await cache.admit(key, config.rateLimit);
    const value =
      entry?.value ?? (await lookUp(key, () => peers.call<Resolution>(owner, 'POST', path, { hash })));
    if (!value) {
      unknown.set(hash, true);
      throw invalid();
    }
    const known = parse(key, value);
    if (known.outcome === 'revoked') throw isKey ? errors.key_revoked() : invalid();
    if (known.expiresAt && known.expiresAt <= Date.now()) throw invalid();
    if (known.outcome === 'unusable') return { rate, refusal: errors.key_unusable() };
    return { principal: known.principal, cacheKey: key, rate };
  }

  /** A signed-in user; with `storeId` a member of that store, otherwise `not_found`. `decisions.md 8.2`. */
  async function admitUser(authorization: string | undefined, storeId: string | null): Promise<Admission> {
    const token = bearerOf(authorization);
    const user = token && (await userTokens.verify(token));
    if (!user) throw errors.user_token_required();
    const limitKey = `user:${user.userId}`;
    if (!storeId) {
      return { principal: user, cacheKey: limitKey, rate: await cache.take(limitKey, config.rateLimit) };
    }
    const key = `member:${user.userId}:${storeId}`;
    // The limit is the user's, whatever store the request is about. Sent together: still one round trip.
    const [{ entry }, rate] = await Promise.all([
      cache.admit(key, config.rateLimit),
      cache.take(limitKey, config.rateLimit),
    ]);
    const value = entry?.value ?? (await lookUp(key, () => askForMember(user, storeId)));
    if (!value) return { rate, refusal: errors.not_found() };
    return { principal: parse(key, value).principal, cacheKey: key, rate };
  }

  async function askForMember(user: UserPrincipal, storeId: string): Promise<Resolution | null> {
    const body = { userId: user.userId, storeId };
    const found = await peers.call<Membership>('identity', 'POST', '/internal/members/resolve', body);
    if (!found) return null;
    const { epoch, role } = found;
    return { epoch, storeId, outcome: 'ok', principal: { ...user, storeId, role } };
  }

  return {
    admitCredential: async (authorization: string | undefined) => {
      if (authorization === undefined) throw errors.missing_credential();
      return admitCredential(authorization);
    },
    admitUser: async (authorization: string | undefined, storeId: string | null) => {
      if (authorization === undefined) throw errors.missing_credential();
      return admitUser(authorization, storeId);
    },
  };
}

function bearerOf(authorization: string | undefined): string | null {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? null;
}
