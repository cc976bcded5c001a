import { ApiError, errors, hashCredential, isWellFormedCredential, type Principal } from '@waybill/contracts';
import {
  createInProcessCache,
  getNetwork,
  type RateDecision,
  type ServiceContext,
  singleFlight,
} from '@waybill/kernel';
import { LRUCache } from 'lru-cache';
import type { Config } from './config.ts';
import {
  type CredentialKind,
  hasOwner,
  type Resolution,
  resolveCredential,
  resolveMember,
  resolveSession,
} from './resolve-bearers.ts';
import { createTarpit } from './tarpit.ts';
import type { UserTokens } from './user-tokens.ts';

/**
 * The rest of a bearer's rate limit, with the admitted principal and a cache key for its signed form, or with a
 * refusal. A known bearer uses up its limit even when it is refused.
 */
export type Admission = { rate: RateDecision } & (
  | { principal: Principal; cacheKey: string }
  | { refusal: ApiError }
);

type ResolvedBearer = Omit<Resolution, 'subject' | 'epoch'>;

type Context = ServiceContext<Config>;

/** How long a cached principal stays valid if a change of epoch should ever get lost. */
const cacheSeconds = 30;

/**
 * Turns a request's bearer into a principal, with one round trip to the cache. Every change of a key, role, member or
 * install bumps the store's epoch before it is answered, and the end of a session bumps the user's epoch. So the next
 * request asks the owner again.
 */
export class BearerAdmission {
  readonly #cache: Context['cache'];
  readonly #config: Config;
  readonly #peers: Context['peers'];
  readonly #userTokens: UserTokens;
  /** The same text yields the same object, so that derived values can be cached by the principal. */
  readonly #parsed = new LRUCache<string, { value: string; known: ResolvedBearer }>({ max: 20_000 });
  /** Unknown bearers, so that each causes only one look-up at its owner every ten seconds. */
  readonly #unknown = new LRUCache<string, true>({ max: 20_000, ttl: 10_000 });
  /** Failed look-ups by network, counted in this process alone, so that refusing a guess costs nothing elsewhere. */
  readonly #guesses = createInProcessCache();
  readonly #tarpit = createTarpit();
  readonly #lookUps = singleFlight<string | null>();

  constructor({ cache, config, peers }: Context, userTokens: UserTokens) {
    this.#cache = cache;
    this.#config = config;
    this.#peers = peers;
    this.#userTokens = userTokens;
  }

  /**
   * Admits a bearer of the public API: `store-api.md 5.1, 7.1`. The token of an uninstalled app may only report on
   * payments, `decisions.md 22.1`.
   */
  async admitCredential(
    authorization: string | undefined,
    address: string,
    isPaymentReport = false,
  ): Promise<Admission> {
    if (authorization === undefined) throw errors.missing_credential();
    return this.#refuseSlowly(this.#findCredential(authorization, address, isPaymentReport));
  }

  /**
   * Admits a signed-in user. With `storeId` the user must be a member of that store; otherwise the refusal is
   * `not_found`. `decisions.md 8.2`.
   */
  async admitUser(authorization: string | undefined, storeId: string | null): Promise<Admission> {
    if (authorization === undefined) throw errors.missing_credential();
    return this.#refuseSlowly(this.#findUser(authorization, storeId));
  }

