import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ApiError, errors, type Principal } from '@waybill/contracts';
import { sql } from 'kysely';
import { createBatcher } from '../concurrency/batcher.ts';
import { type AnyDatabase, type AnyTransaction, addInterval, RetryTransaction } from '../db/database.ts';
import { isDistributed } from '../db/distributed.ts';
import type { RequestFingerprint, ResponseStore, StoredResponse } from '../db/group-commit.ts';
import type { SealedDefinition } from '../db/sealed.ts';
import { prepare } from '../db/statements.ts';
import { deleteBatch } from '../db/sweeps.ts';
import type { UnitsOfWork } from '../db/units.ts';
import { Answer, jsonType } from './answer.ts';
import type { RouteDefinition, RouteRequest } from './route.ts';

const keyHeader = 'idempotency-key';
/** The pattern of an Idempotency-Key: visible ASCII characters. */
export const idempotencyKeyPattern = '^[!-~]{1,255}$';
const keyPattern = new RegExp(idempotencyKeyPattern);
/** `decisions.md 11.2`. */
const retentionHours = 24;
const purgeBatch = 2_000;
/** Maximum number of bytes that each service stores for a store, an organisation or a person: `decisions.md 19.13`. */
const maxStoredBytes = 1024 ** 3;
const counterSlots = 32;

/** Whether a route takes an Idempotency-Key: it changes something and requires a credential. */
export function acceptsIdempotencyKey({
  method,
  path,
  access,
  answer,
  idempotency,
}: RouteDefinition): boolean {
  const isChange = method !== 'GET' && answer[0] !== 405 && idempotency !== 'none';
  return isChange && access !== 'public' && /^\/api\/(?:v1|stores|orgs)(?:\/|$)/.test(path);
}

/**
 * Reads the key of a request; null without one.
 * @throws invalid_idempotency_key
 */
export function readKey(headers: RouteRequest['headers']): string | null {
  const key = headers[keyHeader];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !keyPattern.test(key)) throw errors.invalid_idempotency_key();
  return key;
}

/** Returns JSON that is the same for any order of an object's members and any spelling of numbers. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? '';

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/**
 * Returns the id of the caller that owns a stored response. The tokens of one install count as one credential.
 * `decisions.md 19.12`.
 */
function getOwnerId(principal: Principal): string {
  if (principal.kind === 'user') return principal.userId;
  return principal.kind === 'app' ? principal.installId : principal.keyId;
}

/**
 * Returns the fingerprint of a request under a key. A key counts for one store or organisation, one caller, method and
 * path. `body` is the part of the request that must be equal in a repetition.
 */
export function fingerprintRequest(
  { method, path }: RouteDefinition,
  request: RouteRequest,
  key: string,
  body: unknown,
): RequestFingerprint {
  const { storeId, params, query } = request;
  // A route that takes a key requires a principal: `acceptsIdempotencyKey`.
  const principal = request.principal as Principal;
  const { orgId = '' } = params as { orgId?: string };
  const scope = [storeId || orgId, getOwnerId(principal), method, path, params, key];
  const ownerId = storeId || orgId || (principal.kind === 'user' ? principal.userId : '');
  return {
    keyHash: sha256(canonicalJson(scope)),
    requestHash: sha256(canonicalJson([query, body])),
    ownerId,
  };
}

const isFresh = `k.created_at > now() - make_interval(hours => ${retentionHours})`;
interface Found {
  requestHash: Buffer | null;
  answer: Buffer | null;
}
const notFound: Found = { requestHash: null, answer: null };
/** Maximum number of keys that are looked up together. */
const maxFound = 32;
const findResponse = prepare<Found>(
  'idempotent-answer-find',
  `select k.request_hash as "requestHash", k.answer
   from (values (1)) one left join idempotent_answer k on k.key_hash = $1 and ${isFresh}`,
);
// The lock is acquired after the snapshot of the statement. An answer that was committed in between makes the insert of
// this one conflict.
const lockKeys = prepare<Found & { isOurs: boolean }>(
  'idempotent-answer-lock',
  `select pg_try_advisory_xact_lock(requested.lock) as "isOurs", k.request_hash as "requestHash", k.answer
   from unnest($1::bytea[], $2::bigint[]) with ordinality requested (key_hash, lock, n)
     left join lateral (
       select k.request_hash, k.answer from idempotent_answer k where k.key_hash = requested.key_hash and ${isFresh} limit 1
     ) k on true
   order by requested.n`,
);
// For Citus: the place of the locks depends on no key, so two statements take the same locks.
const lockOnly = prepare<{ isOurs: boolean }>(
  'idempotent-answer-lock-only',
  `select pg_try_advisory_xact_lock(requested.lock) as "isOurs" from unnest($1::bigint[]) with ordinality requested (lock, n)
   order by requested.n`,
);
const findResponses = prepare<Found & { keyHash: Buffer }>(
  'idempotent-answer-find-all',
  `select k.key_hash as "keyHash", k.request_hash as "requestHash", k.answer from idempotent_answer k
   where k.key_hash = any($1::bytea[]) and ${isFresh}`,
);

