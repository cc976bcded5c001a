import { decimalAmount } from '@waybill/contracts/currencies';
import Papa from 'papaparse';
import { neutralise } from './formulas.ts';

/** Rows as a file: quoted where they must be, and nothing that a spreadsheet would run. */
export function writeTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const safe = rows.map((cells) => cells.map((cell, at) => neutralise(cell, at === 0)));
  return `\uFEFF${Papa.unparse({ fields: [...titles], data: safe }, { newline: '\r\n', quotes: isQuoted })}\r\n`;
}

/** The separators of other spreadsheets are quoted, too. */
const isQuoted = (cell: unknown): boolean => typeof cell === 'string' && /^'|[;|\t\r\n,"]|^\s|\s$/.test(cell);

/** An amount as any spreadsheet reads it: `12.50`. */
export const writeAmount = (cents: number, digits: number): string => decimalAmount(cents, digits);
