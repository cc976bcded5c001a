import { productLimits } from '@waybill/contracts/product-limits';
import { isSlug, slugMaxLength } from '@waybill/contracts/slugs';
import type { Model } from '@waybill/sdk';
import { isAmbiguous, isAmbiguousCount, readAmount, readCount } from './amounts.ts';
import type { DecodedFile } from './encoding.ts';
import {
  type FieldColumn,
  type FieldTitle,
  fieldMatchesStored,
  readField,
  writeField,
} from './field-cells.ts';
import { withoutGuards } from './formulas.ts';
import { isSameHtml } from './html.ts';
import { detectForm, type FileForm, type RawRow, readRows } from './read-table.ts';
import { writeAmount } from './table.ts';
import { type VariantColumn, variantCells, variantColumns } from './variant-cells.ts';

type Product = Model<'Product'>;
type Variant = Product['variants'][number];
type ProductInput = Model<'ProductInput'>;
type ProductPatch = Model<'ProductPatch'>;

/** The columns of a product file, which has one row for each variant. */
export const columns = [
  'slug',
  'name',
  'status',
  'tags',
  'description',
  'variant',
  'sku',
  'price',
  'stock',
  ...variantColumns,
  'vendor',
  'tax category',
  'seo title',
  'seo description',
  'id',
] as const;
export type Column = (typeof columns)[number] | FieldTitle;

/** Returns the columns of a file with custom fields. */
export const listColumns = (fields: readonly FieldColumn[]): string[] => [
  ...columns,
  ...fields.map(({ title }) => title),
];
type Cells = Partial<Record<Column, string>>;

/** Maximum number of rows. A longer file is not a product list, or must be split. */
export const maxRows = 50_000;
export const maxBytes = 30 * 1024 * 1024;

/** The reason why a row cannot be imported. */
export type RowFault =
  | 'openQuote'
  | 'extraCells'
  | 'guessedEncoding'
  | 'unreadable'
  | 'twoCells'
  | 'ambiguousPrice'
  | 'ambiguousStock'
  | 'severalOfName'
  | 'nothing'
  | 'differs'
  | 'tooLong'
  | 'badSlug'
  | 'badStatus'
  | 'badTags'
  | 'badPrice'
  | 'badStock'
  | 'badBarcode'
  | 'badWeight'
  | 'badShipping'
  | 'badUnit'
  | 'badOptions'
  | 'badField'
  | 'noName'
  | 'noPrice'
  | 'twice'
  | 'skuOfAnother'
  | 'tooManyVariants';

export interface RowProblem {
  /** Counted as a spreadsheet does: the titles are row 1. */
  row: number;
  /** The line on which the row begins, counted as text editors do. */
  line: number;
  column: Column | null;
  fault: RowFault;
  value: string;
}

export interface Row {
  row: number;
  line: number;
  cells: Cells;
  /** The reason why the row cannot be read with certainty. */
  fault?: Pick<RowProblem, 'column' | 'fault' | 'value'>;
}

/** The cell that identifies a row's product. */
export type MatchedBy = 'id' | 'sku' | 'slug' | 'name';

/** The work to be done for one product of the file. */
export interface Step {
  /** Identifies the step within the file. */
  key: string;
  /** Empty for a new product whose rows give no slug; the server derives one. */
  slug: string;
  name: string;
  /** Where the product begins in the file. */
  row: number;
  line: number;
  /** The cell of its first row that identifies an existing product; null if the product is new. */
  matchedBy: MatchedBy | null;
  action: 'create' | 'change' | 'keep';
  /** The id of an existing product. */
  id: string | null;
  body: ProductPatch;
  /** The changed columns, across all its variants. */
  changed: Column[];
}

/** The meaning of a cell: without surrounding white space and without the guards of an export. */
const normaliseCell = (cell: string) => withoutGuards(cell.trimStart()).trim();

/**
 * Whether a cell states the stored value. Differences that come from reading alone do not count, so an untouched file
 * changes nothing.
 */
const matchesStored = (cell: string | undefined, stored: string | null | undefined): boolean =>
  typeof stored === 'string' && (cell === stored || cell === stored.trim() || cell === normaliseCell(stored));
/** Length in characters, as the API counts them. */
const countCharacters = (text: string) => [...text].length;

