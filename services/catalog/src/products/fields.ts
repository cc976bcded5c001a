import { foldText, type Product, type Variant } from '@waybill/contracts';
import { customFieldsJson } from '@waybill/custom-fields';
import { bare, encoded, encodedOrNull, type JsonValue, quoted, searchText } from '@waybill/kernel';

/** How a field is stored and shown, and its default. */
interface Field<Value> {
  column: string;
  type: 'text' | 'text[]' | 'bigint' | 'integer' | 'boolean' | 'json' | 'jsonb' | 'timestamptz';
  /** Returns the SQL of the field's JSON, given the SQL of its column. */
  json: (sql: string) => JsonValue;
  /** Default value; undefined if every write must supply the field. */
  fallback?: Value;
}
type Fields<Values> = { readonly [Name in keyof Values]: Field<Values[Name]> };

type ProductValues = Pick<
  Product,
  | 'name'
  | 'slug'
  | 'status'
  | 'description'
  | 'tags'
  | 'mediaIds'
  | 'options'
  | 'vendor'
  | 'taxCategory'
  | 'seo'
  | 'customFields'
>;

/** Stored by the ids of the definitions. The API's keys appear in JSON only. */
const customFields: Field<Product['customFields']> = {
  column: 'custom_fields',
  type: 'jsonb',
  json: (sql) => bare(customFieldsJson(sql.slice(0, sql.indexOf('.')))),
  fallback: {},
};

/**
 * The writable fields of a product. State, equality, columns and JSON derive from this list: a new field needs a line
 * here, a column in a migration, and a schema in the contracts and in `ProductInput`.
 */
export const productFields: Fields<ProductValues> = {
  name: { column: 'name', type: 'text', json: encoded },
  slug: { column: 'slug', type: 'text', json: quoted },
  status: { column: 'status', type: 'text', json: quoted, fallback: 'draft' },
  description: { column: 'description', type: 'text', json: encoded, fallback: '' },
  tags: { column: 'tags', type: 'text[]', json: encoded, fallback: [] },
  mediaIds: { column: 'media_ids', type: 'text[]', json: encoded, fallback: [] },
  options: { column: 'options', type: 'json', json: bare, fallback: [] },
  vendor: { column: 'vendor', type: 'text', json: encoded, fallback: '' },
  taxCategory: { column: 'tax_category', type: 'text', json: encoded, fallback: 'standard' },
  seo: {
    column: 'seo',
    type: 'json',
    json: bare,
    fallback: { title: '', description: '', imageMediaId: null },
  },
  customFields,
};

/** The fields of a variant, including those that are computed on write. */
export const variantFields: Fields<Omit<Variant, 'id'>> = {
  sku: { column: 'sku', type: 'text', json: encodedOrNull, fallback: null },
  name: { column: 'name', type: 'text', json: encoded, fallback: '' },
  priceCents: { column: 'price_cents', type: 'bigint', json: bare },
  stock: { column: 'stock', type: 'bigint', json: bare, fallback: 0 },
  options: { column: 'options', type: 'json', json: bare, fallback: {} },
  compareAtCents: { column: 'compare_at_cents', type: 'bigint', json: encodedOrNull, fallback: null },
  barcode: { column: 'barcode', type: 'text', json: encodedOrNull, fallback: null },
  weightGrams: { column: 'weight_grams', type: 'integer', json: encodedOrNull, fallback: null },
  requiresShipping: { column: 'requires_shipping', type: 'boolean', json: encoded, fallback: true },
  unit: { column: 'unit', type: 'json', json: encodedOrNull, fallback: null },
  unitPriceCents: { column: 'unit_price_cents', type: 'bigint', json: encodedOrNull, fallback: null },
  mediaId: { column: 'media_id', type: 'text', json: encodedOrNull, fallback: null },
  lowestPriceCents30Days: {
    column: 'lowest_price_cents',
    type: 'bigint',
    json: encodedOrNull,
    fallback: null,
  },
  customFields,
};

/**
 * Picks the fields that clients from before product options do not send; a replacement without them keeps their values.
 */
