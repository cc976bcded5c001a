import { deleteBatch, prepare } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

/** SQL of the title of a variant `v`: its own name, or else the values of its options. */
export const variantTitle = `coalesce(nullif(v.name, ''), (
  select string_agg(o.value, ' / ' order by o.ordinal)
  from json_each_text(v.options) with ordinality as o (name, value, ordinal)
), '')`;

const insertDeleted = prepare(
  'gone-variants-note',
  `insert into gone_variant (store_id, id, product_name, variant_name, with_product, gone_at)
   select v.store_id, v.id, p.name, ${variantTitle}, $4::boolean, $5::timestamptz
   from variant v join product p on p.store_id = v.store_id and p.id = v.product_id
   where v.store_id = $1 and v.product_id = $2 and ($3::text[] is null or v.id = any($3))
   on conflict do nothing`,
);

/** Records the titles of variants that are about to be deleted; null means all variants of the product. */
export async function recordDeletedVariants(
  trx: Transaction<Tables>,
  storeId: string,
  productId: string,
  variantIds: readonly string[] | null,
): Promise<void> {
  if (variantIds?.length === 0) return;
  await trx.executeQuery(insertDeleted([storeId, productId, variantIds, variantIds === null, new Date()]));
}

/** Longer than any browser keeps a cart that may contain the variants. */
const retentionMs = 90 * 86_400_000;

/** Deletes a batch of records of variants that were deleted long ago. Returns true if there may be more. */
export const purgeDeletedVariants = (db: Kysely<Tables>, now = Date.now()): Promise<boolean> =>
  deleteBatch(db, 'gone_variant', sql`gone_at < ${new Date(now - retentionMs)}`, 1_000);
