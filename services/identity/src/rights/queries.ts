import type { Holder, Role } from '@waybill/contracts';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

/** Lists the roles and scopes that API keys and users hold in stores, in the order of `holders`. */
export async function listHoldings(db: Kysely<Tables>, holders: readonly Holder[]) {
  const { rows } = await sql<{
    /** The role of the user or of the key's creator; null: not a member. */
    role: Role | null;
    /** Null for users, whose rights no scopes restrict. */
    scopes: string[] | null;
  }>`
    select member.role, key.scopes
    from unnest(${holders.map(({ storeId }) => storeId)}::text[], ${holders.map(({ id }) => id)}::text[])
      with ordinality as holder (store_id, id, position)
    left join api_key key on key.store_id = holder.store_id and key.id = holder.id
    left join member on member.store_id = holder.store_id and member.user_id = coalesce(key.created_by, holder.id)
    order by holder.position`.execute(db);
  return rows;
}