export const pickLaterFields = ({
  options,
  vendor,
  taxCategory,
  seo,
}: ProductState): Pick<ProductState, 'options' | 'vendor' | 'taxCategory' | 'seo'> => ({
  options,
  vendor,
  taxCategory,
  seo,
});

/** Picks the fields of a variant that such clients do not send. */
export const pickLaterVariantFields = ({
  options,
  compareAtCents,
  barcode,
  weightGrams,
  requiresShipping,
  unit,
  mediaId,
}: VariantState) => ({
  options,
  compareAtCents,
  barcode,
  weightGrams,
  requiresShipping,
  unit,
  mediaId,
});

/** A variant as the service writes it. */
export interface VariantState extends Variant {
  /** Instant since which the variant has its price; null means since its product was created. */
  priceSince: Date | null;
}

/** A product as the service writes it, without derived values. */
export interface ProductState extends ProductValues {
  id: string;
  /** Instant since which an active product has been active; null means since it was created. */
  activeSince: Date | null;
  variants: VariantState[];
}

/** Fields of a product and of a variant that pages and events never show. */
const internalProductFields: Fields<Pick<ProductState, 'activeSince'>> = {
  activeSince: { column: 'active_since', type: 'timestamptz', json: encodedOrNull, fallback: null },
};
const internalVariantFields: Fields<Pick<VariantState, 'priceSince'>> = {
  priceSince: { column: 'price_since', type: 'timestamptz', json: encodedOrNull, fallback: null },
};

const storedProductFields = { ...productFields, ...internalProductFields };
const storedVariantFields = { ...variantFields, ...internalVariantFields };

type FieldTable = Readonly<Record<string, Field<unknown>>>;
const listEntries = (fields: object) => Object.entries(fields as FieldTable);

/** Returns the SQL of the JSON of each field of a row. Entries of `others` replace the SQL of single fields. */
export const selectJson = <Of extends object>(
  fields: Of,
  alias: string,
  others: Readonly<Record<string, JsonValue>> = {},
) =>
  Object.fromEntries(
    listEntries(fields).map(([name, { column, json }]) => [name, others[name] ?? json(`${alias}.${column}`)]),
  ) as Record<keyof Of, JsonValue>;

/** The columns of the given fields, without and with their types as `json_to_recordset` expects them. */
const listColumns = (fields: object) => listEntries(fields).map(([, { column }]) => column);
const listTypedColumns = (fields: object) =>
  listEntries(fields).map(([, { column, type }]) => `${column} ${type}`);
/** The columns as a select list, each named like its field. */
const selectColumns = (fields: object, alias: string) =>
  listEntries(fields).map(([name, { column }]) => `${alias}.${column} as "${name}"`);

/** Columns of a product that are derived from its fields, for sorting, searching and looking up. */
const derivedTypes = {
  name_key: 'text',
  search: 'text',
  price_cents: 'bigint',
  total_stock: 'bigint',
  more_media_ids: 'text[]',
  json_bytes: 'integer',
} as const;

export const productColumns = [...listColumns(storedProductFields), ...Object.keys(derivedTypes)];
export const typedProductColumns = [
  ...listTypedColumns(storedProductFields),
  ...Object.entries(derivedTypes).map(([column, type]) => `${column} ${type}`),
];
export const variantColumns = ['id', ...listColumns(storedVariantFields)];
export const typedVariantColumns = ['id text', ...listTypedColumns(storedVariantFields)];
export const selectedProduct = selectColumns(storedProductFields, 'p').join(', ');
export const selectedVariant = ['v.id', ...selectColumns(storedVariantFields, 'v')].join(', ');

type Values = Readonly<Record<string, unknown>>;

/** Returns a function that returns values by column. The entries are listed once, because each write calls it. */
function prepareRow(fields: object): (values: object) => Record<string, unknown> {
  const entries = listEntries(fields);
  return (values) => {
    const row: Record<string, unknown> = {};
    for (const [name, { column }] of entries) row[column] = (values as Values)[name];
    return row;
  };
}
const toProductRow = prepareRow(storedProductFields);
const toVariantRow = prepareRow(storedVariantFields);

