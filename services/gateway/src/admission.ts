import {
  ApiError,
  errors,
  hashCredential,
  isWellFormedCredential,
  type Principal,
  type Role,
} from '@waybill/contracts';
import {
  createInProcessCache,
  getNetwork,
  type RateDecision,
  type ServiceContext,
  singleFlight,
} from '@waybill/kernel';
import { LRUCache } from 'lru-cache';
import type { Config } from './config.ts';
import { createTarpit } from './tarpit.ts';
import type { Bearer, UserPrincipal, UserTokens } from './user-tokens.ts';

/**
 * The rest of a bearer's rate limit, with the admitted principal and a cache key for its signed form, or with a
 * refusal. A known bearer uses up its limit even when it is refused.
 */
export type Admission = { rate: RateDecision } & (
  | { principal: Principal; cacheKey: string }
  | { refusal: ApiError }
);

/**
 * The owner's answer about a bearer, cached under the epoch of its subject. The owner is identity or the app platform.
 */
interface Resolution {
  /** The store, or the user of a session. */
  subject: string;
  epoch: string;
  outcome: 'ok' | 'revoked' | 'unusable';
  principal: Principal;
  /** Expiry of an app token, in milliseconds since 1970. */
  expiresAt?: number;
}

type ResolvedBearer = Omit<Resolution, 'subject' | 'epoch'>;

/** Identity's answer about a user in a store. */
type Membership = { epoch: string; role: Role };

/** Identity's answer about a user's session. */
type Session = { epoch: string; isReviewer: boolean };

/** How long a cached principal stays valid if a change of epoch should ever get lost. */
const cacheSeconds = 30;