/**
 * Locks keys until the transaction ends. Returns for each whether this transaction has it, and the response if there is
 * one.
 */
async function lockResponses(
  trx: AnyTransaction,
  keyHashes: readonly Buffer[],
  locks: readonly bigint[],
): Promise<(Found & { isOurs: boolean })[]> {
  if (!isDistributed(trx)) return (await trx.executeQuery(lockKeys([keyHashes, locks]))).rows;
  const { rows } = await trx.executeQuery(lockOnly([locks]));
  const { rows: found } = await trx.executeQuery(findResponses([keyHashes]));
  return rows.map(({ isOurs }, i) => {
    const response = found.find(({ keyHash }) => keyHash.equals(keyHashes[i]!));
    return { isOurs, requestHash: response?.requestHash ?? null, answer: response?.answer ?? null };
  });
}

const insertAnswers = (keyHashes: string, requestHashes: string, answers: string) =>
  `insert into idempotent_answer as k (key_hash, request_hash, answer)
   select * from unnest(${keyHashes}::bytea[], ${requestHashes}::bytea[], ${answers}::bytea[])
   on conflict (key_hash) do update
   set request_hash = excluded.request_hash, answer = excluded.answer, created_at = excluded.created_at
   where k.created_at <= ${addInterval('excluded.created_at', `-${retentionHours} hours`)}
   returning 1`;
const addBytes = (from: string) =>
  `insert into idempotent_bytes as b (owner_id, day, slot, bytes)
   select owner_id, current_date, pg_backend_pid() % ${counterSlots}, bytes from ${from}
   on conflict (owner_id, day, slot) do update set bytes = b.bytes + excluded.bytes`;
const insertResponses = prepare<{ stored: number; incoming: number; used: number }>(
  'idempotent-answer-keep',
  `with stored as (${insertAnswers('$1', '$2', '$3')}), incoming as (
     select owner_id, sum(octet_length(answer)) as bytes
     from unnest($4::text[], $3::bytea[]) as answers (owner_id, answer) group by owner_id order by owner_id
   ), counted as (${addBytes('incoming')})
   select (select count(*) from stored)::int as stored, i.bytes::bigint as incoming, (
     select coalesce(sum(b.bytes), 0)::bigint from idempotent_bytes b
     where b.owner_id = i.owner_id and b.day >= current_date - 1
   ) as used
   from incoming i`,
);
// For Citus: the two tables are distributed by different columns.
const insertAnswersOnly = prepare('idempotent-answer-keep-only', insertAnswers('$1', '$2', '$3'));
const addStoredBytes = prepare(
  'idempotent-bytes-add',
  addBytes('unnest($1::text[], $2::bigint[]) as incoming (owner_id, bytes)'),
);
const selectStoredBytes = prepare<{ ownerId: string; used: number }>(
  'idempotent-bytes-used',
  `select owner_id as "ownerId", sum(bytes)::bigint as used from idempotent_bytes
   where owner_id = any($1::text[]) and day >= current_date - 1 group by owner_id`,
);

/** The bytes stored for an owner before, and the bytes that these answers add. */
interface StoredBytes {
  incoming: number;
  used: number;
}

/**
 * Stores answers. Throws if an answer of one of the keys was stored meanwhile. Returns the number of bytes of their
 * owners.
 */
async function storeResponses(
  trx: AnyTransaction,
  [keyHashes, requestHashes, answers, owners]: readonly [Buffer[], Buffer[], Buffer[], string[]],
): Promise<readonly StoredBytes[]> {
  if (!isDistributed(trx)) {
    const { rows } = await trx.executeQuery(insertResponses([keyHashes, requestHashes, answers, owners]));
    if (rows[0]!.stored !== keyHashes.length) throw new RetryTransaction();
    return rows;
  }
  const { rows: stored } = await trx.executeQuery(insertAnswersOnly([keyHashes, requestHashes, answers]));
  if (stored.length !== keyHashes.length) throw new RetryTransaction();
  const incoming = new Map<string, number>();
  for (const [i, owner] of owners.entries())
    incoming.set(owner, (incoming.get(owner) ?? 0) + answers[i]!.length);
  // In sorted order, because two transactions that add to the same counters in different orders would wait for each
  // other.
  const names = [...incoming.keys()].sort();
  const { rows: used } = await trx.executeQuery(selectStoredBytes([names]));
  await trx.executeQuery(addStoredBytes([names, names.map((name) => incoming.get(name)!)]));
  return names.map((name) => ({
    incoming: incoming.get(name)!,
    used: used.find(({ ownerId }) => ownerId === name)?.used ?? 0,
  }));
}

