import { isDistributed } from '@waybill/kernel';
import type { Kysely, SelectQueryBuilder } from 'kysely';

/**
 * Returns a function that keeps the selected rows unchanged until the transaction ends, in tables that a cluster has on
 * every server. Others may keep them at the same time, but on Citus they take turns: it locks such a table first
 * shared and then more strongly, so that two of them would always wait for each other, for a second.
 */
export const keepUnchanged =
  <Tables>(db: Kysely<Tables>) =>
  <Names extends keyof Tables, Row>(
    query: SelectQueryBuilder<Tables, Names, Row>,
  ): SelectQueryBuilder<Tables, Names, Row> =>
    isDistributed(db) ? query.forNoKeyUpdate() : query.forShare();
