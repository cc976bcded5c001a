import { createHash } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import {
  codePages,
  columns,
  createProductInput,
  createRows,
  currencyExponent,
  decode,
  decodeFile,
  type Encoding,
  type FieldColumn,
  listColumns,
  listFieldColumns,
  maxBytes,
  maxRows,
  planImport,
  type Row,
  type RowFault,
  readTable,
  type Step,
  writeTable,
} from '@waybill/product-files';
import { isWaybillError, type Model } from '@waybill/sdk';
import type { Command } from 'commander';
import { type Connection, connect, type GlobalOptions, readList } from '../connection.ts';
import { exitCodes, Failure } from '../failure.ts';
import { type Output, plain } from '../output.ts';
import type { Run } from '../run.ts';
import { abortOnSignal } from '../stopping.ts';

type Product = Model<'Product'>;
type Format = 'csv' | 'jsonl';

interface ExportOptions extends GlobalOptions {
  format?: string;
  out?: string;
}
interface ImportOptions extends GlobalOptions {
  format?: string;
  encoding?: string;
  dryRun?: boolean;
}

/** Adds the commands `products export|import`. */
export function addProducts(program: Command, run: Run): void {
  const products = program.command('products').description('Export and import products as CSV or JSON lines');

  products
    .command('export')
    .description('Export all products')
    .option(
      '--format <format>',
      'csv or jsonl; default: by the file extension, else csv; with --json and without --out, jsonl',
    )
    .option('--out <file>', 'default: standard output')
    .action(
      run(async (options: ExportOptions, output) => {
        const connection = await connect(options);
        const isJsonPrinted = output.isJson && !options.out;
        const format = parseFormat(options.format ?? (isJsonPrinted ? 'jsonl' : undefined), options.out);
        const digits = currencyExponent((await readStore(connection)).currency);
        const fields = await readFields(connection);
        const bar = createBar(output, 'Reading');
        const all = await readAll(connection, bar);
        const text =
          format === 'csv'
            ? writeTable(
                listColumns(fields),
                all.flatMap((product) => createRows(product, digits, fields)),
              )
            : all.map((product) => `${JSON.stringify(product)}\n`).join('');
        bar.end(`${all.length} products`);
        if (!options.out) return void process.stdout.write(text);
        await writeFile(options.out, text);
        output.result(
          { products: all.length, file: options.out },
          `${all.length} products in ${options.out}.`,
        );
      }),
    );

  products
    .command('import <file>')
    .description('Create and change products; an interrupted import resumes where it stopped')
    .option('--format <format>', 'csv or jsonl; default: by the file extension, else csv')
    .option(
      '--encoding <encoding>',
      `of a CSV file that does not say it: utf-8, utf-16le, utf-16be, ${codePages.join(', ')}`,
    )
    .option('--dry-run', 'report the changes without making them')
    .addHelpText(
      'after',
      `\nColumns: ${columns.join(', ')}; one row for each variant. A row means a product by its\n` +
        'id, else by an SKU, else by its slug, else by exactly its name. An empty cell changes nothing.\n' +
        ' JSON lines are products as `export` writes them.',
    )
    .action(
      run(async (options: ImportOptions, output, file) => {
        const connection = await connect(options);
        await importFile(connection, file!, options, output);
      }),
    );
}

/** Number of products written at the same time; each is independent, so none waits for another. */
const concurrency = 3;

/** Prints the problems of a file, and the products that it names without their slugs. */
function printNotes(file: string, { steps, problems }: ReturnType<typeof planImport>, output: Output): void {
  for (const { line, column, fault, value } of problems)
    output.note(
      `${file}:${line}  ${column ? `${column}: ` : ''}${faults[fault]}${value && ` (${plain(value)})`}`,
    );
  for (const { line, name, matchedBy, slug } of steps)
    if (matchedBy === 'name') output.note(`${file}:${line}  means ${slug} by its name (${plain(name)})`);
}

