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
  networkOf,
  type RateDecision,
  type ServiceContext,
  singleFlight,
} from '@waybill/kernel';
import { LRUCache } from 'lru-cache';
import type { Config } from './config.ts';
import { createTarpit } from './tarpit.ts';
import type { Bearer, UserPrincipal, UserTokens } from './user-tokens.ts';

/**
 * What is left of a bearer's rate limit; whoever is admitted, and a name for that bearer's signed principal. A bearer
 * that is known and yet refused uses up its limit like any other.
 */
export type Admission = { rate: RateDecision } & (
  | { principal: Principal; cacheKey: string }
  | { refusal: ApiError }
);

/** What identity and the app platform answer about a bearer; cached under the epoch of whom it speaks of. */
interface Resolution {
  /** The store, or a session's user. */
  subject: string;
  epoch: string;
  outcome: 'ok' | 'revoked' | 'unusable';
  principal: Principal;
  /** App tokens end; milliseconds since the epoch. */
  expiresAt?: number;
}

type Known = Omit<Resolution, 'subject' | 'epoch'>;

/** What identity answers about a user in a store. */
type Membership = { epoch: string; role: Role };

/** What identity answers about a session of a user. */
type Session = { epoch: string; isReviewer: boolean };

/** How long a principal may be served without asking its owner, should a change of epoch ever get lost. */
const cacheSeconds = 30;

/**
 * Turns a request's bearer into a principal, in one round trip to the cache. A change of key, role, member or
 * install moves the store's epoch on before it is answered, and the end of a session its user's, so the very next
 * request asks the owner again.
 */
export function createAdmission(context: ServiceContext<Config>, userTokens: UserTokens) {
  const { cache, config, peers } = context;
  // The same text gives the same object: what is derived from a principal can be remembered by it.
  const parsed = new LRUCache<string, { value: string; known: Known }>({ max: 20_000 });
  // What belongs to nobody costs its owner one look-up every now and then.
  const unknown = new LRUCache<string, true>({ max: 20_000, ttl: 10_000 });
  // Counts, by network, look-ups that found nothing. In process: to refuse a guess is to cost nothing elsewhere.
  const guesses = createInProcessCache();

  const tarpit = createTarpit();
  const shared = singleFlight<string | null>();

  function parse(key: string, value: string): Known {
    const kept = parsed.get(key);
    if (kept?.value === value) return kept.known;
    const known = JSON.parse(value) as Known;
    parsed.set(key, { value, known });
    return known;
  }

  /**
   * Throws `rate_limited` for who has guessed too much: before anything is asked, but not for a bearer that this
   * process knows, which may come from the same address as the guesses.
   */
  async function limitGuesses(key: string, network: string): Promise<void> {
    if (parsed.has(key)) return;
    const { count, resetSeconds } = await guesses.count(network, 60, 0);
    if (count >= config.guessesPerMinute)
      throw errors.rate_limited({ headers: { 'retry-after': String(Math.max(1, resetSeconds)) } });
  }

  /** What its owner says of a bearer, kept for the requests to come; null: nobody's. */
  const lookUp = (key: string, ask: () => Promise<Resolution | null>) =>
    shared(key, async () => {
      const found = await ask();
      if (!found) return null;
      const { subject, epoch, ...known } = found;
      const value = JSON.stringify(known satisfies Known);
      await cache.put(key, { subject, epoch, value }, cacheSeconds);
      return value;
    });

  /**
   * The bearer of the public API: `store-api.md 5.1, 7.1`. The token of an uninstalled app is one for reports on payments
   * alone, `decisions.md 22.1`.
   */
  async function admitCredential(
    authorization: string | undefined,
    address: string,
    isPaymentReport: boolean,
  ): Promise<Admission> {
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
    const key = `credential:${hash}`;
    if (unknown.has(key)) throw invalid();
    const network = networkOf(address);
    await limitGuesses(key, network);
    const isSomebodys = parsed.has(key) ? () => {} : await tarpit.beforeLookUp();
    const { entries, rate } = await cache.admit(key, config.rateLimit, [key]);
    const value = entries[0]?.value ?? (await lookUp(key, () => askForCredential(owner, path, hash)));
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

  async function askForCredential(owner: string, path: string, hash: string): Promise<Resolution | null> {
    const found = await peers.call<Resolution & { storeId: string }>(owner, 'POST', path, { hash });
    if (!found) return null;
    const { storeId, ...resolution } = found;
    return { ...resolution, subject: storeId };
  }

  /** A signed-in user; with `storeId` a member of that store, otherwise `not_found`. `decisions.md 8.2`. */
  async function admitUser(authorization: string | undefined, storeId: string | null): Promise<Admission> {
    const token = bearerOf(authorization);
    const bearer = token && (await userTokens.verify(token));
    if (!bearer) throw errors.user_token_required();
    const { user, sessionId } = bearer;
    const sessionKey = `session:${sessionId}`;
    // Over for good.
    if (unknown.has(sessionKey)) throw errors.user_token_required();
    const memberKey = storeId && `member:${user.userId}:${storeId}`;
    // The limit is the user's, whatever store the request is about.
    const { entries, rate } = await cache.admit(
      `user:${user.userId}`,
      config.rateLimit,
      memberKey ? [sessionKey, memberKey] : [sessionKey],
    );
    // Nobody is asked for who is refused anyway.
    if (!rate.allowed) return { rate, refusal: errors.rate_limited() };
    const [session, member] = await Promise.all([
      entries[0]?.value ?? lookUp(sessionKey, () => askForSession(bearer)),
      memberKey && (entries[1]?.value ?? lookUp(memberKey, () => askForMember(user, storeId))),
    ]);
    if (!session) {
      unknown.set(sessionKey, true);
      throw errors.user_token_required();
    }
    if (!memberKey) return { principal: parse(sessionKey, session).principal, cacheKey: sessionKey, rate };
    if (!member)
      return { rate, refusal: errors.not_found({ message: 'You are a member of no such store.' }) };
    return { principal: parse(memberKey, member).principal, cacheKey: memberKey, rate };
  }

  async function askForSession({ user, sessionId }: Bearer): Promise<Resolution | null> {
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

  async function askForMember(user: UserPrincipal, storeId: string): Promise<Resolution | null> {
    const body = { userId: user.userId, storeId };
    const found = await peers.call<Membership>('identity', 'POST', '/internal/members/resolve', body);
    if (!found) return null;
    const { epoch, role } = found;
    return { subject: storeId, epoch, outcome: 'ok', principal: { ...user, storeId, role } };
  }

  /** Who is none of ours is told so at a pace that costs little. */
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

function bearerOf(authorization: string | undefined): string | null {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? null;
}