/** A product file, read as far as its meaning is certain. */
export interface ProductTable {
  rows: Row[];
  /** The detected format, shown before anything is written. */
  form: FileForm;
  /** Whether the file names no known column. */
  hasNoKnownColumn: boolean;
  unknown: string[];
  isTooLong: boolean;
}

/**
 * Reads a file whose first row names the columns. Unknown columns are skipped and reported. A cell that cannot be read
 * with certainty is a fault of its row (`store-api.md 2.2`, `decisions.md 19.10`).
 */
export function readTable(file: string | DecodedFile, fields: readonly FieldColumn[] = []): ProductTable {
  const known = new Set(listColumns(fields));
  const isColumn = (title: string): title is Column => known.has(title);
  const { text, isGuessed, isDamaged, encoding } =
    typeof file === 'string' ? { text: file, isGuessed: false, isDamaged: false, encoding: '' } : file;
  const form = detectForm(text, known);
  const [head, ...data] = readRows(text, form, maxRows + 2);
  const titles = (head?.cells ?? []).map((title) => title.trim().toLowerCase());
  const isTooLong = data.length > maxRows;
  const rows = data.slice(0, maxRows).map((raw): Row => {
    const cells: Cells = {};
    let fault = findFault(raw, head, titles.length);
    for (const [at, title] of titles.entries()) {
      const text = normaliseCell(raw.cells[at] ?? '');
      if (text === '' || !isColumn(title)) continue;
      if (cells[title] !== undefined && cells[title] !== text)
        fault ??= { column: title, fault: 'twoCells', value: text.slice(0, 60) };
      cells[title] ??= text;
      if (isDamaged && text.includes('\uFFFD'))
        fault ??= { column: title, fault: 'unreadable', value: text.slice(0, 60) };
      // Encodings differ only in letters beyond ASCII.
      if (isGuessed && /[^\0-\x7f]/.test(text))
        fault ??= { column: title, fault: 'guessedEncoding', value: `${encoding}: ${text.slice(0, 60)}` };
    }
    return { row: raw.row, line: raw.line, cells, ...(fault && { fault }) };
  });
  const { start: _, ...publicForm } = form;
  return {
    rows: rows.filter(({ cells, fault }) => fault || Object.keys(cells).length > 0),
    form: publicForm,
    hasNoKnownColumn: !titles.some(isColumn),
    unknown: titles.filter((title) => title !== '' && !isColumn(title)),
    isTooLong,
  };
}

/** Returns the reason why a row's cells cannot be assigned to columns with certainty. */
function findFault(raw: RawRow, head: RawRow | undefined, width: number): Row['fault'] {
  // After an unclosed quote in the titles, cells are no longer under their own titles.
  if (raw.hasBadQuote || head?.hasBadQuote)
    return {
      column: null,
      fault: 'openQuote',
      value: raw.lastLine > raw.line ? `${raw.line}–${raw.lastLine}` : '',
    };
  const extra = raw.cells.slice(width).filter((cell) => cell.trim() !== '');
  if (extra.length > 0) return { column: null, fault: 'extraCells', value: extra.join(', ').slice(0, 60) };
  return undefined;
}

/** Writes a product as rows of a file, one per variant; the first one carries the product's own values. */
export function createRows(
  product: Product,
  digits: number,
  fields: readonly FieldColumn[] = [],
): string[][] {
  const { id, slug, name, status, tags, description, vendor, taxCategory, seo } = product;
  const first = [slug, name, status, tags.join(', '), description];
  const last = [vendor, taxCategory, seo.title, seo.description];
  const variants: (Variant | null)[] = product.variants.length > 0 ? product.variants : [null];
  return variants.map((variant, at) => [
    ...(at === 0 ? first : [slug, '', '', '', '']),
    ...(variant
      ? [variant.name, variant.sku ?? '', writeAmount(variant.priceCents, digits), `${variant.stock}`]
      : ['', '', '', '']),
    ...variantColumns.map((column) => {
      const { field, write } = variantCells[column];
      // Older files lack these fields.
      return variant?.[field] === undefined ? '' : write(variant[field], digits);
    }),
    ...(at === 0 ? last : last.map(() => '')),
    id ?? '',
    ...fields.map(({ name, entity }) =>
      entity === 'variant'
        ? writeField(variant?.customFields?.[name])
        : writeField(at === 0 ? product.customFields?.[name] : undefined),
    ),
  ]);
}