async function importFile(
  connection: Connection,
  file: string,
  options: ImportOptions,
  output: Output,
): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length > maxBytes) throw fileTooLarge();
  const { id: storeId, currency } = await readStore(connection);
  const fields = await readFields(connection);
  const rows =
    parseFormat(options.format, file) === 'csv'
      ? await readTableRows(bytes, options, fields, output)
      : readLineRows(bytes, currencyExponent(currency), fields);
  const journal = await openJournal(`${file}.waybill-import`, bytes, connection, storeId);
  const reading = createBar(output, 'Reading');
  const existing = await readAll(connection, reading);
  reading.end(`${existing.length} products are there`);
  const { steps, problems } = planImport(rows, existing, currency, fields);
  printNotes(file, { steps, problems }, output);
  const open = steps.filter(({ action, key }) => action !== 'keep' && !journal.done.has(key));
  const count = {
    created: 0,
    changed: 0,
    kept: steps.length - open.length,
    refused: 0,
    faulty: problems.length,
  };
  if (options.dryRun) {
    if (count.faulty > 0) process.exitCode = exitCodes.failed;
    for (const { slug, name, action, changed } of open)
      output.note(`${action}  ${slug || plain(name)}${action === 'change' ? `: ${changed.join(', ')}` : ''}`);
    return output.result(
      { ...count, wouldDo: open.map(({ slug, action }) => ({ slug, deed: action })) },
      `${open.length} products would be written; problems in the file: ${count.faulty}.`,
    );
  }

  const { signal } = abortOnSignal('SIGINT', 'SIGTERM');
  const bar = createBar(output, 'Writing', open.length);
  const queue = open.values();
  let failure: unknown = null;
  async function work(): Promise<void> {
    for (const step of queue) {
      try {
        await write(connection, step);
        journal.note(step.key);
        count[step.action === 'create' ? 'created' : 'changed']++;
      } catch (error) {
        if (!isRefusal(error)) failure ??= error;
        else {
          count.refused++;
          output.note(`${file}:${step.line}  ${step.slug || plain(step.name)}: ${error.message}`);
        }
      }
      bar.step();
      if (failure || signal.aborted) return;
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work));
  bar.end(`${count.created} created, ${count.changed} changed`);
  const remaining = open.length - count.created - count.changed - count.refused;
  if (failure || remaining > 0) output.note(`${remaining} are left; the same command goes on with them.`);
  else await journal.close();
  if (failure) throw failure;
  output.result(
    count,
    `${count.created} created, ${count.changed} changed, ${count.kept} unchanged, ` +
      `${count.refused} refused; problems in the file: ${count.faulty}.`,
  );
  if (signal.aborted) process.exitCode = exitCodes.interrupted;
  else if (count.refused + count.faulty > 0) process.exitCode = exitCodes.failed;
}

async function write({ call, storePath }: Connection, step: Step): Promise<void> {
  const path = `${await storePath()}/products`;
  if (step.id === null) await call('POST', path, createProductInput(step));
  else await call('PATCH', `${path}/${step.id}`, step.body);
}

/** Whether an error concerns only this product; any other error would hit the next product, too. */
const isRefusal = (error: unknown): error is Error =>
  isWaybillError(error) && [400, 404, 409, 413, 422].includes(error.status);

const faults: Readonly<Record<RowFault, string>> = {
  openQuote: 'has a quote that does not end where its cell does; nothing is read up to where it ends',
  extraCells: 'has more cells than the first row has titles',
  guessedEncoding: 'is in an encoding that is a guess: confirm it with --encoding',
  unreadable: 'has bytes that stand for nothing in this encoding',
  twoCells: 'stands in two columns of this title, with different texts',
  ambiguousPrice: 'may be thousands or a fraction',
  ambiguousStock: 'may be thousands or a fraction',
  severalOfName: 'is the name of several products',
  nothing: 'names no product',
  differs: 'says otherwise than a row of the same product',
  tooLong: 'is too long',
  badSlug: 'is no slug',
  badStatus: 'must be draft, active or archived',
  badTags: 'must be at most 50 tags of at most 60 characters',
  badPrice: 'is no price',
  badStock: 'is no number of pieces',
  badBarcode: 'is no GTIN with a right check digit',
  badWeight: 'is no weight in whole grams',
  badShipping: 'must be yes or no',
  badUnit: 'is no unit such as 100 g / 1000',
  badField: 'is no value of this field that can be read for certain',
  badOptions: 'must be options such as Size: M; Colour: Red',
  noName: 'a new product needs a name',
  noPrice: 'a new variant needs a price',
  twice: 'is there twice',
  skuOfAnother: 'is another product’s',
  tooManyVariants: 'a product has at most 2,048 variants',
};