/** Thrown when a request under a key was answered before: its changes are rolled back, and it gets this answer. */
export class StoredReplay extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('the response to this key is stored already');
    this.answer = answer;
  }
}

export type Idempotency = ReturnType<typeof createIdempotency>;

/**
 * Creates the store of responses, each written in the transaction of the change that it answers, `decisions.md 11.2`.
 * `secrets` seal them: the first one seals, all of them open.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function createIdempotency(units: UnitsOfWork<unknown>, secrets: readonly string[]) {
  const { seal, open } = createSeal(secrets);

  /**
   * Returns why a request is not executed: the store has its answer, or its key was used for another request. Null if
   * it is new.
   */
  function findRejection(
    { requestHash: before, answer }: Found,
    { keyHash, requestHash }: RequestFingerprint,
  ): Error | null {
    if (!answer) return null;
    if (!requestHash.equals(before!)) return errors.idempotency_key_reused();
    const opened = open(answer, keyHash);
    return opened instanceof Error ? opened : new StoredReplay(opened);
  }

  const findOne = async (keyHash: Buffer): Promise<Found> =>
    (await units.db.executeQuery(findResponse([keyHash]))).rows[0]!;

  // Requests that come at once share one statement. On Citus each key may lie on another server.
  const findTogether = createBatcher<Buffer, Found>(async (_, keyHashes) => {
    if (keyHashes.length === 1 || isDistributed(units.db)) return Promise.all(keyHashes.map(findOne));
    const { rows } = await units.db.executeQuery(findResponses([keyHashes]));
    return keyHashes.map((keyHash) => rows.find((row) => row.keyHash.equals(keyHash)) ?? notFound);
  }, maxFound);

  async function find(fingerprint: RequestFingerprint): Promise<Error | null> {
    return findRejection(await findTogether('', fingerprint.keyHash), fingerprint);
  }

  const claim: ResponseStore['claim'] = async (trx, fingerprints) => {
    const keyHashes = fingerprints.map(({ keyHash }) => keyHash);
    const locks = keyHashes.map((keyHash) => keyHash.readBigInt64BE());
    const rows = await lockResponses(trx, keyHashes, locks);
    return fingerprints.map((fingerprint, i) => {
      const row = rows[i]!;
      // A session that holds a lock gets it again, so of equal keys only the first one counts.
      const isOurs = row.isOurs && locks.indexOf(locks[i]!) === i;
      return isOurs
        ? findRejection(row, fingerprint)
        : errors.idempotency_in_progress({ headers: { 'retry-after': '1' } });
    });
  };

  const store: ResponseStore['store'] = async (trx, responses) => {
    const bytes = await storeResponses(trx, [
      responses.map(({ fingerprint }) => fingerprint.keyHash),
      responses.map(({ fingerprint }) => fingerprint.requestHash),
      responses.map(({ fingerprint, response }) => seal(response, fingerprint.keyHash)),
      responses.map(({ fingerprint }) => fingerprint.ownerId),
    ]);
    for (const { used, incoming } of bytes)
      if (used + incoming > maxStoredBytes)
        throw errors.quota_exceeded({ fields: { used, limit: maxStoredBytes, incoming } });
  };

  return {
    claim,
    store,

    /** Throws if the request was answered before: the stored response, or the refusal of a reused key. */
    async rejectRepeated(fingerprint: RequestFingerprint): Promise<void> {
      const rejection = await find(fingerprint);
      if (rejection) throw rejection;
    },

    /** Runs a change in a transaction that locks its key and stores its response. */
    async storeWith<Result>(
      trx: AnyTransaction,
      fingerprint: RequestFingerprint,
      change: () => Promise<Result>,
      createResponse: (result: Result) => Promise<Answer>,
    ): Promise<Result> {
      const [rejection] = await claim(trx, [fingerprint]);
      if (rejection) throw rejection;
      const result = await change();
      await store(trx, [{ fingerprint, response: await createResponse(result) }]);
      return result;
    },

    /** Whether a request with this key was answered. */
    async isAnswered(route: RouteDefinition, request: RouteRequest, key: string): Promise<boolean> {
      const { keyHash } = fingerprintRequest(route, request, key, null);
      return (await findTogether('', keyHash)).answer !== null;
    },

    /**
     * Returns the stored response of a request that was refused, null if there is none. The first request with its key
     * may have finished while this one was checked, and may be the reason for the refusal.
     */
    async findMeanwhile(fingerprint: RequestFingerprint, error: unknown): Promise<Answer | null> {
      if (!(error instanceof ApiError) || error.code === 'idempotency_in_progress') return null;
      const found = await find(fingerprint).catch(() => null);
      return found instanceof StoredReplay ? found.answer : null;
    },

    /** Stores the refusal of a conflict in a transaction of its own: a refused request has changed nothing. */
    async storeRefusal(fingerprint: RequestFingerprint, error: unknown): Promise<void> {
      if (!isConflict(error)) return;
      const response = new Answer(JSON.stringify(error.envelope()), jsonType, error.headers, error.status);
      await units.run('read committed', (trx) => store(trx, [{ fingerprint, response }])).catch(() => {});
    },
  };
}

