import { deleteStep, prepare } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

/** SQL of what a variant `v` is called: by its own name, else by the values of its options. */
export const variantTitle = `coalesce(nullif(v.name, ''), (
  select string_agg(o.value, ' / ' order by o.place)
  from json_each_text(v.options) with ordinality as o (name, value, place)
), '')`;

const note = prepare(
  'gone-variants-note',
  `insert into gone_variant (store_id, id, product_name, variant_name, with_product, gone_at)
   select v.store_id, v.id, p.name, ${variantTitle}, $4::boolean, $5::timestamptz
   from variant v join product p on p.store_id = v.store_id and p.id = v.product_id
   where v.store_id = $1 and v.product_id = $2 and ($3::text[] is null or v.id = any($3))
   on conflict do nothing`,
);

/** Notes what variants of a product are called that are about to go; all of them where the product goes. */
export async function noteGone(
  trx: Transaction<Tables>,
  storeId: string,
  productId: string,
  variantIds: readonly string[] | null,
): Promise<void> {
  if (variantIds?.length === 0) return;
  await trx.executeQuery(note([storeId, productId, variantIds, variantIds === null, new Date()]));
}

/** A cart that holds them is older than any browser keeps one. */
const keptMs = 90 * 86_400_000;

/** Forgets variants that went long ago, some at a time. True: there may be more. */
export const purgeGone = (db: Kysely<Tables>, now = Date.now()): Promise<boolean> =>
  deleteStep(db, 'gone_variant', sql`gone_at < ${new Date(now - keptMs)}`, 1_000);