/**
 * Plans an import by comparing a file with the existing products. A row identifies a product by its id, else by an SKU,
 * else by its slug, else by exactly the same name (`decisions.md 19.10`); any other row creates a product. An empty
 * cell changes nothing. A product with a problem is skipped; the others are written.
 */
export function planImport(
  rows: readonly Row[],
  existing: readonly Product[],
  currency: string,
  fields: readonly FieldColumn[] = [],
): { steps: Step[]; problems: RowProblem[] } {
  const identify = createMatcher(existing);
  const bySku = indexBySku(existing);
  const problems: RowProblem[] = [];
  const groups = new Map<string, Group>();
  for (const input of rows) {
    const { row, line, fault } = input;
    const match = identify(input.cells);
    if ('fault' in match) problems.push({ row, line, ...match });
    if (fault) problems.push({ row, line, ...fault });
    if ('fault' in match) continue;
    const group = groups.get(match.key) ?? { ...match, rows: [], isFaulty: false };
    group.rows.push(input);
    // An unreadable row may change its product in an unknown way, so the whole product is skipped.
    group.isFaulty ||= fault !== undefined;
    groups.set(match.key, group);
  }
  const skusOfFile = new Map<string, string>();
  const steps: Step[] = [];
  for (const [key, group] of groups) {
    const found: RowProblem[] = [];
    const step = group.isFaulty ? null : planProduct(key, group, currency, fields, found);
    for (const { row, line, cells } of group.rows) {
      if (!cells.sku) continue;
      const owner = bySku.get(cells.sku);
      const isClaimed = owner && owner !== group.product;
      if (isClaimed || (skusOfFile.get(cells.sku) ?? key) !== key)
        found.push({ row, line, column: 'sku', fault: 'skuOfAnother', value: cells.sku });
      skusOfFile.set(cells.sku, key);
    }
    if (step && found.length === 0) steps.push(step);
    problems.push(...found);
  }
  problems.sort((one, other) => one.row - other.row);
  return { steps, problems };
}

/** The product that a row refers to: an existing or a new one. */
interface ProductMatch {
  key: string;
  product: Product | undefined;
  matchedBy: MatchedBy | null;
  /** The slug of a new product, if the row gives one. */
  slug: string | undefined;
}

interface Group extends ProductMatch {
  rows: Row[];
  isFaulty: boolean;
}

const indexBySku = (existing: readonly Product[]) =>
  new Map(
    existing.flatMap((product) =>
      product.variants.flatMap(({ sku }) => (sku ? [[normaliseCell(sku), product] as const] : [])),
    ),
  );

function indexByName(existing: readonly Product[]): Map<string, Product[]> {
  const index = new Map<string, Product[]>();
  for (const product of existing) {
    const name = normaliseCell(product.name);
    const namesakes = index.get(name);
    if (namesakes) namesakes.push(product);
    else index.set(name, [product]);
  }
  return index;
}

function createMatcher(
  existing: readonly Product[],
): (cells: Cells) => ProductMatch | NonNullable<Row['fault']> {
  const byId = new Map(existing.map((product) => [product.id, product]));
  const bySlug = new Map(existing.map((product) => [product.slug, product]));
  const bySku = indexBySku(existing);
  const byName = indexByName(existing);
  const createMatch = (product: Product, matchedBy: MatchedBy): ProductMatch => ({
    key: product.slug,
    product,
    matchedBy,
    slug: undefined,
  });
  return ({ id, sku, slug, name }) => {
    const productById = id === undefined ? undefined : byId.get(id);
    if (productById) return createMatch(productById, 'id');
    const productBySku = sku === undefined ? undefined : bySku.get(sku);
    if (productBySku) return createMatch(productBySku, 'sku');
    if (slug !== undefined) {
      const productBySlug = bySlug.get(slug);
      if (productBySlug) return createMatch(productBySlug, 'slug');
      if (!isSlug(slug) || slug.length > slugMaxLength)
        return { column: 'slug', fault: 'badSlug', value: slug.slice(0, 60) };
      return { key: slug, product: undefined, matchedBy: null, slug };
    }
    if (name === undefined) return { column: null, fault: 'nothing', value: '' };
    const [first, ...others] = byName.get(name) ?? [];
    if (others.length > 0) return { column: 'name', fault: 'severalOfName', value: name.slice(0, 60) };
    if (first) return createMatch(first, 'name');
    return { key: `name:${name}`, product: undefined, matchedBy: null, slug: undefined };
  };
}