/** Whether a refusal is stored: `decisions.md 11.2`. */
export const isConflict = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 409 && error.code !== 'idempotency_in_progress';

/** Returns a handler's result as the response to store. */
export function toAnswer(result: unknown, { answer: [status] }: RouteDefinition): Answer {
  if (!(result instanceof Answer)) return new Answer(JSON.stringify(result) ?? '', jsonType, {}, status);
  if (typeof result.body !== 'string') throw new Error('a stored response is a text');
  return new Answer(result.body, result.contentType, result.headers, result.status ?? status);
}

/** Minimum size of a response that is worth deflating. */
const deflatedFrom = 2048;

/**
 * Creates the functions that seal and open responses by AES-256-GCM: nonce, tag, and the deflated or plain JSON, bound
 * to the hash of its key.
 */
function createSeal(secrets: readonly string[]) {
  const keys = secrets.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', 'waybill idempotent answers', 32)),
  );
  /** Returns the bytes before they were sealed; null if none of the keys opens them. */
  function unseal(sealed: Buffer, keyHash: Buffer): Buffer | null {
    for (const key of keys) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(keyHash);
      decipher.setAuthTag(sealed.subarray(12, 28));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
      } catch {
        // Another key has sealed it, possibly a dropped one.
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
          message:
            'This request was carried out, but its answer can no longer be decrypted, because the key is gone.',
        });
      const text = plain[0] === 0 ? plain.subarray(1) : inflateRawSync(plain.subarray(1));
      const { body, contentType, headers, status } = JSON.parse(text.toString());
      return new Answer(body, contentType, { ...headers, 'idempotent-replayed': 'true' }, status);
    },
    opens: (sealed: Buffer, keyHash: Buffer) => unseal(sealed, keyHash) !== null,
  };
}

const readBatch = 1_000;

/** The responses that a service stores for a day, sealed with its service token. */
export const storedResponses: SealedDefinition<unknown> = {
  setting: 'WAYBILL_SERVICE_TOKEN',
  what: 'kept answers to requests with an Idempotency-Key',
  async countHeldBy(db, key, others) {
    const [held, open] = [createSeal([key.value]), createSeal(others.map(({ value }) => value))];
    let count = 0;
    let after: Buffer = Buffer.alloc(0);
    for (;;) {
      const { rows } = await sql<{ keyHash: Buffer; answer: Buffer }>`
        select k.key_hash as "keyHash", k.answer from idempotent_answer k
        where k.key_hash > ${after} and ${sql.raw(isFresh)} order by k.key_hash limit ${readBatch}`.execute(
        db,
      );
      for (const { answer, keyHash } of rows)
        if (held.opens(answer, keyHash) && !open.opens(answer, keyHash)) count++;
      if (rows.length < readBatch) return count;
      after = rows.at(-1)!.keyHash;
    }
  },
};

/** Deletes expired responses, some thousands at a time. Returns true if more may be left. */
export async function purgeStoredResponses(db: AnyDatabase): Promise<boolean> {
  const isExpired = sql`created_at <= now() - make_interval(hours => ${retentionHours}) order by created_at`;
  const areMore = [
    await deleteBatch(db, 'idempotent_answer', isExpired, purgeBatch),
    await deleteBatch(db, 'idempotent_bytes', sql`day < current_date - 1`, purgeBatch),
  ];
  return areMore.includes(true);
}
