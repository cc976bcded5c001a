import {
  bare,
  encoded,
  encodedOrNull,
  jsonObject,
  type ListItem,
  type ListRead,
  pageOf,
  prepare,
  quoted,
  readItems,
  sortedBy,
} from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { mediaJson, variantsJson } from '../products/json.ts';
import { sortKeys } from '../products/list-queries.ts';
import type { Tables } from '../tables.ts';
import { type ShopQuery, shownStatus } from './routes.ts';

type Db = Kysely<Tables>;

/** Of a row `p` of product what strangers see: no stock, and nothing of how the merchant keeps it. */
const shownMembers = {
  id: quoted('p.id'),
  name: encoded('p.name'),
  slug: quoted('p.slug'),
  tags: encoded('p.tags'),
  media: bare(mediaJson),
  priceCents: encodedOrNull('p.price_cents'),
  available: encoded('p.total_stock > 0'),
  variants: bare(
    variantsJson({
      id: quoted('v.id'),
      sku: encodedOrNull('v.sku'),
      name: encoded('v.name'),
      priceCents: bare('v.price_cents'),
      available: encoded('v.stock > 0'),
    }),
  ),
};

const shown: ListItem = {
  name: 'storefront-product',
  table: 'product',
  alias: 'p',
  json: () => jsonObject(shownMembers),
};

/**
 * A page of the store's active products, and how many there are, by the index of its order.
 * @throws invalid_cursor
 */
export async function listShownProducts(db: Db, storeId: string, query: ShopQuery): Promise<ListRead> {
  const page = pageOf('storefront-products', [storeId], query, sortedBy(sortKeys, query, 'number'));
  return readItems(db, shown, page, {
    kind: `${query.sort}-${query.dir}`,
    values: { storeId },
    each: [`status = '${shownStatus}'`],
    total: ($) => `coalesce((select ${shownStatus} from product_total where store_id = ${$.storeId}), 0)`,
  });
}

const findShown = prepare<{ json: string }>(
  'storefront-product-find',
  `select ${jsonObject({ ...shownMembers, description: encoded('p.description') })} as json
   from product p where p.store_id = $1 and p.slug = $2 and p.status = '${shownStatus}'`,
);

/** An active product by its slug, as JSON; null when the store shows none. */
export async function findShownProduct(db: Db, storeId: string, slug: string): Promise<string | null> {
  const { rows } = await db.executeQuery(findShown([storeId, slug]));
  return rows[0]?.json ?? null;
}
