import { publicFieldsJson } from '@waybill/custom-fields';
import {
  bare,
  defineParts,
  encoded,
  encodedOrNull,
  jsonObject,
  type ListItem,
  type ListRead,
  parsePage,
  prepare,
  quoted,
  readItems,
  sortedBy,
  withinStore,
} from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { categoryIdsSql, mediaJson, mediaUrl, variantsJson } from '../products/json.ts';
import { sortKeys } from '../products/list-queries.ts';
import type { Tables } from '../tables.ts';
import { type ShopQuery, shownStatus } from './routes.ts';

type Db = Kysely<Tables>;

/** SQL of the comparison price of the cheapest variant. */
const compareAtSql = `(
  select v.compare_at_cents from variant v where v.store_id = p.store_id and v.product_id = p.id
  order by v.price_cents, v.position limit 1
)`;

/** SQL of the properties of a `product` row `p` that strangers may see: no stock figures and no internal data. */
const shownMembers = {
  id: quoted('p.id'),
  name: encoded('p.name'),
  slug: quoted('p.slug'),
  tags: encoded('p.tags'),
  media: bare(mediaJson),
  priceCents: encodedOrNull('p.price_cents'),
  available: encoded('p.total_stock > 0'),
  options: bare('p.options'),
  vendor: encoded('p.vendor'),
  categoryIds: encoded(categoryIdsSql),
  compareAtCents: encodedOrNull(compareAtSql),
  customFields: bare(publicFieldsJson('p')),
  variants: bare(
    variantsJson({
      id: quoted('v.id'),
      sku: encodedOrNull('v.sku'),
      name: encoded('v.name'),
      priceCents: bare('v.price_cents'),
      available: encoded('v.stock > 0'),
      options: bare('v.options'),
      compareAtCents: encodedOrNull('v.compare_at_cents'),
      barcode: encodedOrNull('v.barcode'),
      unit: encodedOrNull('v.unit'),
      unitPriceCents: encodedOrNull('v.unit_price_cents'),
      mediaUrl: encodedOrNull(
        `case when v.media_id is not null then ${mediaUrl('v.store_id', 'v.media_id')} end`,
      ),
      customFields: bare(publicFieldsJson('v')),
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
 * Returns a page of the store's active products, and their total number. Reads the index of the requested order.
 * @throws invalid_cursor
 */
export async function listShownProducts(
  db: Db,
  storeId: string,
  { limit, after, sort = 'number', dir = 'asc' }: ShopQuery,
): Promise<ListRead> {
  // Relevance orders only searches, so this list falls back to numbers.
  const by = { sort: sort === 'relevance' ? 'number' : sort, dir };
  const page = parsePage(
    'storefront-products',
    [storeId],
    { limit, after, ...by },
    sortedBy(sortKeys, by, 'number'),
  );
  return readItems(db, shown, page, {
    kind: `${by.sort}-${by.dir}`,
    values: { storeId },
    each: [`status = '${shownStatus}'`],
    total: ($) => `coalesce((select ${shownStatus} from product_total where store_id = ${$.storeId}), 0)`,
  });
}

/** Reads active products by their ids, in that order. */
export const readShownProducts = defineParts(shown);

const findShown = prepare<{ json: string }>(
  'storefront-product-find',
  withinStore(
    '$1',
    `select ${jsonObject({ ...shownMembers, description: encoded('p.description') })} as json
   from product p where p.store_id = $1 and p.slug = $2 and p.status = '${shownStatus}'`,
  ),
);

/** Returns an active product by its slug, as JSON; null if the store shows no such product. */
export async function findShownProduct(db: Db, storeId: string, slug: string): Promise<string | null> {
  const { rows } = await db.executeQuery(findShown([storeId, slug]));
  return rows[0]?.json ?? null;
}
