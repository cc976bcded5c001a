import { isSlug, slugMaxLength } from '@waybill/contracts/slugs';
import type { Model } from '@waybill/sdk';
import { deriveSlug } from '@waybill/slugs';
import Papa from 'papaparse';
import { readAmount, readCount } from './amounts.ts';
import { isSameHtml } from './html.ts';
import { formulaSigns, writeAmount } from './table.ts';

type Product = Model<'Product'>;
type Variant = Product['variants'][number];
type ProductInput = Model<'ProductInput'>;
type ProductPatch = Model<'ProductPatch'>;

/** The columns of a file of products; one row for each variant. */
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
] as const;
export type Column = (typeof columns)[number];
type Cells = Partial<Record<Column, string>>;

/** More than this is no list of products, or is to be cut in parts. */
export const maxRows = 50_000;
export const maxBytes = 30 * 1024 * 1024;

/** Why a row cannot be written. */
export type RowFault =
  | 'nothing'
  | 'differs'
  | 'tooLong'
  | 'badSlug'
  | 'badStatus'
  | 'badTags'
  | 'badPrice'
  | 'badStock'
  | 'noName'
  | 'noPrice'
  | 'twice'
  | 'skuOfAnother'
  | 'tooManyVariants';

export interface RowProblem {
  /** As a spreadsheet counts: the titles are row 1. */
  row: number;
  column: Column | null;
  fault: RowFault;
  value: string;
}

export interface Row {
  row: number;
  cells: Cells;
}

/** What is to be done for one product of the file. */
export interface Step {
  slug: string;
  name: string;
  /** Where it begins in the file. */
  row: number;
  deed: 'create' | 'change' | 'keep';
  /** Of a product that is there. */
  id: string | null;
  body: ProductPatch;
  /** What changes, by column; more than one variant may. */
  changed: Column[];
}

/** Spreadsheets run what begins so as a formula; an export writes an apostrophe before it, an import takes it off. */
const guard = new RegExp(`^'(?=${formulaSigns})`);
const asRead = (cell: string) => cell.trim().replace(guard, '').trim();

/** Whether a cell says what is stored: a file that nobody has touched changes nothing, whatever reading takes off. */
const says = (cell: string, stored: string | null | undefined): boolean =>
  typeof stored === 'string' && (cell === stored || cell === asRead(stored));
/** In characters, as the API counts them. */
const lengthOf = (text: string) => [...text].length;

/**
 * Reads a file of comma, semicolon or tab separated rows, the first of which names the columns. Those that nobody knows
 * are passed over and named. `store-api.md 2.2` says what the cells may hold.
 */
export function readTable(text: string): {
  rows: Row[];
  missing: boolean;
  unknown: string[];
  isTooLong: boolean;
} {
  const { data, meta } = Papa.parse<Record<string, string>>(text, {
    header: true,
    transformHeader: (title) => title.trim().toLowerCase(),
    preview: maxRows + 1,
  });
  const titles = meta.fields ?? [];
  const known = columns.filter((column) => titles.includes(column));
  const rows = data.map((cells, at): Row => {
    const given = known.flatMap((column) => {
      const text = asRead(cells[column] ?? '');
      return text === '' ? [] : [[column, text] as const];
    });
    return { row: at + 2, cells: Object.fromEntries(given) };
  });
  return {
    rows: rows.filter(({ cells }) => Object.keys(cells).length > 0).slice(0, maxRows),
    missing: known.length === 0,
    unknown: titles.filter((title) => title !== '' && !columns.includes(title as Column)),
    isTooLong: data.length > maxRows,
  };
}

/** A product as rows of a file: one for each variant, of which the first says what is the product's. */
export function rowsOf(product: Product, digits: number): string[][] {
  const { slug, name, status, tags, description } = product;
  const first = [slug, name, status, tags.join(', '), description];
  const variants: (Variant | null)[] = product.variants.length > 0 ? product.variants : [null];
  return variants.map((variant, at) => [
    ...(at === 0 ? first : [slug, '', '', '', '']),
    ...(variant
      ? [variant.name, variant.sku ?? '', writeAmount(variant.priceCents, digits), `${variant.stock}`]
      : ['', '', '', '']),
  ]);
}