const statuses = ['draft', 'active', 'archived'] as const;
const maxLengths: Readonly<Partial<Record<Column, number>>> = {
  name: 200,
  description: 500_000,
  variant: 200,
  sku: 100,
  vendor: 200,
  'tax category': 60,
  'seo title': 200,
  'seo description': 1_000,
};

/** Reports each cell that is longer than its column allows. */
function checkLengths(group: readonly Row[], problems: RowProblem[]): void {
  for (const column of Object.keys(maxLengths) as Column[])
    for (const { row, line, cells } of group)
      if (countCharacters(cells[column] ?? '') > maxLengths[column]!)
        problems.push({ row, line, column, fault: 'tooLong', value: cells[column]!.slice(0, 60) });
}

/** The cells of one product, its stored state, and the objects that collect its changes and problems. */
interface ProductReading {
  rows: readonly Row[];
  product: Product | undefined;
  body: ProductPatch;
  changed: Set<Column>;
  problems: RowProblem[];
}

function planProduct(
  key: string,
  { rows, product, matchedBy, slug }: Group,
  currency: string,
  fields: readonly FieldColumn[],
  problems: RowProblem[],
): Step {
  const { row, line } = rows[0]!;
  checkLengths(rows, problems);
  const body: ProductPatch = {};
  const changed = new Set<Column>();
  const name = readProductCells({ rows, product, body, changed, problems });
  readCustomFields({
    fields: fields.filter(({ entity }) => entity === 'product'),
    readCell: ({ title }) => findAgreedValue(rows, title, problems),
    stored: product?.customFields,
    patch: body,
    row,
    line,
    changed,
    problems,
  });
  const variantFields = fields.filter(({ entity }) => entity === 'variant');
  const variants = planVariants(rows, product, currency, variantFields, changed, problems);
  if (variants.length > 0) body.variants = variants;
  if (changed.has('options')) body.options = mergeOptions(product?.options ?? [], variants);
  const action = product ? (changed.size > 0 ? 'change' : 'keep') : 'create';
  return {
    key,
    slug: product?.slug ?? slug ?? '',
    row,
    line,
    matchedBy,
    action,
    body: !product && slug !== undefined ? { slug, ...body } : body,
    name: name ?? product?.name ?? slug ?? '',
    id: product?.id ?? null,
    changed: [...changed],
  };
}

/** Reads the columns of a product itself, without its custom fields. Returns the name that the file gives. */
function readProductCells(reading: ProductReading): string | undefined {
  const { rows, product, body, problems } = reading;
  const { row, line } = rows[0]!;
  const name = findAgreedValue(rows, 'name', problems);
  const status = findAgreedValue(rows, 'status', problems)?.toLowerCase() as Product['status'] | undefined;
  const tags = readTags(rows, product, problems);
  const description = findAgreedValue(rows, 'description', problems);
  if (status && !statuses.includes(status))
    problems.push({ row, line, column: 'status', fault: 'badStatus', value: status });
  if (!product && !name) problems.push({ row, line, column: 'name', fault: 'noName', value: '' });

  setIfChanged(reading, 'name', 'name', name, matchesStored(name, product?.name));
  setIfChanged(reading, 'status', 'status', status, status === product?.status);
  const areTagsStored = tags?.join() === product?.tags.join();
  setIfChanged(reading, 'tags', 'tags', tags && [...new Set(tags)], areTagsStored);
  const isDescriptionStored = description !== undefined && isSameHtml(description, product?.description);
  setIfChanged(reading, 'description', 'description', description, isDescriptionStored);
  const vendor = findAgreedValue(rows, 'vendor', problems);
  setIfChanged(reading, 'vendor', 'vendor', vendor, matchesStored(vendor, product?.vendor));
  const taxCategory = findAgreedValue(rows, 'tax category', problems);
  const isTaxStored = matchesStored(taxCategory, product?.taxCategory ?? 'standard');
  setIfChanged(reading, 'tax category', 'taxCategory', taxCategory, isTaxStored);
  for (const [column, field] of [
    ['seo title', 'title'],
    ['seo description', 'description'],
  ] as const) {
    const text = findAgreedValue(rows, column, problems);
    const seo = text ? { ...body.seo, [field]: text } : undefined;
    setIfChanged(reading, column, 'seo', seo, matchesStored(text, product?.seo[field]));
  }
  return name;
}

