import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

/** The stored data that checks a token: hashes, or for an older order a secret that is not hashed yet. */
export interface ReceiptProof {
  secret: string | null;
  hashes: readonly Buffer[] | null;
}

/** Adds a hash, so that another secret shows the order as well. This does not count as a change of the order. */
export async function addReceiptHash(
  db: Kysely<Tables>,
  storeId: string,
  orderId: string,
  hash: Buffer,
): Promise<void> {
  await sql`update "order" set secret_hashes = secret_hashes || ${hash}::bytea
    where store_id = ${storeId} and id = ${orderId} and secret_hashes is not null
      and not ${hash}::bytea = any(secret_hashes)`.execute(db);
}