/** Returns a product's row by column, without its variants. */
export const productRow = (product: ProductState) => ({
  ...toProductRow(product),
  ...derivedColumns(product),
});

/** Returns a variant's row by column. */
export const variantRow = (variant: VariantState) => ({ id: variant.id, ...toVariantRow(variant) });

/** Returns a function that completes values with the defaults of the others. */
function prepareCompletion<Of>(fields: Fields<Of>): (values: Partial<Of>) => Of {
  const entries = listEntries(fields);
  return (values) => {
    const completed: Record<string, unknown> = {};
    for (const [name, { fallback }] of entries) {
      const value = (values as Values)[name];
      completed[name] = value === undefined ? fallback : value;
    }
    return completed as Of;
  };
}

/** Completes the given fields of a product with the defaults of the others. */
export const completeProduct = prepareCompletion(productFields);
/** Completes the given fields of a variant with the defaults of the others. */
export const completeVariant = prepareCompletion(variantFields);

/** Whether two states of a product are equal, apart from their variants. */
export const isSameProduct = (a: ProductState, b: ProductState): boolean =>
  JSON.stringify(completeProduct(a)) === JSON.stringify(completeProduct(b));

/** Whether two states of a variant are equal, including their ids. */
export const isSameVariant = (a: VariantState, b: VariantState): boolean =>
  a.id === b.id && JSON.stringify(completeVariant(a)) === JSON.stringify(completeVariant(b));

/** Computes the columns for sorting and searching, and the derived price and stock: `store-api.md 2.2`. */
function derivedColumns({
  name,
  slug,
  tags,
  mediaIds,
  description,
  seo,
  options,
  customFields,
  variants,
}: ProductState): Record<keyof typeof derivedTypes, unknown> {
  const skus = variants.flatMap(({ sku }) => sku ?? []);
  const prices = variants.map(({ priceCents }) => priceCents);
  const media = new Set([seo.imageMediaId, ...variants.map(({ mediaId }) => mediaId)]);
  return {
    name_key: foldText(name),
    search: searchText(name, slug, ...skus, ...tags),
    price_cents: prices.length > 0 ? Math.min(...prices) : null,
    total_stock: variants.reduce((sum, { stock }) => sum + stock, 0),
    more_media_ids: [...media].filter((id) => id !== null && !mediaIds.includes(id)),
    json_bytes: measureProductBytes({ description, options, customFields, variants }),
  };
}

/** The parts of a product that its size depends on. */
type MeasuredProduct = Pick<ProductState, 'description' | 'options' | 'customFields'> & {
  variants: readonly Pick<Variant, 'name' | 'options' | 'customFields'>[];
};

/** Approximate numbers of bytes in JSON of a product, a variant and the name of a custom field, without the texts. */
const [productBytes, variantBytes, fieldNameBytes] = [2_000, 400, 40];

/** Estimates the number of bytes of a product's JSON. */
export function measureProductBytes(product: MeasuredProduct): number {
  const { variants } = product;
  let bytes = productBytes + measureTexts(product) + fieldNameBytes * countValues(product);
  for (const variant of variants) bytes += variantBytes + fieldNameBytes * countValues(variant);
  return bytes;
}

const countValues = ({ customFields }: Pick<MeasuredProduct, 'customFields'>) =>
  Object.keys(customFields).length;

/** Counts the bytes that any body with this product has at least: of its texts, options and custom-field values. */
export function measureTexts({ description, options, customFields, variants }: MeasuredProduct): number {
  let bytes =
    Buffer.byteLength(description) + measureJson(options) + measureJson(Object.values(customFields));
  for (const { name, options, customFields } of variants)
    bytes += Buffer.byteLength(name) + measureJson(options) + measureJson(Object.values(customFields));
  return bytes;
}

/** Returns the number of bytes of a value's JSON; 0 if it is empty, as most are. */
function measureJson(value: object): number {
  for (const _ in value) return Buffer.byteLength(JSON.stringify(value));
  return 0;
}