/** Sets a field of a product if the file gives a value for it that is not stored. */
function setIfChanged<Field extends keyof ProductPatch>(
  { body, changed }: ProductReading,
  column: Column,
  field: Field,
  value: ProductPatch[Field] | undefined,
  isStored: boolean,
): void {
  if (!value || isStored) return;
  body[field] = value;
  changed.add(column);
}

/** Returns the tags that the file gives a product; undefined if it gives none, or the stored ones. */
function readTags(
  rows: readonly Row[],
  product: Product | undefined,
  problems: RowProblem[],
): string[] | undefined {
  const cell = findAgreedValue(rows, 'tags', problems);
  if (cell === undefined || matchesStored(cell, product?.tags.join(', '))) return undefined;
  const tags = cell.split(',').map((tag) => tag.trim());
  if (tags.length > 50 || tags.some((tag) => tag === '' || countCharacters(tag) > 60)) {
    const { row, line } = rows[0]!;
    problems.push({ row, line, column: 'tags', fault: 'badTags', value: cell.slice(0, 60) });
  }
  return tags;
}

/** The cells of custom fields, their stored values, and the objects that collect changes and problems. */
interface FieldReading extends Pick<Row, 'row' | 'line'> {
  fields: readonly FieldColumn[];
  readCell: (field: FieldColumn) => string | undefined;
  stored: Product['customFields'] | undefined;
  patch: Pick<ProductPatch, 'customFields'>;
  changed: Set<Column>;
  problems: RowProblem[];
}

/** Reads the cells of custom fields that differ from the stored values into `patch`. */
function readCustomFields({ fields, readCell, stored, patch, ...reading }: FieldReading): void {
  const { row, line, changed, problems } = reading;
  for (const field of fields) {
    const cell = readCell(field);
    if (cell === undefined || fieldMatchesStored(field, cell, stored?.[field.name])) continue;
    const value = readField(field, cell);
    if (value === undefined)
      problems.push({ row, line, column: field.title, fault: 'badField', value: cell.slice(0, 60) });
    else patch.customFields = { ...patch.customFields, [field.name]: value };
    changed.add(field.title);
  }
}

/** The default values of a new variant. */
const defaults: Partial<Record<VariantColumn, unknown>> = { shipping: true };

/** Returns the options of a product, extended by the names and values that its variants add. */
function mergeOptions(
  existing: Product['options'],
  variants: readonly VariantPatch[],
): { name: string; values: string[] }[] {
  const values = new Map(existing.map((option) => [option.name, new Set(option.values)]));
  for (const { options = {} } of variants)
    for (const [name, value] of Object.entries(options))
      values.set(name, (values.get(name) ?? new Set()).add(value));
  return [...values].map(([name, known]) => ({ name, values: [...known] }));
}

/**
 * Returns the value that a product's rows agree on in a column. The first row with a value decides; a different value
 * in another row is a problem.
 */
function findAgreedValue(group: readonly Row[], column: Column, problems: RowProblem[]): string | undefined {
  const first = group.find(({ cells }) => cells[column])?.cells[column];
  for (const { row, line, cells } of group)
    if (cells[column] && cells[column] !== first)
      problems.push({ row, line, column, fault: 'differs', value: cells[column].slice(0, 60) });
  return first;
}

type VariantPatch = NonNullable<ProductPatch['variants']>[number];

/** Reads the columns of a variant that have a reader of their own; what cannot be read is a problem. */
function readVariantCells(
  { row, line, cells }: Row,
  currency: string,
  problems: RowProblem[],
): Partial<Record<VariantColumn, unknown>> {
  const read: Partial<Record<VariantColumn, unknown>> = {};
  for (const column of variantColumns) {
    const text = cells[column];
    if (text === undefined) continue;
    const value = variantCells[column].read(text, currency);
    if (value === undefined)
      problems.push({ row, line, column, fault: variantCells[column].fault, value: text.slice(0, 60) });
    else read[column] = value;
  }
  return read;
}

/** Finds the variant that a row means: by its SKU, otherwise by its name or options. */
function findVariant(
  existing: Product['variants'],
  { sku, variant: name }: Row['cells'],
  choices: string | undefined,
): Product['variants'][number] | undefined {
  if (sku)
    return (
      existing.find((other) => matchesStored(sku, other.sku)) ??
      existing.find((other) => other.sku === null && isSameVariant(other, name, choices))
    );
  return (
    existing.find((other) => isSameVariant(other, name, choices)) ??
    (!name && !choices && existing.length === 1 ? existing[0] : undefined)
  );
}

