import { storeLimits } from '@waybill/contracts';
import { type Emission, insertEmitted, type OfStore, prepare, withinStore } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import {
  type ProductState,
  productColumns,
  productRow,
  typedProductColumns,
  typedVariantColumns,
  variantColumns,
  variantRow,
} from './fields.ts';
import { newProductEnvelope } from './json.ts';
import { requiredFields } from './required-fields.ts';

// On Citus, a part that inserts makes a statement run part by part: the coordinator plans each, sends its rows to all
// servers, and commits on all of them in two phases. Here each statement runs on the store's server, which commits
// alone. They insert beside `product_total`, the row of the store, because that is how Citus sees where they belong.

interface Counted extends OfStore {
  rows: number;
  draft: number;
  active: number;
  archived: number;
  isUnchecked: boolean;
}

const count = prepare<{ before: number }, Counted>(
  'product-count-distributed',
  (
    $,
  ) => `update product_total set last_number = last_number + ${$.rows}::int, draft = draft + ${$.draft}::int,
     active = active + ${$.active}::int, archived = archived + ${$.archived}::int
   where store_id = ${$.storeId} and draft + active + archived + ${$.rows}::int <= ${storeLimits.products}
     and not (${$.isUnchecked} and exists (${requiredFields($)}))
   returning last_number - ${$.rows}::int as before`,
);

const columns = productColumns.join(', ');
const insertRows = prepare<object, OfStore & { rows: string; before: number; now: Date }>(
  'product-insert-distributed',
  ($) => `insert into product (store_id, id, number, ${columns}, created_at, updated_at)
   select t.store_id, i.id, ${$.before}::bigint + i.ordinal, ${productColumns.map((column) => `i.${column}`).join(', ')}, ${$.now}::timestamptz, ${$.now}::timestamptz
   from product_total t cross join json_to_recordset(${$.rows}) as i (
     id text, ordinal int, ${typedProductColumns.join(', ')}
   )
   where t.store_id = ${$.storeId}`,
);

const insertVariants = prepare<object, OfStore & { rows: string }>(
  'product-variants-insert-distributed',
  ($) => `insert into variant (store_id, product_id, position, ${variantColumns.join(', ')})
   select t.store_id, v.product_id, v.position, ${variantColumns.map((column) => `v.${column}`).join(', ')}
   from product_total t cross join json_to_recordset(${$.rows}) as v (
     product_id text, position int, ${typedVariantColumns.join(', ')}
   )
   where t.store_id = ${$.storeId}`,
);

const findNew = prepare<{ json: string }, OfStore & { ids: readonly string[] }>('products-new', ($) =>
  withinStore(
    $.storeId,
    `select ${newProductEnvelope} as json from product p
     where p.store_id = ${$.storeId} and p.id = any(${$.ids}::text[]) order by p.number`,
  ),
);

/** Does what the statement `product-insert` does on one server. Returns nothing where that returns no rows. */
export async function insertDistributedProducts(
  trx: Transaction<Tables>,
  storeId: string,
  products: readonly { product: ProductState; event: Emission }[],
  now: Date,
  isUnchecked: boolean,
): Promise<string[]> {
  const rows = products.map(({ product }, i) => ({
    id: product.id,
    ordinal: i + 1,
    ...productRow(product),
  }));
  const of = (status: string) => products.filter(({ product }) => product.status === status).length;
  const counts = { rows: rows.length, draft: of('draft'), active: of('active'), archived: of('archived') };
  const { rows: counted } = await trx.executeQuery(count({ storeId, ...counts, isUnchecked }));
  if (!counted[0]) return [];
  await trx.executeQuery(insertRows({ storeId, rows: JSON.stringify(rows), before: counted[0].before, now }));
  const variants = products.flatMap(({ product }) =>
    product.variants.map((variant, i) => ({
      product_id: product.id,
      position: i + 1,
      ...variantRow(variant),
    })),
  );
  await trx.executeQuery(insertVariants({ storeId, rows: JSON.stringify(variants) }));
  const { rows: inserted } = await trx.executeQuery(findNew({ storeId, ids: rows.map(({ id }) => id) }));
  const envelopes = inserted.map(({ json }) => json);
  await insertEmitted(
    trx,
    storeId,
    products.map(({ event }, i) => ({ event, json: envelopes[i]! })),
  );
  return envelopes;
}
