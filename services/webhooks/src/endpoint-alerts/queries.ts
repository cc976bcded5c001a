import { sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

/** An endpoint, by its store. */
export interface EndpointKey {
  storeId: string;
  endpointId: string;
}

/** Gives those of some endpoints whose admins got no mail about them within a day, and records that they get one now. */
export async function claimAlerts(
  trx: Transaction<Tables>,
  kind: 'failing' | 'dead',
  endpoints: readonly EndpointKey[],
): Promise<(EndpointKey & { url: string })[]> {
  const column = sql.ref(`told_${kind}_at`);
  const { rows } = await sql<EndpointKey & { url: string }>`
    with unalerted as (
      select store_id, id
      from unnest(${endpoints.map(({ storeId }) => storeId)}::text[], ${endpoints.map(({ endpointId }) => endpointId)}::text[])
        as failed (store_id, id)
      join webhook_endpoint e using (store_id, id)
      where coalesce(greatest(told_failing_at, told_dead_at) <= now() - interval '1 day', true)
      order by store_id, id for update of e
    )
    update webhook_endpoint e set ${column} = now()
    from unalerted u where e.store_id = u.store_id and e.id = u.id
    returning e.store_id as "storeId", e.id as "endpointId", e.url`.execute(trx);
  return rows;
}
