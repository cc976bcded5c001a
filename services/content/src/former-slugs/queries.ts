import { sql, type Transaction } from 'kysely';
import type { FormerSlug, Tables } from '../tables.ts';

type Trx = Transaction<Tables>;

/** How many former slugs of one page or article lead to it, the last ones. */
const keptSlugs = 100;

/**
 * Notes that a page or an article has another slug: the one that it left, null when nobody has seen it there, leads to it,
 * and the new one no longer to whoever had it before. `decisions.md 13.4`.
 */
export async function moveSlug(
  trx: Trx,
  storeId: string,
  kind: FormerSlug['kind'],
  ownerId: string,
  { from, to }: { from: string | null; to: string },
): Promise<void> {
  await trx
    .deleteFrom('former_slug')
    .where('store_id', '=', storeId)
    .where('kind', '=', kind)
    .where('slug', '=', to)
    .execute();
  if (from === null || from === to) return;
  await sql`
    insert into former_slug (store_id, kind, slug, owner_id) values (${storeId}, ${kind}, ${from}, ${ownerId})
    on conflict (store_id, kind, slug) do update set owner_id = excluded.owner_id, left_at = excluded.left_at`.execute(
    trx,
  );
  await sql`
    delete from former_slug where store_id = ${storeId} and owner_id = ${ownerId} and left_at < (
      select left_at from former_slug where store_id = ${storeId} and owner_id = ${ownerId}
      order by left_at desc limit 1 offset ${keptSlugs - 1}
    )`.execute(trx);
}

/** Forgets where a page or an article was, when it is deleted. */
export async function forgetSlugs(trx: Trx, storeId: string, ownerId: string): Promise<void> {
  await trx
    .deleteFrom('former_slug')
    .where('store_id', '=', storeId)
    .where('owner_id', '=', ownerId)
    .execute();
}
