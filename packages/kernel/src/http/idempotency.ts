import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ApiError, errors, type Principal } from '@waybill/contracts';
import { type IsolationLevel, sql } from 'kysely';
import { type AnyDatabase, BeginAgain } from '../db/database.ts';
import type { Asked, KeyedAnswers, StoredResponse } from '../db/group-commit.ts';
import type { SealedDefinition } from '../db/sealed.ts';
import { prepare } from '../db/statements.ts';
import { deleteStep } from '../db/sweeps.ts';
import type { UnitsOfWork } from '../db/units.ts';
import { Answer, jsonType } from './answer.ts';
import type { Once } from './once.ts';
import type { RouteDefinition, RouteRequest } from './route.ts';

const keyHeader = 'idempotency-key';
/** An Idempotency-Key: visible ASCII characters. */
export const idempotencyKeyPattern = '^[!-~]{1,255}$';
const keyPattern = new RegExp(idempotencyKeyPattern);
/** `decisions.md 11.2`. */
const keptHours = 24;
const sweptAtOnce = 2_000;
/** How much of them is kept for a store, an organisation or a person, by each service: `decisions.md 19.13`. */
const mostKeptBytes = 1024 ** 3;
const countedInSlots = 32;

/** Whether a row takes Idempotency-Key: it changes something, and who asks has signed in. */
export function takesKey({ method, path, access, answer, idempotency }: RouteDefinition): boolean {
  const isChange = method !== 'GET' && answer[0] !== 405 && idempotency !== 'none';
  return isChange && access !== 'public' && /^\/api\/(?:v1|stores|orgs)(?:\/|$)/.test(path);
}

/**
 * The key of a request; null where it has none.
 * @throws invalid_idempotency_key
 */
export function readKey(headers: RouteRequest['headers']): string | null {
  const key = headers[keyHeader];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !keyPattern.test(key)) throw errors.invalid_idempotency_key();
  return key;
}

/** What makes two requests of one key the same. Members of objects have no order, numbers no spelling. */
const sameness = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? '';

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** Who a stored answer belongs to. The tokens of one install are one credential. `decisions.md 19.12`. */
function ownerOf(principal: Principal): string {
  if (principal.kind === 'user') return principal.userId;
  return principal.kind === 'app' ? principal.installId : principal.keyId;
}

/** By the store or organisation that it is about, by who asks, by door, method and path. */
function asked({ method, path }: RouteDefinition, request: RouteRequest, key: string, body: unknown): Asked {
  const { storeId, params, query } = request;
  // A row that takes a key lets nobody in without one: `takesKey`.
  const principal = request.principal as Principal;
  const { orgId = '' } = params as { orgId?: string };
  const about = [storeId || orgId, ownerOf(principal), method, path, params, key];
  const ownerId = storeId || orgId || (principal.kind === 'user' ? principal.userId : '');
  return { keyHash: sha256(sameness(about)), requestHash: sha256(sameness([query, body])), ownerId };
}

const isKept = `k.created_at > now() - make_interval(hours => ${keptHours})`;
interface Found {
  requestHash: Buffer | null;
  answer: Buffer | null;
}
const find = prepare<Found>(
  'idempotent-answer-find',
  `select k.request_hash as "requestHash", k.answer
   from (values (1)) one left join idempotent_answer k on k.key_hash = $1 and ${isKept}`,
);
// The lock is had after the statement has begun to see: an answer of the moment between stands in the way of ours.
const findLocked = prepare<Found & { isOurs: boolean }>(
  'idempotent-answer-lock',
  `select pg_try_advisory_xact_lock(asked.lock) as "isOurs", k.request_hash as "requestHash", k.answer
   from unnest($1::bytea[], $2::bigint[]) with ordinality asked (key_hash, lock, n)
     left join lateral (
       select k.request_hash, k.answer from idempotent_answer k where k.key_hash = asked.key_hash and ${isKept} limit 1
     ) k on true
   order by asked.n`,
);
const keep = prepare<{ kept: number; incoming: number; used: number }>(
  'idempotent-answer-keep',
  `with kept as (
     insert into idempotent_answer as k (key_hash, request_hash, answer)
     select * from unnest($1::bytea[], $2::bytea[], $3::bytea[])
     on conflict (key_hash) do update
     set request_hash = excluded.request_hash, answer = excluded.answer, created_at = excluded.created_at
     where k.created_at <= now() - make_interval(hours => ${keptHours})
     returning 1
   ), incoming as (
     select owner_id, sum(octet_length(answer)) as bytes
     from unnest($4::text[], $3::bytea[]) as answers (owner_id, answer) group by owner_id order by owner_id
   ), counted as (
     insert into idempotent_bytes as b (owner_id, day, slot, bytes)
     select owner_id, current_date, pg_backend_pid() % ${countedInSlots}, bytes from incoming
     on conflict (owner_id, day, slot) do update set bytes = b.bytes + excluded.bytes
   )
   select (select count(*) from kept)::int as kept, i.bytes::bigint as incoming, (
     select coalesce(sum(b.bytes), 0)::bigint from idempotent_bytes b
     where b.owner_id = i.owner_id and b.day >= current_date - 1
   ) as used
   from incoming i`,
);

