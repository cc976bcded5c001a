import type { ShopList } from '@waybill/contracts';
import {
  bare,
  encoded,
  encodedOrNull,
  jsonArray,
  jsonObject,
  lookUp,
  type OfStore,
  type Placeholders,
  planned,
  prepare,
  quoted,
  type SqlText,
  wordsOf,
} from '@waybill/kernel';
import type { CompiledQuery, Kysely } from 'kysely';
import { factsJson, productJson } from '../products/json.ts';
import { searchIndex } from '../products/list-queries.ts';
import { lineFactMembers } from '../stock/line-facts.ts';
import { maxWords } from '../storefront/words.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** More than these nobody pages through; a count stops there. */
const maxCounted = 10_000;

/** The order of each index of `0001_products.sql`, of the products of one status. */
const orders: Readonly<Record<ShopList['sort'], (dir: string) => string>> = {
  number: (dir) => `p.number ${dir}`,
  name: (dir) => `p.name_key ${dir}, p.id ${dir}`,
  price: (dir) => `p.price_cents ${dir} nulls last, p.id ${dir}`,
  created: (dir) => `p.created_at ${dir}, p.id ${dir}`,
};

/** What a statement names of the list that it reads; `of` says which products it shows. */
interface Listed extends OfStore {
  of: readonly string[];
  limit: number;
  offset: number;
}

type Source = ShopList['source'];

/** Beside being active. Ids have their own order. */
const conditions: Readonly<Record<Exclude<Source['kind'], 'search'>, SqlText<Listed>>> = {
  all: () => '',
  tag: ($) => `and p.tags <> '{}' and p.tags @> ${$.of}::text[]`,
  ids: ($) => `and p.id = any(${$.of}::text[])`,
};

/** Visitors search by the index that the store's people search by; anything else is read from end to end for each. */
async function searched(db: Db, storeId: string, q: string) {
  const found = await lookUp(db, storeId, wordsOf(q).slice(0, maxWords), searchIndex);
  return {
    values: found.values,
    condition: ($: Placeholders<typeof found.values>) => found.conditions($, 'p'),
  };
}

function named(source: Exclude<Source, { kind: 'search' }>) {
  const of = source.kind === 'tag' ? [source.tag] : source.kind === 'ids' ? source.ids : [];
  return { values: { of }, condition: conditions[source.kind] };
}

/** The statement of `listShopProducts`. */
export async function shopListStatement(
  db: Db,
  { storeId, source, sort, dir, limit, offset }: ShopList,
): Promise<CompiledQuery<{ json: string }>> {
  const { values, condition } =
    source.kind === 'search' ? await searched(db, storeId, source.q) : named(source);
  type All = Listed & Awaited<ReturnType<typeof searched>>['values'];
  return planned<{ json: string }, All>(($) => {
    const isOf = `p.store_id = ${$.storeId} and p.status = 'active' ${(condition as SqlText<All>)($)}`;
    const order =
      source.kind === 'ids'
        ? `array_position(${$.of}::text[], p.id)`
        : orders[sort](dir === 'desc' ? 'desc' : 'asc');
    const total =
      source.kind === 'all'
        ? `coalesce((select active from product_total where store_id = ${$.storeId}), 0)`
        : `(select count(*) from (select from product p where ${isOf} limit ${maxCounted}) counted)`;
    return `select ${jsonObject({
      products: bare(
        jsonArray(
          factsJson,
          `(select * from product p where ${isOf} order by ${order} limit ${$.limit}::int offset ${$.offset}::int) p`,
        ),
      ),
      total: bare(total),
    })} as json`;
  })({ storeId, limit, offset, ...values } as All);
}

/** `{ products, total }` as JSON: a page of the active products that a list shows, and how many there are. */
export async function listShopProducts(db: Db, asked: ShopList): Promise<string> {
  return (await db.executeQuery(await shopListStatement(db, asked))).rows[0]!.json;
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

const cartVariant = jsonObject({
  variantId: quoted('v.id'),
  productId: quoted('p.id'),
  productName: encoded('p.name'),
  slug: quoted('p.slug'),
  variantName: encoded('v.name'),
  priceCents: bare('v.price_cents'),
  isAvailable: encoded('v.stock > 0'),
  isEnough: encoded('v.stock >= wanted.quantity'),
  mediaId: encodedOrNull('coalesce(v.media_id, p.media_ids[1])'),
  ...lineFactMembers,
});

const cartVariants = prepare<{ json: string }>(
  'shop-cart',
  `select ${jsonObject({
    variants: bare(
      jsonArray(
        cartVariant,
        `unnest($2::text[], $3::int[]) as wanted (id, quantity)
         join variant v on v.store_id = $1 and v.id = wanted.id
         join product p on p.store_id = v.store_id and p.id = v.product_id and p.status = 'active'`,
      ),
    ),
  })} as json`,
);

/** `{ variants }` as JSON: of these variants those that are for sale, `CartVariant`. */
export async function findCartVariants(
  db: Db,
  storeId: string,
  variantIds: readonly string[],
  quantities: readonly number[] = [],
): Promise<string> {
  const wanted = variantIds.map((_, at) => quantities[at] ?? 1);
  return (await db.executeQuery(cartVariants([storeId, variantIds, wanted]))).rows[0]!.json;
}