  async #findCredential(
    authorization: string,
    address: string,
    isPaymentReport: boolean,
  ): Promise<Admission> {
    const { token, kind } = parseCredential(authorization);
    const invalid = kind === 'apiKey' ? errors.invalid_credential : errors.app_token_invalid;
    if (!isWellFormedCredential(token)) throw invalid();
    if (!hasOwner(this.#peers, kind)) throw errors.resource_unavailable({ headers: { 'retry-after': '60' } });

    const hash = hashCredential(token);
    const key = `credential:${hash}`;
    if (this.#unknown.has(key)) throw invalid();
    const network = getNetwork(address);
    await this.#checkGuessLimit(key, network);
    const isSomebodys = this.#parsed.has(key) ? () => {} : await this.#tarpit.beforeLookUp();
    const { entries, rate } = await this.#cache.admit(key, this.#config.rateLimit, [key]);
    const value =
      entries[0]?.value ?? (await this.#lookUp(key, () => resolveCredential(this.#peers, kind, hash)));
    if (!value) {
      this.#unknown.set(key, true);
      await this.#guesses.count(network, 60, 1);
      throw invalid();
    }
    isSomebodys();
    const known = this.#parse(key, value);
    if (known.outcome === 'revoked') throw kind === 'apiKey' ? errors.key_revoked() : invalid();
    if (known.expiresAt && known.expiresAt <= Date.now()) throw invalid();
    if (known.principal.kind === 'app' && known.principal.isUninstalled && !isPaymentReport) throw invalid();
    if (known.outcome === 'unusable') return { rate, refusal: errors.key_unusable() };
    return { principal: known.principal, cacheKey: key, rate };
  }

  async #findUser(authorization: string, storeId: string | null): Promise<Admission> {
    const token = parseBearer(authorization);
    const bearer = token && (await this.#userTokens.verify(token));
    if (!bearer) throw errors.user_token_required();
    const { user, sessionId } = bearer;
    const sessionKey = `session:${sessionId}`;
    // An ended session never comes back.
    if (this.#unknown.has(sessionKey)) throw errors.user_token_required();
    const memberKey = storeId && `member:${user.userId}:${storeId}`;
    // The limit counts per user, across all stores.
    const { entries, rate } = await this.#cache.admit(
      `user:${user.userId}`,
      this.#config.rateLimit,
      memberKey ? [sessionKey, memberKey] : [sessionKey],
    );
    // A refused request causes no look-ups.
    if (!rate.allowed) return { rate, refusal: errors.rate_limited() };
    const [session, member] = await Promise.all([
      entries[0]?.value ?? this.#lookUp(sessionKey, () => resolveSession(this.#peers, bearer)),
      memberKey &&
        (entries[1]?.value ?? this.#lookUp(memberKey, () => resolveMember(this.#peers, user, storeId))),
    ]);
    if (!session) {
      this.#unknown.set(sessionKey, true);
      throw errors.user_token_required();
    }
    if (!memberKey)
      return { principal: this.#parse(sessionKey, session).principal, cacheKey: sessionKey, rate };
    if (!member)
      return { rate, refusal: errors.not_found({ message: 'You are not a member of any such store.' }) };
    return { principal: this.#parse(memberKey, member).principal, cacheKey: memberKey, rate };
  }

  #parse(key: string, value: string): ResolvedBearer {
    const cached = this.#parsed.get(key);
    if (cached?.value === value) return cached.known;
    const known = JSON.parse(value) as ResolvedBearer;
    this.#parsed.set(key, { value, known });
    return known;
  }

  /** Asks a bearer's owner and caches the answer; null: the bearer is unknown. */
  #lookUp(key: string, resolve: () => Promise<Resolution | null>): Promise<string | null> {
    return this.#lookUps(key, async () => {
      const found = await resolve();
      if (!found) return null;
      const { subject, epoch, ...known } = found;
      const value = JSON.stringify(known satisfies ResolvedBearer);
      await this.#cache.put(key, { subject, epoch, value }, cacheSeconds);
      return value;
    });
  }

  /**
   * Throws `rate_limited` for a network with too many failed look-ups, before anything else is asked. Bearers that this
   * process knows pass, because they may share a network with an attacker.
   */
  async #checkGuessLimit(key: string, network: string): Promise<void> {
    if (this.#parsed.has(key)) return;
    const { count, resetSeconds } = await this.#guesses.count(network, 60, 0);
    if (count >= this.#config.guessesPerMinute)
      throw errors.rate_limited({ headers: { 'retry-after': String(Math.max(1, resetSeconds)) } });
  }

  /** Delays the refusals of strangers, so that a flood of them costs little. */
  async #refuseSlowly(admission: Promise<Admission>): Promise<Admission> {
    try {
      return await admission;
    } catch (error) {
      if (error instanceof ApiError && (error.status === 401 || error.status === 429))
        await this.#tarpit.beforeRefusal();
      throw error;
    }
  }
}

/** Reads an API key or an app token, or throws the error that explains what was sent instead. */
function parseCredential(authorization: string): { token: string; kind: CredentialKind } {
  const token = parseBearer(authorization);
  const prefix = token?.slice(0, 4);
  if (token && prefix === 'wbk_') return { token, kind: 'apiKey' };
  if (token && prefix === 'wba_') return { token, kind: 'appToken' };
  throw prefix === 'wbr_' ? errors.refresh_token_not_accepted() : errors.api_key_required();
}

function parseBearer(authorization: string): string | null {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? null;
}