/** Thrown where a change is about to be made that was made already: it is undone, and this is answered. */
class Replay extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('the answer to this key is there already');
    this.answer = answer;
  }
}

export type Idempotency = ReturnType<typeof createIdempotency>;

/**
 * Keeps answers in the transaction of what they answer, `decisions.md 11.2`. `secrets` seal them: the first seals, all
 * open.
 */
export function createIdempotency(units: UnitsOfWork<unknown>, secrets: readonly string[]) {
  const { seal, open } = createSeal(secrets);

  /** What a request is not made for, but answered with, if it was made before; null if it was not. */
  function refusalIn({ requestHash: before, answer }: Found, { keyHash, requestHash }: Asked): Error | null {
    if (!answer) return null;
    if (!requestHash.equals(before!)) return errors.idempotency_key_reused();
    const opened = open(answer, keyHash);
    return opened instanceof Error ? opened : new Replay(opened);
  }

  const claim: KeyedAnswers['claim'] = async (trx, all) => {
    const locks = all.map(({ keyHash }) => keyHash.readBigInt64BE());
    const { rows } = await trx.executeQuery(findLocked([all.map(({ keyHash }) => keyHash), locks]));
    return all.map((what, i) => {
      const row = rows[i]!;
      // Whoever has a lock is given it once more.
      const isOurs = row.isOurs && locks.indexOf(locks[i]!) === i;
      return isOurs
        ? refusalIn(row, what)
        : errors.idempotency_in_progress({ headers: { 'retry-after': '1' } });
    });
  };

  const store: KeyedAnswers['keep'] = async (trx, all) => {
    const values = [
      all.map(({ asked }) => asked.keyHash),
      all.map(({ asked }) => asked.requestHash),
      all.map(({ asked, answer }) => seal(answer, asked.keyHash)),
      all.map(({ asked }) => asked.ownerId),
    ];
    const { rows } = await trx.executeQuery(keep(values));
    if (rows[0]!.kept !== all.length) throw new BeginAgain();
    for (const { used, incoming } of rows)
      if (used + incoming > mostKeptBytes)
        throw errors.quota_exceeded({ fields: { used, limit: mostKeptBytes, incoming } });
  };

  /** Makes a change and keeps its answer, as one unit; the answer alone where it was made before. */
  const inUnit = <Result>(
    what: Asked,
    isolation: IsolationLevel,
    change: () => Promise<Result>,
    answerOf: (result: Result) => Promise<Answer> | Answer,
  ): Promise<Result> =>
    units.run(isolation, async (trx) => {
      const [refusal] = await claim(trx, [what]);
      if (refusal) throw refusal;
      const result = await change();
      await store(trx, [{ asked: what, answer: await answerOf(result) }]);
      return result;
    });

  /**
   * What a request that was refused is answered with all the same: the first one of its key may have ended while this one
   * was looked into, and be what it was refused for.
   */
  async function answerMeanwhile(what: Asked | null, error: unknown): Promise<Answer | null> {
    if (!what || !(error instanceof ApiError) || error.code === 'idempotency_in_progress') return null;
    const found = await units.db.executeQuery(find([what.keyHash])).catch(() => null);
    const answer = found && refusalIn(found.rows[0] as Found, what);
    return answer instanceof Replay ? answer.answer : null;
  }

  /** A refusal has changed nothing: that it is kept apart from it loses nothing either. */
  async function keepRefusal(what: Asked | null, error: unknown): Promise<void> {
    if (!what || !(error instanceof ApiError) || error.status !== 409) return;
    if (error.code === 'idempotency_in_progress') return;
    const answer = new Answer(JSON.stringify(error.envelope()), jsonType, error.headers, error.status);
    await units.run('read committed', (trx) => store(trx, [{ asked: what, answer }])).catch(() => {});
  }

  return {
    claim,
    keep: store,

    /** Whether a request of this key was answered. */
    async isAnswered(route: RouteDefinition, request: RouteRequest, key: string): Promise<boolean> {
      const { rows } = await units.db.executeQuery(find([asked(route, request, key, null).keyHash]));
      return (rows[0] as Found).answer !== null;
    },

    /** Makes a change at once, as one unit with its answer. */
    async once(
      route: RouteDefinition,
      request: RouteRequest,
      key: string,
      isolation: IsolationLevel,
      change: () => Promise<unknown>,
    ): Promise<unknown> {
      const what = asked(route, request, key, request.body);
      try {
        return await inUnit(what, isolation, change, (result) => toAnswer(result, route));
      } catch (error) {
        if (error instanceof Replay) return error.answer;
        const answer = await answerMeanwhile(what, error);
        if (answer) return answer;
        await keepRefusal(what, error);
        throw error;
      }
    },

    /** Leaves it to the handler when the change is made. */
    async inHandler(
      route: RouteDefinition,
      request: RouteRequest,
      key: string,
      isolation: IsolationLevel,
      handle: (request: RouteRequest) => Promise<unknown>,
      tag: (result: unknown) => Promise<unknown>,
    ): Promise<unknown> {
      let what: Asked | null = null;
      const answerTo = async (result: unknown) => toAnswer(await tag(result), route);
      const once: Once = {
        async begin(body) {
          what = asked(route, request, key, body);
          const { rows } = await units.db.executeQuery(find([what.keyHash]));
          const refusal = refusalIn(rows[0] as Found, what);
          if (refusal) throw refusal;
        },
        commit: (change) => inUnit(what!, isolation, change, answerTo),
        commitWithOthers: async (write, answerOf) =>
          answerOf(await write({ asked: what!, answerOf: async (result) => answerTo(answerOf(result)) })),
      };
      try {
        return await tag(await handle({ ...request, once }));
      } catch (error) {
        if (error instanceof Replay) return error.answer;
        const answer = await answerMeanwhile(what, error);
        if (answer) return answer;
        await keepRefusal(what, error);
        throw error;
      }
    },
  };
}

