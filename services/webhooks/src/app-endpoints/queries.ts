import { appCallTypes } from '@waybill/contracts';
import { changedAt } from '@waybill/kernel';
import { sql, type Transaction } from 'kysely';
import type { Endpoint } from '../endpoints/queries.ts';
import type { Tables } from '../tables.ts';

// In the row of an app's endpoint, `store_id` holds the app's id.
type Trx = Transaction<Tables>;

/** The URL of an app as of a revision. A null URL means that the app is not called. */
interface AppTarget {
  appId: string;
  url: string | null;
  revision: number;
}

/** Returns an app's endpoint and locks it until the transaction ends; undefined when the app has never had a secret. */
export function lockAppEndpoint(trx: Trx, appId: string, id: string): Promise<Endpoint | undefined> {
  return trx
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('store_id', '=', appId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export async function insertAppEndpoint(
  trx: Trx,
  id: string,
  sealedSecret: string,
  { appId, url, revision }: AppTarget,
): Promise<void> {
  await sql`
    insert into webhook_endpoint (store_id, id, url, events, status, sealed_secret, revision)
    values (${appId}, ${id}, ${url ?? ''}, ${appCallTypes}::text[], ${url === null ? 'disabled' : 'active'},
      ${sealedSecret}, ${revision})`.execute(trx);
}

/**
 * Changes the URL of an app's endpoint. Returns false when there is no endpoint, or it already has this revision or a
 * later one.
 */
export async function updateAppEndpointUrl(
  trx: Trx,
  id: string,
  { appId, url, revision }: AppTarget,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('webhook_endpoint')
    .set({
      revision,
      url: url ?? '',
      status: url === null ? 'disabled' : 'active',
      failures: 0,
      updated_at: changedAt(new Date()),
    })
    .where('store_id', '=', appId)
    .where('id', '=', id)
    .where('revision', '<', revision)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
