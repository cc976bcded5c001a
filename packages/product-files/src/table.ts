import { decimalAmount } from '@waybill/contracts/currencies';
import Papa from 'papaparse';
import { neutralise } from './formulas.ts';

/** Writes rows as a file, quoted where necessary, with nothing that a spreadsheet would run. */
export function writeTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const safe = rows.map((cells) => cells.map((cell, at) => neutralise(cell, at === 0)));
  return `\uFEFF${Papa.unparse({ fields: [...titles], data: safe }, { newline: '\r\n', quotes: isQuoted })}\r\n`;
}

/** Cells with the separators of other spreadsheets are quoted, too. */
const isQuoted = (cell: unknown): boolean => typeof cell === 'string' && /^'|[;|\t\r\n,"]|^\s|\s$/.test(cell);

/** Writes an amount in a form that any spreadsheet reads: `12.50`. */
export const writeAmount = (cents: number, digits: number): string => decimalAmount(cents, digits);
