import { claimByStore, ofStore } from '@waybill/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** The tables of the things that tokens show. */
export type TokenKind = 'order' | 'document';

/** The stored data that checks a token: hashes, or in an older row a secret that is not hashed yet. */
export interface SecretProof {
  secret: string | null;
  hashes: readonly Buffer[] | null;
}

/** Adds a hash, so that another secret shows the thing as well. This does not count as a change of the thing. */
export async function addSecretHash(
  db: Db,
  kind: TokenKind,
  storeId: string,
  id: string,
  hash: Buffer,
): Promise<void> {
  await sql`update ${sql.table(kind)} set secret_hashes = secret_hashes || ${hash}::bytea
    where store_id = ${storeId} and id = ${id} and secret_hashes is not null
      and not ${hash}::bytea = any(secret_hashes)`.execute(db);
}

/**
 * Hashes up to `limit` secrets that are stored in plain text. Returns whether there may be more. They are of letters,
 * digits, `-` and `_`, so their bytes are those of a cast, which Citus takes here, unlike `convert_to`.
 */
export async function hashClearSecrets(db: Db, kind: TokenKind, limit: number): Promise<boolean> {
  const table = sql.table(kind);
  const changed = await claimByStore<object>(db, {
    limit,
    stores: (maxStores) =>
      sql`select store_id as "storeId" from ${table} where secret is not null limit ${maxStores}`,
    async claim(storeId, maxRows) {
      const { rows } = await sql<object>`
        update ${table} t set secret = null,
          secret_hashes = coalesce(t.secret_hashes, '{}') || sha256(t.secret::bytea)
        where ${ofStore(storeId)} and (store_id, id) in (
          select store_id, id from ${table}
          where secret is not null and ${ofStore(storeId)} limit ${maxRows} for update skip locked
        )
        returning id`.execute(db);
      return rows;
    },
  });
  return changed.length >= limit;
}