/**
 * What a file asks for, compared with the products that there are. A product is known by its slug, else by an SKU that
 * it has, else by the slug that its name gives; so a file that is read again changes what it made, and makes nothing
 * twice. An empty cell changes nothing. Of a product with a problem nothing is written; the others are.
 */
export function planOf(
  rows: readonly Row[],
  present: readonly Product[],
  digits: number,
): { steps: Step[]; problems: RowProblem[] } {
  const bySlug = new Map(present.map((product) => [product.slug, product]));
  const bySku = new Map(
    present.flatMap((product) =>
      product.variants.flatMap(({ sku }) => (sku ? [[asRead(sku), product] as const] : [])),
    ),
  );
  const problems: RowProblem[] = [];
  const groups = new Map<string, Row[]>();
  for (const given of rows) {
    const { slug, sku, name } = given.cells;
    const key = slug ?? (sku && bySku.get(sku)?.slug) ?? (name && deriveSlug(name, ''));
    if (!key) problems.push({ row: given.row, column: null, fault: 'nothing', value: '' });
    else if (!isSlug(key) || key.length > slugMaxLength)
      problems.push({ row: given.row, column: slug ? 'slug' : 'name', fault: 'badSlug', value: key });
    else {
      const group = groups.get(key);
      if (group) group.push(given);
      else groups.set(key, [given]);
    }
  }
  const skusOfFile = new Map<string, string>();
  const steps: Step[] = [];
  for (const [slug, group] of groups) {
    const found: RowProblem[] = [];
    const step = stepOf(slug, group, bySlug.get(slug), digits, found);
    for (const { row, cells } of group) {
      if (!cells.sku) continue;
      const owner = bySku.get(cells.sku);
      const isTaken = owner && owner.slug !== slug;
      if (isTaken || (skusOfFile.get(cells.sku) ?? slug) !== slug)
        found.push({ row, column: 'sku', fault: 'skuOfAnother', value: cells.sku });
      skusOfFile.set(cells.sku, slug);
    }
    if (found.length === 0) steps.push(step);
    problems.push(...found);
  }
  problems.sort((one, other) => one.row - other.row);
  return { steps, problems };
}

const statuses = ['draft', 'active', 'archived'] as const;
const longest: Readonly<Partial<Record<Column, number>>> = {
  name: 200,
  description: 500_000,
  variant: 200,
  sku: 100,
};

function stepOf(
  slug: string,
  group: readonly Row[],
  product: Product | undefined,
  digits: number,
  problems: RowProblem[],
): Step {
  const row = group[0]!.row;
  for (const column of ['name', 'description', 'variant', 'sku'] as const)
    for (const { row, cells } of group)
      if (lengthOf(cells[column] ?? '') > longest[column]!)
        problems.push({ row, column, fault: 'tooLong', value: cells[column]!.slice(0, 60) });

  const name = one(group, 'name', problems);
  const status = one(group, 'status', problems)?.toLowerCase() as Product['status'] | undefined;
  const tagsCell = one(group, 'tags', problems);
  const typedTags = tagsCell && says(tagsCell, product?.tags.join(', ')) ? undefined : tagsCell;
  const description = one(group, 'description', problems);
  const tags = typedTags?.split(',').map((tag) => tag.trim());
  const isTags = !tags || (tags.length <= 50 && tags.every((tag) => tag !== '' && lengthOf(tag) <= 60));
  if (status && !statuses.includes(status))
    problems.push({ row, column: 'status', fault: 'badStatus', value: status });
  if (!isTags) problems.push({ row, column: 'tags', fault: 'badTags', value: typedTags!.slice(0, 60) });
  if (!product && !name) problems.push({ row, column: 'name', fault: 'noName', value: '' });

  const changed = new Set<Column>();
  const body: ProductPatch = {};
  const differs = (column: Column, isOther: boolean) => isOther && changed.add(column);
  if (name && differs('name', !says(name, product?.name))) body.name = name;
  if (status && differs('status', status !== product?.status)) body.status = status;
  if (tags && differs('tags', tags.join() !== product?.tags.join())) body.tags = [...new Set(tags)];
  if (description && differs('description', !isSameHtml(description, product?.description)))
    body.description = description;
  const variants = variantsOf(group, product, digits, changed, problems);
  if (variants.length > 0) body.variants = variants;
  const deed = product ? (changed.size > 0 ? 'change' : 'keep') : 'create';
  return {
    slug,
    row,
    deed,
    body,
    name: name ?? product?.name ?? slug,
    id: product?.id ?? null,
    changed: [...changed],
  };
}

