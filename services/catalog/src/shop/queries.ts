import type { ShopList } from '@waybill/contracts';
import { typedFieldsJson } from '@waybill/custom-fields';
import {
  bare,
  compileUnprepared,
  encoded,
  encodedOrNull,
  jsonArray,
  jsonObject,
  type OfStore,
  type Placeholders,
  prepare,
  prepareSearch,
  quoted,
  type SqlText,
  splitWords,
  withinStore,
} from '@waybill/kernel';
import type { CompiledQuery, Kysely } from 'kysely';
import { variantTitle } from '../products/deleted-variant-queries.ts';
import { factsJson, productJson } from '../products/json.ts';
import { searchIndex } from '../products/list-queries.ts';
import { lineFactMembers } from '../stock/line-facts.ts';
import { findShownCategories } from '../storefront/index-queries.ts';
import { maxWords } from '../storefront/words.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** Counting stops here, because nobody pages further. */
const maxCounted = 10_000;

/** The sort orders of the indexes in `0001_products.sql` for products of one status. */
const orders: Readonly<Record<Exclude<ShopList['sort'], 'category'>, (dir: string) => string>> = {
  number: (dir) => `p.number ${dir}`,
  name: (dir) => `p.name_key ${dir}, p.id ${dir}`,
  price: (dir) => `p.price_cents ${dir} nulls last, p.id ${dir}`,
  created: (dir) => `p.created_at ${dir}, p.id ${dir}`,
};

/** Parameters of the list statement. `of` contains the tag, the ids of products, or the id of a category. */
interface Listed extends OfStore {
  of: readonly string[];
  limit: number;
  offset: number;
}

type Source = ShopList['source'];

/** The condition of each source, in addition to the status `active`. */
const conditions: Readonly<Record<Exclude<Source['kind'], 'search'>, SqlText<Listed>>> = {
  all: () => '',
  tag: ($) => `and p.tags <> '{}' and p.tags @> ${$.of}::text[]`,
  ids: ($) => `and p.id = any(${$.of}::text[])`,
  category: ($) => `and exists (
    select from category_product c
    where c.store_id = p.store_id and c.product_id = p.id and c.category_id = any(${$.of}::text[])
  )`,
};

/** Returns the SQL of the order of the category `$.of`, following the category's `sort`. */
async function categoryOrder(
  db: Db,
  storeId: string,
  id: string,
): Promise<($: Placeholders<Listed>) => string> {
  const [found] = await findShownCategories(db, storeId, [id]);
  const { by, dir } = found?.sort ?? { by: 'number' as const, dir: 'asc' as const };
  if (by !== 'manual') return () => orders[by](dir);
  return ($) => `(
    select c.position from category_product c
    where c.store_id = p.store_id and c.product_id = p.id and c.category_id = any(${$.of}::text[])
  ) ${dir}, p.id ${dir}`;
}

/**
 * Looks up products with the index that the store's members use, so that a visitor's search does not scan the table.
 */
async function describeSearch(db: Db, storeId: string, q: string) {
  const found = await prepareSearch(db, storeId, splitWords(q).slice(0, maxWords), searchIndex);
  return {
    values: found.values,
    condition: ($: Placeholders<typeof found.values>) => found.conditions($, 'p'),
  };
}

/** Returns the condition of a source without words, and the tag, the products or the category that it names. */
function describeSource(source: Exclude<Source, { kind: 'search' }>) {
  const listNamed = (): readonly string[] => {
    if (source.kind === 'tag') return [source.tag];
    if (source.kind === 'ids') return source.ids;
    return source.kind === 'category' ? [source.id] : [];
  };
  return { values: { of: listNamed() }, condition: conditions[source.kind] };
}

/** Builds the statement of `listShopProducts`. */
export async function buildShopListStatement(
  db: Db,
  { storeId, source, sort, dir, limit, offset }: ShopList,
): Promise<CompiledQuery<{ json: string }>> {
  const { values, condition } =
    source.kind === 'search' ? await describeSearch(db, storeId, source.q) : describeSource(source);
  const sourceOrder =
    sort === 'category' && source.kind === 'category'
      ? await categoryOrder(db, storeId, source.id)
      : () => orders[sort === 'category' ? 'number' : sort](dir === 'desc' ? 'desc' : 'asc');
  type All = Listed & Awaited<ReturnType<typeof describeSearch>>['values'];
  return compileUnprepared<{ json: string }, All>(($) => {
    const inList = `p.store_id = ${$.storeId} and p.status = 'active' ${(condition as SqlText<All>)($)}`;
    const order = source.kind === 'ids' ? `array_position(${$.of}::text[], p.id)` : sourceOrder($);
    const total =
      source.kind === 'all'
        ? `coalesce((select active from product_total where store_id = ${$.storeId}), 0)`
        : `(select count(*) from (select from product p where ${inList} limit ${maxCounted}) counted)`;
    const page = jsonObject({
      products: bare(
        jsonArray(
          factsJson,
          `(select * from product p where ${inList} order by ${order} limit ${$.limit}::int offset ${$.offset}::int) p`,
        ),
      ),
      total: bare(total),
    });
    return withinStore($.storeId, `select ${page} as json`);
  })({ storeId, limit, offset, ...values } as All);
}

