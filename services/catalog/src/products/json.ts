import { mediaPath } from '@waybill/contracts';
import { typedFieldsJson } from '@waybill/custom-fields';
import {
  bare,
  encoded,
  encodedOrNull,
  type JsonValue,
  jsonArray,
  jsonObject,
  quoted,
  timestamp,
} from '@waybill/kernel';
import { productFields, selectJson, variantFields } from './fields.ts';

/**
 * Name of the connection setting with the URL pattern of files, for `format` with a store and an id. A setting lets all
 * SQL read it.
 */
const mediaUrlSetting = 'waybill.media_url';

/** Returns the settings of database connections that this SQL reads. */
export const sqlSettings = ({ baseUrl }: { baseUrl: string }) => ({
  [mediaUrlSetting]: baseUrl.replaceAll('%', '%%') + mediaPath('%1$s', '%2$s'),
});

/** Returns the SQL of a file's URL. */
export const mediaUrl = (storeId: string, id: string): string =>
  `format(current_setting('${mediaUrlSetting}', true), ${storeId}, ${id})`;

/** SQL of the files of a `product` row `p`. Most products have none, and these cost nothing. */
export const mediaJson = `case when p.media_ids = '{}' then '[]' else ${jsonArray(
  jsonObject({
    id: quoted('m.id'),
    url: encoded(mediaUrl('p.store_id', 'm.id')),
  }),
  '(select * from unnest(p.media_ids) with ordinality as m (id, ordinal) order by ordinal) m',
)} end`;

/**
 * Returns the SQL of the variants of a `product` row `p`. The subquery sorts them, because sorting inside the aggregate
 * costs a tenth more.
 */
export const variantsJson = (members: Readonly<Record<string, JsonValue>>): string =>
  jsonArray(
    jsonObject(members),
    '(select * from variant v where v.store_id = p.store_id and v.product_id = p.id order by v.position) v',
  );

const allVariants = (stock = 'v.stock') =>
  bare(variantsJson({ id: quoted('v.id'), ...selectJson(variantFields, 'v', { stock: bare(stock) }) }));

const { name, slug, status, description, tags, mediaIds, ...otherFields } = selectJson(productFields, 'p');

/**
 * Returns the SQL of the public JSON of a `product` row `p`, which the service sends as it is. `stock` is the SQL of a
 * variant's stock. `categoryIds` is the SQL of the categories' JSON, which a new product replaces by a constant.
 */
export const productJson = (stock?: string, categoryIds = encoded(categoryIdsSql)) =>
  jsonObject({
    id: quoted('p.id'),
    number: bare('p.number'),
    name,
    slug,
    status,
    description,
    tags,
    mediaIds,
    media: bare(mediaJson),
    ...otherFields,
    categoryIds,
    variants: allVariants(stock),
    priceCents: encodedOrNull('p.price_cents'),
    totalStock: bare('p.total_stock'),
    createdAt: quoted(timestamp('p.created_at')),
    updatedAt: quoted(timestamp('p.updated_at')),
  });

/** SQL of the ids of the categories that contain a `product` row `p`. */
export const categoryIdsSql = `array(
  select c.category_id from category_product c
  where c.store_id = p.store_id and c.product_id = p.id order by c.category_id
)`;

/**
 * Returns SQL about the categories of a `product` row `p`: null if the store has no product in any category. A list
 * finds that out once, instead of looking at each of its products.
 */
export const ifCategorised = (sql: string): string =>
  `case when exists (select from category_product c where c.store_id = p.store_id) then ${sql} end`;

/** Returns the SQL of the `{ product }` envelope. */
export const productEnvelope = (stock?: string): string => jsonObject({ product: bare(productJson(stock)) });

/** SQL of the `{ product }` envelope of a product that is being inserted, which no category contains yet. */
export const newProductEnvelope: string = jsonObject({ product: bare(productJson(undefined, bare("'[]'"))) });

/** SQL of the facts of a `product` row `p` that other services show. */
export const factsJson = jsonObject({
  id: quoted('p.id'),
  name: encoded('p.name'),
  slug: quoted('p.slug'),
  priceCents: encodedOrNull('p.price_cents'),
  options: bare('p.options'),
  variants: allVariants(),
  mediaIds: encoded('p.media_ids'),
  fields: bare(typedFieldsJson('p')),
});