/** What all rows of a product say of it: the first that says something; another that says otherwise is a problem. */
function one(group: readonly Row[], column: Column, problems: RowProblem[]): string | undefined {
  const first = group.find(({ cells }) => cells[column])?.cells[column];
  for (const { row, cells } of group)
    if (cells[column] && cells[column] !== first)
      problems.push({ row, column, fault: 'differs', value: cells[column].slice(0, 60) });
  return first;
}

type VariantPatch = NonNullable<ProductPatch['variants']>[number];

/** The variants that are new or change, with what changes of them alone: stock that is not named stays as sold. */
function variantsOf(
  group: readonly Row[],
  product: Product | undefined,
  digits: number,
  changed: Set<Column>,
  problems: RowProblem[],
): VariantPatch[] {
  const taken = new Set<string>();
  const present = product?.variants ?? [];
  let added = 0;
  const patches = group.flatMap(({ row, cells }): VariantPatch[] => {
    const { variant: name, sku } = cells;
    if (!name && !sku && !cells.price && !cells.stock) return [];
    const known = sku
      ? (present.find((other) => says(sku, other.sku)) ??
        present.find((other) => other.sku === null && says(name ?? '', other.name)))
      : (present.find((other) => says(name ?? '', other.name)) ??
        (!name && present.length === 1 ? present[0] : undefined));
    const key = known?.id ?? `${sku ?? ''}\n${name ?? ''}`;
    if (taken.has(key)) {
      problems.push({ row, column: sku ? 'sku' : 'variant', fault: 'twice', value: sku ?? name ?? '' });
      return [];
    }
    taken.add(key);
    const priceCents = cells.price === undefined ? undefined : readAmount(cells.price, digits);
    const stock = cells.stock === undefined ? undefined : readCount(cells.stock);
    if (priceCents === null) problems.push({ row, column: 'price', fault: 'badPrice', value: cells.price! });
    if (stock === null) problems.push({ row, column: 'stock', fault: 'badStock', value: cells.stock! });
    if (!known && priceCents === undefined)
      problems.push({ row, column: 'price', fault: 'noPrice', value: '' });
    if (!known) added++;
    const patch: VariantPatch = {
      ...(name !== undefined && !says(name, known?.name) && { name }),
      ...(sku !== undefined && !says(sku, known?.sku) && { sku }),
      ...(typeof priceCents === 'number' && priceCents !== known?.priceCents && { priceCents }),
      ...(typeof stock === 'number' && stock !== known?.stock && { stock }),
    };
    if ('name' in patch) changed.add('variant');
    if ('sku' in patch) changed.add('sku');
    if ('priceCents' in patch) changed.add('price');
    if ('stock' in patch) changed.add('stock');
    if (known) return Object.keys(patch).length > 0 ? [{ id: known.id, ...patch }] : [];
    changed.add('variant');
    return [patch];
  });
  if (present.length + added > 100)
    problems.push({ row: group[0]!.row, column: 'variant', fault: 'tooManyVariants', value: `${added}` });
  return patches;
}

/** What is sent to make the product of a step. */
export const inputOfStep = ({ slug, name, body }: Step): ProductInput => ({
  ...(body as ProductInput),
  slug,
  name,
});

/** A file's text, in whichever of the encodings that spreadsheets write. */
export function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