/** Returns `{ products, total }` as JSON: a page of the active products of a list, and their total number. */
export async function listShopProducts(db: Db, list: ShopList): Promise<string> {
  return (await db.executeQuery(await buildShopListStatement(db, list))).rows[0]!.json;
}

const productFacts = prepare<{ json: string }>(
  'shop-facts',
  withinStore(
    '$1',
    `select ${jsonArray(
      factsJson,
      `(
      select p.* from unnest($2::text[]) with ordinality as requested (id, ordinal)
      join product p on p.store_id = $1 and p.id = requested.id and p.status = 'active' order by requested.ordinal
    ) p`,
    )} as json`,
  ),
);

/** Returns the active ones of the given products as a JSON list in their order, with the fields that a shop shows. */
export async function listFacts(db: Db, storeId: string, ids: readonly string[]): Promise<string> {
  return (await db.executeQuery(productFacts([storeId, ids]))).rows[0]!.json;
}

const bySlug = prepare<{ json: string }>(
  'shop-product',
  withinStore(
    '$1',
    `select ${jsonObject({
      product: bare(`coalesce((
      select ${productJson()} from product p where p.store_id = $1 and p.slug = $2 and p.status = 'active'
    ), 'null')`),
      fields: bare(`coalesce((
      select ${typedFieldsJson('p')} from product p where p.store_id = $1 and p.slug = $2 and p.status = 'active'
    ), '{}')`),
    })} as json`,
  ),
);

/** Returns `{ product, fields }` as JSON: the active product with that slug, or null, and its public custom fields. */
export async function findShopProduct(db: Db, storeId: string, slug: string): Promise<string> {
  return (await db.executeQuery(bySlug([storeId, slug]))).rows[0]!.json;
}

/** SQL of the options of a product `p` if the title of its variant `v` consists of their values; otherwise none. */
const titleOptions = `case when v.name = '' then p.options else '[]' end`;

const cartVariant = jsonObject({
  variantId: quoted('v.id'),
  productId: quoted('p.id'),
  productName: encoded('p.name'),
  slug: quoted('p.slug'),
  variantName: encoded(variantTitle),
  titleOptions: bare(titleOptions),
  priceCents: bare('v.price_cents'),
  isAvailable: encoded('v.stock > 0'),
  isEnough: encoded('v.stock >= requested.quantity'),
  mediaId: encodedOrNull('coalesce(v.media_id, p.media_ids[1])'),
  ...lineFactMembers,
});

const cartVariants = prepare<{ json: string }>(
  'shop-cart',
  withinStore(
    '$1',
    `select ${jsonObject({
      variants: bare(
        jsonArray(
          cartVariant,
          `unnest($2::text[], $3::int[]) as requested (id, quantity)
         join variant v on v.store_id = $1 and v.id = requested.id
         join product p on p.store_id = v.store_id and p.id = v.product_id and p.status = 'active'`,
        ),
      ),
      gone: bare(
        jsonArray(
          jsonObject({
            variantId: quoted('g.id'),
            productId: encodedOrNull('g.product_id'),
            productName: encoded('g.product_name'),
            variantName: encoded('g.variant_name'),
            titleOptions: bare('g.title_options'),
            options: bare('g.options'),
            reason: quoted('g.reason'),
          }),
          `(
          select v.id, p.id as product_id, p.name as product_name, ${variantTitle} as variant_name,
            ${titleOptions} as title_options, v.options, 'offSale' as reason
          from variant v join product p on p.store_id = v.store_id and p.id = v.product_id and p.status <> 'active'
          where v.store_id = $1 and v.id = any($2)
          union all
          select id, null, product_name, variant_name, '[]', '{}',
            case when with_product then 'deleted' else 'variantDeleted' end
          from gone_variant where store_id = $1 and id = any($2)
        ) g`,
        ),
      ),
    })} as json`,
  ),
);

/**
 * Returns `{ variants, gone }` as JSON: the given variants that are for sale, and the reason why each of the others is
 * not.
 */
export async function findCartVariants(
  db: Db,
  storeId: string,
  variantIds: readonly string[],
  quantities: readonly number[] = [],
): Promise<string> {
  const quantitiesOfVariants = variantIds.map((_, at) => quantities[at] ?? 1);
  return (await db.executeQuery(cartVariants([storeId, variantIds, quantitiesOfVariants]))).rows[0]!.json;
}