/** Reads the price and the stock of a row: null, with a problem, if the cell is not a number. */
function readAmounts({ row, line, cells }: Row, currency: string, problems: RowProblem[]) {
  const priceCents = cells.price === undefined ? undefined : readAmount(cells.price, currency);
  const stock = cells.stock === undefined ? undefined : readCount(cells.stock);
  if (priceCents === null) {
    const fault = isAmbiguous(cells.price!, currency) ? 'ambiguousPrice' : 'badPrice';
    problems.push({ row, line, column: 'price', fault, value: cells.price! });
  }
  if (stock === null) {
    const fault = isAmbiguousCount(cells.stock!) ? 'ambiguousStock' : 'badStock';
    problems.push({ row, line, column: 'stock', fault, value: cells.stock! });
  }
  return { priceCents, stock };
}

/** Returns the new and changed variants, with only their changes, so that a stock that is not given stays as it is. */
function planVariants(
  group: readonly Row[],
  product: Product | undefined,
  currency: string,
  fields: readonly FieldColumn[],
  changed: Set<Column>,
  problems: RowProblem[],
): VariantPatch[] {
  const claimed = new Set<string>();
  const existing = product?.variants ?? [];
  let added = 0;
  const patches = group.flatMap(({ row, line, cells }): VariantPatch[] => {
    const { variant: name, sku } = cells;
    const read = readVariantCells({ row, line, cells }, currency, problems);
    const choices = read.options === undefined ? undefined : JSON.stringify(read.options);
    const hasFields = fields.some(({ title }) => cells[title]);
    if (!name && !sku && !cells.price && !cells.stock && !hasFields && Object.keys(read).length === 0)
      return [];
    const known = findVariant(existing, cells, choices);
    const key = known?.id ?? `${sku ?? ''}\n${name ?? ''}\n${choices ?? ''}`;
    if (claimed.has(key)) {
      problems.push({ row, line, column: sku ? 'sku' : 'variant', fault: 'twice', value: sku ?? name ?? '' });
      return [];
    }
    claimed.add(key);
    const { priceCents, stock } = readAmounts({ row, line, cells }, currency, problems);
    if (!known && priceCents === undefined)
      problems.push({ row, line, column: 'price', fault: 'noPrice', value: '' });
    if (!known) added++;
    const patch: VariantPatch = {
      ...(name !== undefined && !matchesStored(name, known?.name) && { name }),
      ...(sku !== undefined && !matchesStored(sku, known?.sku) && { sku }),
      ...(typeof priceCents === 'number' && priceCents !== known?.priceCents && { priceCents }),
      ...(typeof stock === 'number' && stock !== known?.stock && { stock }),
    };
    for (const column of variantColumns) {
      const { field } = variantCells[column];
      if (
        !(column in read) ||
        JSON.stringify(read[column]) === JSON.stringify(known ? known[field] : defaults[column])
      )
        continue;
      Object.assign(patch, { [field]: read[column] });
      changed.add(column);
    }
    readCustomFields({
      fields,
      readCell: ({ title }) => cells[title],
      stored: known?.customFields,
      patch,
      row,
      line,
      changed,
      problems,
    });
    if ('name' in patch) changed.add('variant');
    if ('sku' in patch) changed.add('sku');
    if ('priceCents' in patch) changed.add('price');
    if ('stock' in patch) changed.add('stock');
    if (known) return Object.keys(patch).length > 0 ? [{ id: known.id, ...patch }] : [];
    changed.add('variant');
    return [patch];
  });
  if (existing.length + added > productLimits.variants)
    problems.push({
      row: group[0]!.row,
      line: group[0]!.line,
      column: 'variant',
      fault: 'tooManyVariants',
      value: `${added}`,
    });
  return patches;
}

/** Whether a row without a known SKU refers to a variant: by its options if the row gives them, else by its name. */
const isSameVariant = (variant: Variant, name: string | undefined, choices: string | undefined): boolean =>
  choices !== undefined && Object.keys(variant.options).length > 0
    ? JSON.stringify(variant.options) === choices
    : matchesStored(name ?? '', variant.name);

/** Returns the request body that creates the product of a step. If the file gives no slug, the server derives one. */
export const createProductInput = ({ name, body }: Step): ProductInput => ({
  ...(body as ProductInput),
  name,
});
