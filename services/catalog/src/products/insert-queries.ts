import { storeLimits } from '@waybill/contracts';
import {
  type Emission,
  insertEmissions,
  isDistributed,
  prepare,
  WriteAlone,
  withinStore,
} from '@waybill/kernel';
import type { Kysely, Transaction } from 'kysely';
import { errors } from '../errors.ts';
import { CustomFieldsRequired } from '../field-values/values.ts';
import type { Tables } from '../tables.ts';
import { insertDistributedProducts } from './distributed-insert-queries.ts';
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
import { requiredFields, selectRequiredFields } from './required-fields.ts';

type Trx = Transaction<Tables>;

/** A product to insert, with the parts of its event that the statement does not produce. */
export interface NewProduct {
  product: ProductState;
  event: Emission;
  /** Whether nobody has read the store's definitions yet: it has no custom fields, and none may be required. */
  isUnchecked: boolean;
}

/** Returns the columns of a product and its variants by name, as the statement reads them from JSON. */
const toRow = ({ product, event }: NewProduct) => ({
  id: product.id,
  ...productRow(product),
  ...event,
  variants: product.variants.map(variantRow),
});

const columns = productColumns.join(', ');
const eventColumns = ['event_id', 'event_name', 'event_trace'];

/**
 * A single statement, because all creates of a store wait for each other from the counter's update to the commit. A
 * statement cannot read the rows that it inserts, so the JSON takes its variants from the result called `variant`
 * instead of the table.
 */
const insert = prepare<{ json: string }, { storeId: string; rows: string; now: Date; isUnchecked: boolean }>(
  'product-insert',
  ($) => `with incoming as materialized (
     select * from rows from (json_to_recordset(${$.rows}) as (
       id text, ${typedProductColumns.join(', ')}, variants json,
       ${eventColumns.map((column) => `${column} text`).join(', ')}
     )) with ordinality as i (id, ${columns}, variants, ${eventColumns.join(', ')}, ordinal)
   ), total as (
     update product_total set last_number = last_number + n.rows, draft = product_total.draft + n.draft,
       active = product_total.active + n.active, archived = product_total.archived + n.archived
     from (
       select count(*) as rows, count(*) filter (where status = 'draft') as draft,
         count(*) filter (where status = 'active') as active, count(*) filter (where status = 'archived') as archived
       from incoming
     ) n
     where store_id = ${$.storeId}
       and product_total.draft + product_total.active + product_total.archived + n.rows <= ${storeLimits.products}
       and not (${$.isUnchecked} and exists (${requiredFields($)}))
     returning last_number - n.rows as before
   ), p as (
     insert into product (store_id, id, number, ${columns}, created_at, updated_at)
     select ${$.storeId}, id, before + ordinal, ${columns}, ${$.now}, ${$.now}
     from incoming cross join total
     returning *
   ), variant as (
     insert into variant (store_id, product_id, position, ${variantColumns.join(', ')})
     select ${$.storeId}, i.id, v.position, ${variantColumns.map((column) => `v.${column}`).join(', ')}
     from total cross join incoming i cross join lateral rows from (json_to_recordset(i.variants) as (
       ${typedVariantColumns.join(', ')}
     )) with ordinality as v (${variantColumns.join(', ')}, position)
     returning *
   ), emitted as (
     select i.event_id, i.event_name, i.event_trace, i.ordinal, p.store_id,
       ${withinStore($.storeId, newProductEnvelope)} as json
     from p join incoming i on i.id = p.id
   ), event as (${insertEmissions('emitted')})
   select json from emitted order by ordinal`,
);

/**
 * Inserts products in this order, with the store's next numbers, their variants and their events, and counts them.
 * Returns the `{ product }` envelope of each as JSON, which is also the data of its event.
 * @throws too_many_products; CustomFieldsRequired
 */
export async function insertProducts(
  trx: Trx,
  storeId: string,
  products: readonly NewProduct[],
  now: Date,
): Promise<string[]> {
  const isUnchecked = products.some((product) => product.isUnchecked);
  const insertAll = async () => {
    if (isDistributed(trx)) return insertDistributedProducts(trx, storeId, products, now, isUnchecked);
    const statement = insert({ storeId, rows: JSON.stringify(products.map(toRow)), now, isUnchecked });
    return (await trx.executeQuery(statement)).rows.map(({ json }) => json);
  };
  const inserted = await insertAll();
  if (inserted.length > 0) return inserted;
  if (isUnchecked && (await trx.executeQuery(selectRequiredFields({ storeId }))).rows.length > 0)
    throw products.length > 1 ? new WriteAlone() : new CustomFieldsRequired();
  // This is the store's first product. An upsert in the statement would make waiting writes start again after each
  // commit before theirs.
  await trx
    .insertInto('product_total')
    .values({ store_id: storeId, last_number: 0, draft: 0, active: 0, archived: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const retried = await insertAll();
  // The store may still have room for some of the products, so each is tried alone.
  if (retried.length === 0) throw products.length > 1 ? new WriteAlone() : errors.too_many_products();
  return retried;
}

/** Returns how many products a store has, from its counters. */
export async function countProducts(db: Kysely<Tables>, storeId: string): Promise<number> {
  const total = await db
    .selectFrom('product_total')
    .select(['draft', 'active', 'archived'])
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  return total ? total.draft + total.active + total.archived : 0;
}
