import { isGtin, productLimits, unitMeasures } from '@waybill/contracts/product-limits';
import type { Model } from '@waybill/sdk';
import { readAmount, readCount } from './amounts.ts';
import { writeAmount } from './table.ts';

type Variant = Model<'Product'>['variants'][number];
type Options = Record<string, string>;

/** How the cell of one variant field is written and read. `read` returns undefined for a cell that it cannot read. */
interface VariantCell<Field extends keyof Variant = keyof Variant> {
  field: Field;
  fault: 'badPrice' | 'badBarcode' | 'badWeight' | 'badShipping' | 'badUnit' | 'badOptions';
  write(value: Variant[Field], digits: number): string;
  read(cell: string, currency: string): Variant[Field] | undefined;
}
const cell = <Field extends keyof Variant>(definition: VariantCell<Field>) =>
  definition as unknown as VariantCell;

/** The columns of variants other than name, SKU, price and stock. */
export const variantCells = {
  options: cell({ field: 'options', fault: 'badOptions', write: writeOptions, read: readOptions }),
  'compare at': cell({
    field: 'compareAtCents',
    fault: 'badPrice',
    write: (cents, digits) => (cents === null ? '' : writeAmount(cents, digits)),
    read: (text, currency) => readAmount(text, currency) ?? undefined,
  }),
  barcode: cell({
    field: 'barcode',
    fault: 'badBarcode',
    write: (gtin) => gtin ?? '',
    read: (text) => (isGtin(text) ? text : undefined),
  }),
  weight: cell({
    field: 'weightGrams',
    fault: 'badWeight',
    write: (grams) => (grams === null ? '' : `${grams}`),
    read(text) {
      const grams = readCount(text);
      return grams !== null && grams <= productLimits.weightGrams ? grams : undefined;
    },
  }),
  shipping: cell({
    field: 'requiresShipping',
    fault: 'badShipping',
    write: (isRequired) => (isRequired ? 'yes' : 'no'),
    read: (text) => ({ yes: true, no: false })[text.toLowerCase()],
  }),
  unit: cell({ field: 'unit', fault: 'badUnit', write: writeUnit, read: readUnit }),
} as const;
export type VariantColumn = keyof typeof variantCells;
export const variantColumns = Object.keys(variantCells) as VariantColumn[];

/** Writes options as `Size: M; Colour: Red`, with the marks within a name or value escaped by a backslash. */
function writeOptions(options: Options): string {
  const escaped = (text: string) => text.replace(/[\\:;]/g, '\\$&');
  return Object.entries(options)
    .map(([name, value]) => `${escaped(name)}: ${escaped(value)}`)
    .join('; ');
}

function readOptions(text: string): Options | undefined {
  const pairs: [string, string][] = [];
  for (const part of splitBy(text, ';')) {
    if (part.trim() === '') continue;
    const [name, value, ...more] = splitBy(part, ':').map((each) => each.replace(/\\(.)/gs, '$1').trim());
    if (!name || !value || more.length > 0) return undefined;
    pairs.push([name, value]);
  }
  const options = Object.fromEntries(pairs);
  return pairs.length > 0 && pairs.length === Object.keys(options).length ? options : undefined;
}

/** Splits a text at each mark that no backslash escapes. */
export function splitBy(text: string, mark: string): string[] {
  const parts: string[] = [];
  let part = '';
  for (let i = 0; i < text.length; i++) {
    if (text[i] === mark) {
      parts.push(part);
      part = '';
    } else {
      part += text[i];
      // A backslash escapes the next character.
      if (text[i] === '\\' && i + 1 < text.length) part += text[++i];
    }
  }
  parts.push(part);
  return parts;
}

/** Writes a unit as `100 g / 1000`: the variant's content, and the amount that the unit price refers to. */
function writeUnit(unit: Variant['unit']): string {
  return unit ? `${unit.amount} ${unit.measure} / ${unit.perAmount}` : '';
}

const amountPattern = /^\d{1,9}(\.\d{1,3})?$/;

function readUnit(text: string): Variant['unit'] | undefined {
  const [content = '', per = '', ...more] = text.split('/');
  const at = content.search(/[a-z]/);
  const measure = unitMeasures.find((each) => at >= 0 && each === content.slice(at).trim());
  const texts = [content.slice(0, Math.max(at, 0)).trim(), per.trim()];
  const [amount, perAmount] = texts.map((each) => (amountPattern.test(each) ? Number(each) : 0));
  return measure && amount && perAmount && more.length === 0 ? { amount, measure, perAmount } : undefined;
}