/**
 * Turns a request's bearer into a principal, with one round trip to the cache. Every change of a key, role, member or
 * install bumps the store's epoch before it is answered, and the end of a session bumps the user's epoch. So the next
 * request asks the owner again.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function createAdmission(context: ServiceContext<Config>, userTokens: UserTokens) {
  const { cache, config, peers } = context;
  // The same text yields the same object, so that derived values can be cached by the principal.
  const parsed = new LRUCache<string, { value: string; known: ResolvedBearer }>({ max: 20_000 });
  // Unknown bearers, so that each causes only one look-up at its owner every ten seconds.
  const unknown = new LRUCache<string, true>({ max: 20_000, ttl: 10_000 });
  // Failed look-ups by network. The counts are local to the process, so that refusing a guess costs nothing elsewhere.
  const guesses = createInProcessCache();

  const tarpit = createTarpit();
  const shared = singleFlight<string | null>();

  function parse(key: string, value: string): ResolvedBearer {
    const cached = parsed.get(key);
    if (cached?.value === value) return cached.known;
    const known = JSON.parse(value) as ResolvedBearer;
    parsed.set(key, { value, known });
    return known;
  }

  /**
   * Throws `rate_limited` for a network with too many failed look-ups, before anything else is asked. Bearers that this
   * process knows pass, because they may share a network with an attacker.
   */
  async function checkGuessLimit(key: string, network: string): Promise<void> {
    if (parsed.has(key)) return;
    const { count, resetSeconds } = await guesses.count(network, 60, 0);
    if (count >= config.guessesPerMinute)
      throw errors.rate_limited({ headers: { 'retry-after': String(Math.max(1, resetSeconds)) } });
  }

  /** Asks a bearer's owner and caches the answer; null: the bearer is unknown. */
  const lookUp = (key: string, resolve: () => Promise<Resolution | null>) =>
    shared(key, async () => {
      const found = await resolve();
      if (!found) return null;
      const { subject, epoch, ...known } = found;
      const value = JSON.stringify(known satisfies ResolvedBearer);
      await cache.put(key, { subject, epoch, value }, cacheSeconds);
      return value;
    });

  /**
   * Admits a bearer of the public API: `store-api.md 5.1, 7.1`. The token of an uninstalled app may only report on
   * payments, `decisions.md 22.1`.
   */
  async function admitCredential(
    authorization: string | undefined,
    address: string,
    isPaymentReport: boolean,
  ): Promise<Admission> {
    const token = parseBearer(authorization);
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
    const key = `credential:${hash}`;
    if (unknown.has(key)) throw invalid();
    const network = getNetwork(address);
    await checkGuessLimit(key, network);
    const isSomebodys = parsed.has(key) ? () => {} : await tarpit.beforeLookUp();
    const { entries, rate } = await cache.admit(key, config.rateLimit, [key]);
    const value = entries[0]?.value ?? (await lookUp(key, () => resolveCredential(owner, path, hash)));
    if (!value) {
      unknown.set(key, true);
      await guesses.count(network, 60, 1);
      throw invalid();
    }
    isSomebodys();
    const known = parse(key, value);
    if (known.outcome === 'revoked') throw isKey ? errors.key_revoked() : invalid();
    if (known.expiresAt && known.expiresAt <= Date.now()) throw invalid();
    if (known.principal.kind === 'app' && known.principal.isUninstalled && !isPaymentReport) throw invalid();
    if (known.outcome === 'unusable') return { rate, refusal: errors.key_unusable() };
    return { principal: known.principal, cacheKey: key, rate };
  }

  async function resolveCredential(owner: string, path: string, hash: string): Promise<Resolution | null> {
    const found = await peers.call<Resolution & { storeId: string }>(owner, 'POST', path, { hash });
    if (!found) return null;
    const { storeId, ...resolution } = found;
    return { ...resolution, subject: storeId };
  }

  /**
   * Admits a signed-in user. With `storeId` the user must be a member of that store; otherwise the refusal is
   * `not_found`. `decisions.md 8.2`.
   */
  async function admitUser(authorization: string | undefined, storeId: string | null): Promise<Admission> {
    const token = parseBearer(authorization);
    const bearer = token && (await userTokens.verify(token));
    if (!bearer) throw errors.user_token_required();
    const { user, sessionId } = bearer;
    const sessionKey = `session:${sessionId}`;
    // An ended session never comes back.
    if (unknown.has(sessionKey)) throw errors.user_token_required();
    const memberKey = storeId && `member:${user.userId}:${storeId}`;
    // The limit counts per user, across all stores.
    const { entries, rate } = await cache.admit(
      `user:${user.userId}`,
      config.rateLimit,
      memberKey ? [sessionKey, memberKey] : [sessionKey],
    );
    // A refused request causes no look-ups.
    if (!rate.allowed) return { rate, refusal: errors.rate_limited() };
    const [session, member] = await Promise.all([
      entries[0]?.value ?? lookUp(sessionKey, () => resolveSession(bearer)),
      memberKey && (entries[1]?.value ?? lookUp(memberKey, () => resolveMember(user, storeId))),
    ]);
    if (!session) {
      unknown.set(sessionKey, true);
      throw errors.user_token_required();
    }
    if (!memberKey) return { principal: parse(sessionKey, session).principal, cacheKey: sessionKey, rate };
    if (!member)
      return { rate, refusal: errors.not_found({ message: 'You are not a member of such a store.' }) };
    return { principal: parse(memberKey, member).principal, cacheKey: memberKey, rate };
  }

  async function resolveSession({ user, sessionId }: Bearer): Promise<Resolution | null> {
    const { userId } = user;
    const body = { sessionId, userId };
    const found = await peers.call<Session>('identity', 'POST', '/internal/sessions/resolve', body);
    if (!found) return null;
    const { epoch, isReviewer } = found;
    return {
      subject: userId,
      epoch,
      outcome: 'ok',
      principal: { ...user, sessionId, ...(isReviewer && { isReviewer }) },
    };
  }

  async function resolveMember(user: UserPrincipal, storeId: string): Promise<Resolution | null> {
    const body = { userId: user.userId, storeId };
    const found = await peers.call<Membership>('identity', 'POST', '/internal/members/resolve', body);
    if (!found) return null;
    const { epoch, role } = found;
    return { subject: storeId, epoch, outcome: 'ok', principal: { ...user, storeId, role } };
  }

  /** Delays the refusals of strangers, so that a flood of them costs little. */
  async function refuseSlowly(admission: Promise<Admission>): Promise<Admission> {
    try {
      return await admission;
    } catch (error) {
      if (error instanceof ApiError && (error.status === 401 || error.status === 429))
        await tarpit.beforeRefusal();
      throw error;
    }
  }

  return {
    admitCredential: async (authorization: string | undefined, address: string, isPaymentReport = false) => {
      if (authorization === undefined) throw errors.missing_credential();
      return refuseSlowly(admitCredential(authorization, address, isPaymentReport));
    },
    admitUser: async (authorization: string | undefined, storeId: string | null) => {
      if (authorization === undefined) throw errors.missing_credential();
      return refuseSlowly(admitUser(authorization, storeId));
    },
  };
}

function parseBearer(authorization: string | undefined): string | null {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? null;
}
