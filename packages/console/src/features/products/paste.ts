import { readAmount, readCount } from '@waybill/product-files';
import Papa from 'papaparse';
import { type PasteColumn, pasteColumns } from './paste-columns.ts';

export interface PastedVariant {
  name?: string;
  sku?: string | null;
  priceCents?: number;
  stock?: number;
}

export interface PasteProblem {
  /** Number of the pasted row, counted from 1. */
  row: number;
  column: PasteColumn;
  value: string;
}

/**
 * Reads tab-separated spreadsheet rows into variants, starting at the column of the cursor. A header row, whose price
 * is not a number, is skipped; empty cells change nothing.
 */
export function readPasted(
  text: string,
  from: PasteColumn,
  currency: string,
): { variants: PastedVariant[]; problems: PasteProblem[] } {
  const { data } = Papa.parse<string[]>(text.trimEnd(), {
    delimiter: '\t',
    skipEmptyLines: 'greedy',
  });
  const present = pasteColumns.slice(pasteColumns.indexOf(from));
  const problems: PasteProblem[] = [];
  const variants = data.map((cells, at): PastedVariant => {
    const variant: PastedVariant = {};
    for (const [position, column] of present.entries()) {
      const value = cells[position]?.trim();
      if (!value) continue;
      if (column === 'name' || column === 'sku') {
        if (value.length > (column === 'sku' ? 100 : 200)) problems.push({ row: at + 1, column, value });
        variant[column] = value;
        continue;
      }
      const number = column === 'stock' ? readCount(value) : readAmount(value, currency);
      if (number === null) problems.push({ row: at + 1, column, value });
      else variant[column] = number;
    }
    return variant;
  });
  const isTitled =
    data.length > 1 &&
    present.some((column) => column === 'priceCents' || column === 'stock') &&
    problems.some(({ row, value }) => row === 1 && !/\d/.test(value));
  if (!isTitled) return { variants, problems };
  return { variants: variants.slice(1), problems: problems.filter(({ row }) => row > 1) };
}