const fileTooLarge = () =>
  new Failure('The file is too large.', {
    code: 'too_large',
    exitCode: exitCodes.usage,
    remedy: `At most ${maxRows} rows in ${maxBytes / 1024 / 1024} MiB: cut it in parts.`,
  });

async function readTableRows(
  bytes: Uint8Array,
  { encoding }: ImportOptions,
  fields: readonly FieldColumn[],
  output: Output,
): Promise<Row[]> {
  const decoded = await decodeFile(bytes, parseEncoding(encoding));
  const { rows, hasNoKnownColumn, unknown, isTooLong, form } = readTable(decoded, fields);
  const separator = form.separator === '\t' ? 'tabs' : `“${form.separator}”`;
  output.note(
    `Read as ${decoded.encoding}${decoded.isGuessed ? ' (a guess)' : ''}, separated by ${plain(separator)}, ` +
      `quoted by ${form.quote}, lines end with ${form.lineEnd}${form.hasSepLine ? ', after a line sep=' : ''}.`,
  );
  if (isTooLong) throw fileTooLarge();
  if (hasNoKnownColumn)
    throw new Failure('The first row names no column.', {
      code: 'no_columns',
      exitCode: exitCodes.usage,
      remedy: `Known are ${listColumns(fields).join(', ')}.`,
    });
  if (unknown.length > 0) output.note(`Passed over: ${unknown.map(plain).join(', ')}.`);
  return rows;
}

function parseEncoding(input: string | undefined): Encoding | undefined {
  const known: readonly Encoding[] = ['utf-8', 'utf-16le', 'utf-16be', ...codePages];
  const found = known.find((each) => each === input?.toLowerCase());
  if (input === undefined || found) return found;
  throw new Failure(`${plain(input)} is no encoding of a file.`, {
    code: 'usage',
    exitCode: exitCodes.usage,
    remedy: `Known are ${known.join(', ')}.`,
  });
}

/** Reads products from JSON lines as table rows, so that the same rules apply to both formats. */
function readLineRows(bytes: Uint8Array, digits: number, fields: readonly FieldColumn[]): Row[] {
  const titles = listColumns(fields);
  const lines = decode(bytes).split('\n');
  const rows = lines.flatMap((line, at): Row[] => {
    if (line.trim() === '') return [];
    let product: Partial<Product> | null = null;
    try {
      product = JSON.parse(line);
    } catch {}
    if (typeof product !== 'object' || product === null || !isProductLike(product))
      throw new Failure(`Line ${at + 1} is no product.`, {
        code: 'invalid_line',
        exitCode: exitCodes.usage,
        remedy:
          'Each line is one product as JSON, as `products export --format jsonl` writes it; no tag has a comma.',
      });
    const empty = { id: '', slug: '', name: '', status: '', tags: [], description: '', variants: [] };
    const others = { customFields: {}, vendor: '', taxCategory: '', seo: { title: '', description: '' } };
    return createRows({ ...empty, ...others, ...product } as unknown as Product, digits, fields).map(
      (cells) => ({
        row: at + 1,
        line: at + 1,
        cells: Object.fromEntries(titles.flatMap((column, i) => (cells[i] ? [[column, cells[i]]] : []))),
      }),
    );
  });
  if (rows.length > maxRows) throw fileTooLarge();
  return rows;
}