function toAnswer(result: unknown, { answer: [status] }: RouteDefinition): Answer {
  if (!(result instanceof Answer)) return new Answer(JSON.stringify(result) ?? '', jsonType, {}, status);
  if (typeof result.body !== 'string') throw new Error('an answer that is kept is a text');
  return new Answer(result.body, result.contentType, result.headers, result.status ?? status);
}

/** Smaller ones are not worth the time. */
const deflatedFrom = 2048;

/** AES-256-GCM: nonce, tag, and the deflated or plain JSON of an answer, bound to its key's hash. */
function createSeal(secrets: readonly string[]) {
  const keys = secrets.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', 'waybill idempotent answers', 32)),
  );
  /** The bytes before they were sealed; null: with none of the keys. */
  function unseal(sealed: Buffer, keyHash: Buffer): Buffer | null {
    for (const key of keys) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(keyHash);
      decipher.setAuthTag(sealed.subarray(12, 28));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
      } catch {
        // Sealed with another of the keys, or with one that is gone.
      }
    }
    return null;
  }
  return {
    seal({ body, contentType, headers, status }: StoredResponse, keyHash: Buffer): Buffer {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', keys[0]!, nonce).setAAD(keyHash);
      const text = Buffer.from(JSON.stringify({ body, contentType, headers, status }));
      const [kind, bytes] = text.length < deflatedFrom ? [0, text] : [1, deflateRawSync(text, { level: 1 })];
      const sealed = [cipher.update(Buffer.from([kind])), cipher.update(bytes), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
    },
    open(sealed: Buffer, keyHash: Buffer): Answer | Error {
      const plain = unseal(sealed, keyHash);
      if (!plain)
        return errors.invalid_state({
          message: 'This was done, but its answer can no longer be opened: the key that sealed it is gone.',
        });
      const text = plain[0] === 0 ? plain.subarray(1) : inflateRawSync(plain.subarray(1));
      const { body, contentType, headers, status } = JSON.parse(text.toString());
      return new Answer(body, contentType, { ...headers, 'idempotent-replayed': 'true' }, status);
    },
    opens: (sealed: Buffer, keyHash: Buffer) => unseal(sealed, keyHash) !== null,
  };
}

const walkedAtOnce = 1_000;

/** The answers that a service keeps for a day, sealed with what it names itself with. */
export const keptAnswers: SealedDefinition<unknown> = {
  setting: 'WAYBILL_SERVICE_TOKEN',
  what: 'kept answers to requests with an Idempotency-Key',
  async countHeldBy(db, key, others) {
    const [held, open] = [createSeal([key.value]), createSeal(others.map(({ value }) => value))];
    let count = 0;
    let after: Buffer = Buffer.alloc(0);
    for (;;) {
      const { rows } = await sql<{ keyHash: Buffer; answer: Buffer }>`
        select k.key_hash as "keyHash", k.answer from idempotent_answer k
        where k.key_hash > ${after} and ${sql.raw(isKept)} order by k.key_hash limit ${walkedAtOnce}`.execute(
        db,
      );
      for (const { answer, keyHash } of rows)
        if (held.opens(answer, keyHash) && !open.opens(answer, keyHash)) count++;
      if (rows.length < walkedAtOnce) return count;
      after = rows.at(-1)!.keyHash;
    }
  },
};

/** Forgets answers whose day is over, up to some thousands at a time; whether there may be more. */
export async function forgetAnswers(db: AnyDatabase): Promise<boolean> {
  const isOver = sql`created_at <= now() - make_interval(hours => ${keptHours}) order by created_at`;
  const areMore = [
    await deleteStep(db, 'idempotent_answer', isOver, sweptAtOnce),
    await deleteStep(db, 'idempotent_bytes', sql`day < current_date - 1`, sweptAtOnce),
  ];
  return areMore.includes(true);
}
