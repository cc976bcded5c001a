import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

/** What proves that somebody may see an order: hashes, and of an older order what is still to be hashed. */
export interface ReceiptProof {
  secret: string | null;
  hashes: readonly Buffer[] | null;
}

/** Lets an order be seen by another secret, too. Not a change of the order: neither its time nor its state moves. */
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
