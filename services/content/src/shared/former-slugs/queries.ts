import { sql, type Transaction } from 'kysely';
import type { FormerSlug, Tables } from '../../tables.ts';

type Trx = Transaction<Tables>;

/** Maximum number of former slugs of one item that lead to it, the last ones. */
const maxRedirects = 100;

/**
 * Records that visitors have seen a page, an article or a product at a slug that it leaves. The slug leads to the
 * item's present address while it is live, until another item takes the slug (`decisions.md 13.4`).
 */
export async function addRedirect(
  trx: Trx,
  storeId: string,
  kind: FormerSlug['kind'],
  ownerId: string,
  slug: string,
): Promise<void> {
  await sql`
    insert into former_slug (store_id, kind, slug, owner_id) values (${storeId}, ${kind}, ${slug}, ${ownerId})
    on conflict (store_id, kind, slug) do update set owner_id = excluded.owner_id, left_at = excluded.left_at`.execute(
    trx,
  );
  await sql`
    delete from former_slug where store_id = ${storeId} and owner_id = ${ownerId} and left_at < (
      select left_at from former_slug where store_id = ${storeId} and owner_id = ${ownerId}
      order by left_at desc limit 1 offset ${maxRedirects - 1}
    )`.execute(trx);
}

/** Records the present owner of a slug, so that it no longer leads to its former owners. */
export async function removeRedirect(
  trx: Trx,
  storeId: string,
  kind: FormerSlug['kind'],
  ownerId: string,
  slug: string,
): Promise<void> {
  await trx
    .deleteFrom('former_slug')
    .where('store_id', '=', storeId)
    .where('kind', '=', kind)
    .where('slug', '=', slug)
    .where('owner_id', '<>', ownerId)
    .execute();
}

/** Deletes the former slugs of a page, an article or a product, when that is deleted. */
export async function deleteRedirects(trx: Trx, storeId: string, ownerId: string): Promise<void> {
  await trx
    .deleteFrom('former_slug')
    .where('store_id', '=', storeId)
    .where('owner_id', '=', ownerId)
    .execute();
}