function isProductLike({ id, slug, name, status, tags, description, variants }: Partial<Product>): boolean {
  const isText = (value: unknown) => value === undefined || typeof value === 'string';
  return (
    [id, slug, name, status, description].every(isText) &&
    (tags === undefined ||
      (Array.isArray(tags) && tags.every((tag) => typeof tag === 'string' && !tag.includes(',')))) &&
    (variants === undefined ||
      (Array.isArray(variants) &&
        variants.every(
          (variant) =>
            typeof variant === 'object' &&
            variant !== null &&
            typeof variant.name === 'string' &&
            (variant.sku === null || isText(variant.sku)) &&
            Number.isSafeInteger(variant.priceCents) &&
            Number.isSafeInteger(variant.stock),
        )))
  );
}

/**
 * Opens the journal of an import: a file beside the imported one that lists the written products until the import is
 * complete. After an interruption they are not written again, even if they have been sold or changed meanwhile. A
 * journal of another file or store is ignored.
 */
async function openJournal(path: string, bytes: Uint8Array, { url }: Connection, storeId: string) {
  const head = createHash('sha256').update(`${url}\n${storeId}\n`).update(bytes).digest('hex');
  const saved = await readFile(path, 'utf8').catch(() => '');
  const [first, ...slugs] = saved.split('\n');
  let isOurs = first === head;
  return {
    // A last line that was cut off by a crash does not count, so its product is written again.
    done: new Set(isOurs ? slugs.slice(0, -1) : []),
    /** Written synchronously, because several products are written at the same time. */
    note(slug: string) {
      if (!isOurs) writeFileSync(path, `${head}\n`);
      isOurs = true;
      appendFileSync(path, `${slug}\n`);
    },
    close: () => rm(path, { force: true }),
  };
}

async function readAll({ call, storePath }: Connection, bar: Bar): Promise<Product[]> {
  const found = await readList<Product>(call, `${await storePath()}/products`, 'products');
  bar.step(found.length);
  return found;
}

/** Returns the columns of the store's custom fields; none if the credential may not read definitions. */
async function readFields({ call, storePath }: Connection): Promise<FieldColumn[]> {
  const path = `${await storePath()}/custom-fields`;
  const all = await readList<Model<'CustomField'>>(call, path, 'customFields').catch((error: unknown) => {
    if (isWaybillError(error, 'insufficient_scope') || isWaybillError(error, 'insufficient_role')) return [];
    throw error;
  });
  return listFieldColumns(all);
}

/** Returns the store that products are read from and written to; a key belongs to one, but does not name it. */
async function readStore({ call, storeId }: Connection): Promise<{ id: string; currency: string }> {
  const id = await storeId();
  const { store } = await call<{ store: { id: string; currency: string } }>(
    'GET',
    id ? `/api/stores/${id}` : '/api/v1/store',
  );
  return store;
}

function parseFormat(input: string | undefined, file: string | undefined): Format {
  const format = input ?? (/\.(jsonl|ndjson)$/.test(file ?? '') ? 'jsonl' : 'csv');
  if (format === 'csv' || format === 'jsonl') return format;
  throw new Failure(`${plain(format)} is no format.`, {
    code: 'usage',
    exitCode: exitCodes.usage,
    remedy: 'csv or jsonl.',
  });
}

interface Bar {
  step(count?: number): void;
  end(text: string): void;
}

/**
 * Shows progress on the terminal, if there is one. Not a clack bar, because clack takes Ctrl-C as the end of the
 * process and exits with 0.
 */
function createBar(output: Output, title: string, max?: number): Bar {
  if (output.isJson || !process.stderr.isTTY) return { step() {}, end() {} };
  let done = 0;
  const show = () => process.stderr.write(`\r${title}: ${done}${max === undefined ? '' : ` of ${max}`}`);
  show();
  return {
    step(count = 1) {
      done += count;
      show();
    },
    end: output.note,
  };
}
