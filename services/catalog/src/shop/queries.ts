import type { ShopList } from '@waybill/contracts';
import { bare, jsonArray, jsonObject, patternOf, planned, prepare, wordsOf } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { factsJson, productJson } from '../products/json.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** More than these nobody pages through; a count stops there. */
const maxCounted = 10_000;
const maxWords = 10;

/** The order of each index of `0001_products.sql`, of the products of one status. */
const orders: Readonly<Record<ShopList['sort'], (dir: string) => string>> = {
  number: (dir) => `p.number ${dir}`,
  name: (dir) => `p.name_key ${dir}, p.id ${dir}`,
  price: (dir) => `p.price_cents ${dir} nulls last, p.id ${dir}`,
  created: (dir) => `p.created_at ${dir}, p.id ${dir}`,
};

/** What tells which products a list shows, of its values `$2`. Ids have their own order. */
const conditions: Readonly<Record<ShopList['source']['kind'], string>> = {
  all: '$2::text[] is not null',
  tag: `p.tags <> '{}' and p.tags @> $2::text[]`,
  ids: 'p.id = any($2::text[])',
  search: 'p.search like all($2::text[])',
};

function valuesOf(source: ShopList['source']): readonly string[] {
  switch (source.kind) {
    case 'all':
      return [];
    case 'tag':
      return [source.tag];
    case 'ids':
      return source.ids;
    case 'search':
      return wordsOf(source.q).slice(0, maxWords).map(patternOf);
  }
}

/** `{ products, total }` as JSON: a page of the active products that a list shows, and how many there are. */
export async function listShopProducts(
  db: Db,
  { storeId, source, sort, dir, limit, offset }: ShopList,
): Promise<string> {
  const isOf = `p.store_id = $1 and p.status = 'active' and ${conditions[source.kind]}`;
  const order =
    source.kind === 'ids'
      ? 'array_position($2::text[], p.id)'
      : orders[sort](dir === 'desc' ? 'desc' : 'asc');
  const total =
    source.kind === 'all'
      ? `coalesce((select active from product_total where store_id = $1), 0)`
      : `(select count(*) from (select from product p where ${isOf} limit ${maxCounted}) counted)`;
  const statement = planned<{ json: string }>(
    `select ${jsonObject({
      products: bare(
        jsonArray(
          factsJson,
          `(select * from product p where ${isOf} order by ${order} limit $3::int offset $4::int) p`,
        ),
      ),
      total: bare(total),
    })} as json`,
  );
  const values = [storeId, valuesOf(source), limit, offset];
  return (await db.executeQuery(statement(values))).rows[0]!.json;
}

const bySlug = prepare<{ json: string }>(
  'shop-product',
  `select ${jsonObject({
    product: bare(`coalesce((
      select ${productJson()} from product p where p.store_id = $1 and p.slug = $2 and p.status = 'active'
    ), 'null')`),
  })} as json`,
);

/** `{ product }` as JSON: the active product with that slug, or null. */
export async function findShopProduct(db: Db, storeId: string, slug: string): Promise<string> {
  return (await db.executeQuery(bySlug([storeId, slug]))).rows[0]!.json;
}

const cartVariants = prepare<{ json: string }>(
  'shop-cart',
  `select json_build_object('variants', coalesce(json_agg(json_build_object(
     'variantId', v.id, 'productId', p.id, 'productName', p.name, 'slug', p.slug, 'variantName', v.name,
     'priceCents', v.price_cents, 'isAvailable', v.stock > 0
   )), '[]'::json))::text as json
   from variant v
   join product p on p.store_id = v.store_id and p.id = v.product_id and p.status = 'active'
   where v.store_id = $1 and v.id = any($2::text[])`,
);

/** `{ variants }` as JSON: of these variants those that are for sale, `CartVariant`. */
export async function findCartVariants(
  db: Db,
  storeId: string,
  variantIds: readonly string[],
): Promise<string> {
  return (await db.executeQuery(cartVariants([storeId, variantIds]))).rows[0]!.json;
}
