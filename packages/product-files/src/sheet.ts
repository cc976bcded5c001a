import type { DecodedFile } from './encoding.ts';
import { withoutGuards } from './formulas.ts';
import { detectForm, readRows } from './read-table.ts';

/** A row with its cells by column; a cell is empty if the file lacks the column. */
export interface SheetRow<Column extends string> {
  /** The line on which it begins, counted as text editors do. */
  line: number;
  /** The line on which it ends. */
  lastLine: number;
  /** Whether a quote of the row, or of the titles, does not end where its cell does, so that its cells are uncertain. */
  hasBadQuote: boolean;
  cells: Readonly<Record<Column, string>>;
}

export interface Sheet<Column extends string> {
  rows: readonly SheetRow<Column>[];
  /** Columns that no title names. */
  missing: readonly Column[];
  /** Whether it has more rows than are read. */
  isTooLong: boolean;
}

/** Reads a file of known columns, each of which may have one of several titles, in any case and order. */
export function readSheet<Column extends string>(
  { text }: Pick<DecodedFile, 'text'>,
  titles: Readonly<Record<Column, readonly string[]>>,
  maxRows: number,
): Sheet<Column> {
  const columns = Object.keys(titles) as Column[];
  const form = detectForm(text, new Set(columns.flatMap((column) => titles[column])));
  const [head, ...rows] = readRows(text, form, maxRows + 2);
  const headTitles = (head?.cells ?? []).map((title) => title.trim().toLowerCase());
  const columnIndexes = columns.map(
    (column) => [column, headTitles.findIndex((title) => titles[column].includes(title))] as const,
  );
  const filled = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  return {
    rows: filled.slice(0, maxRows).map(({ line, lastLine, hasBadQuote, cells }) => ({
      line,
      lastLine,
      hasBadQuote: hasBadQuote || head!.hasBadQuote,
      cells: Object.fromEntries(
        columnIndexes.map(([column, index]) => [column, withoutGuards(cells[index] ?? '').trim()]),
      ) as Record<Column, string>,
    })),
    missing: columnIndexes.flatMap(([column, index]) => (index < 0 ? [column] : [])),
    isTooLong: filled.length > maxRows,
  };
}
