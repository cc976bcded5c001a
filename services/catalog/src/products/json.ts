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
import { jsonOf, productFields, variantFields } from './fields.ts';

/** Where files are, for `format` with a store and an id; a setting of the database's connections, so that all SQL can read it. */
const mediaUrlSetting = 'waybill.media_url';

/** The settings of the database's connections that this SQL reads. */
export const sqlSettings = ({ baseUrl }: { baseUrl: string }) => ({
  [mediaUrlSetting]: baseUrl.replaceAll('%', '%%') + mediaPath('%1$s', '%2$s'),
});

/** SQL of the URL of a file. */
export const mediaUrl = (storeId: string, id: string): string =>
  `format(current_setting('${mediaUrlSetting}', true), ${storeId}, ${id})`;

/** The files of a row `p` of product; most have none, and cost nothing. */
export const mediaJson = `case when p.media_ids = '{}' then '[]' else ${jsonArray(
  jsonObject({
    id: quoted('m.id'),
    url: encoded(mediaUrl('p.store_id', 'm.id')),
  }),
  '(select * from unnest(p.media_ids) with ordinality as m (id, place) order by place) m',
)} end`;

/** Of each variant of a row `p` of product. They are put in order before they are gathered: sorting inside an aggregate costs a tenth more. */
export const variantsJson = (members: Readonly<Record<string, JsonValue>>): string =>
  jsonArray(
    jsonObject(members),
    '(select * from variant v where v.store_id = p.store_id and v.product_id = p.id order by v.position) v',
  );

const allVariants = (stock = 'v.stock') =>
  bare(variantsJson({ id: quoted('v.id'), ...jsonOf(variantFields, 'v', { stock: bare(stock) }) }));

const { name, slug, status, description, tags, mediaIds, ...otherFields } = jsonOf(productFields, 'p');

/**
 * The public shape of a row `p` of product, `stock` being SQL of a variant `v` of it. PostgreSQL makes the JSON, and it is
 * sent on as it comes. `categoryIds` is SQL of JSON: of a new product, which no category contains, it is known.
 */
export const productJson = (stock?: string, categoryIds = encoded(categoryIdsOf)) =>
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

/** SQL of the categories that contain a row `p` of product. */
export const categoryIdsOf = `array(
  select c.category_id from category_product c
  where c.store_id = p.store_id and c.product_id = p.id order by c.category_id
)`;

/** Its `{ product }` envelope. */
export const productEnvelope = (stock?: string): string => jsonObject({ product: bare(productJson(stock)) });

/** The same of a product that is being inserted: no category contains it yet. */
export const newProductEnvelope: string = jsonObject({ product: bare(productJson(undefined, bare("'[]'"))) });

/** What other services show of a row `p` of product. */
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
