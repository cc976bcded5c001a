import Papa from 'papaparse';

/** The detected format of a file. */
export interface FileForm {
  separator: string;
  quote: string;
  lineEnd: 'CRLF' | 'LF' | 'CR' | 'mixed';
  /** Whether its first line names the separator, as some spreadsheets write it. */
  hasSepLine: boolean;
}

/** A row in its raw form. */
export interface RawRow {
  cells: string[];
  /** Counted as a spreadsheet does: the titles are row 1. */
  row: number;
  /** First line of the row in the file, counted as text editors do. */
  line: number;
  lastLine: number;
  /** Whether a quote never ends, or ends within a cell. */
  hasBadQuote: boolean;
}

const separators = [',', ';', '\t', '|'];

/** Detects a file's format from the titles in its first row: the format that yields the most known titles wins. */
export function detectForm(text: string, known: ReadonlySet<string>): FileForm & { start: number } {
  const sep = /^\uFEFF?sep=(.)(?:\r\n|\r|\n|$)/i.exec(text);
  const start = sep ? sep[0].length : text.startsWith('\uFEFF') ? 1 : 0;
  const head = text.slice(start, start + 20_000);
  const quote = /^\s*'[^'\r\n]*'\s*(?:[,;|\t\r\n]|$)/.test(head) ? "'" : '"';
  const countTitles = (separator: string) => {
    const { data } = Papa.parse<string[]>(head, { delimiter: separator, quoteChar: quote, preview: 1 });
    const titles = data[0] ?? [];
    return titles.filter((title) => known.has(title.trim().toLowerCase())).length * 1000 + titles.length;
  };
  const found = separators.reduce((best, each) => (countTitles(each) > countTitles(best) ? each : best));
  return {
    start,
    separator: sep?.[1] ?? found,
    quote,
    lineEnd: detectLineEnd(text),
    hasSepLine: sep !== null,
  };
}

function detectLineEnd(text: string): FileForm['lineEnd'] {
  const kinds = new Set(text.match(/\r\n|\r|\n/g));
  if (kinds.size > 1) return 'mixed';
  return kinds.has('\r\n') ? 'CRLF' : kinds.has('\r') ? 'CR' : 'LF';
}

/** Returns the rows of a file including the titles, up to a maximum. */
export function readRows(text: string, form: FileForm & { start: number }, maxRows: number): RawRow[] {
  const body = text.slice(form.start);
  // A file with mixed line ends is split at each LF; a leftover CR is white space at the end of a cell.
  const newline = body.includes('\n') ? '\n' : '\r';
  const rows: RawRow[] = [];
  let at = 0;
  let line = form.hasSepLine ? 2 : 1;
  Papa.parse<string[]>(body, {
    delimiter: form.separator,
    quoteChar: form.quote,
    newline,
    fastMode: false,
    step({ data, errors, meta }, parser) {
      const next = line + countOccurrences(body.slice(at, meta.cursor), newline);
      const hasBadQuote = errors.some(({ type }) => type === 'Quotes');
      const lastLine = Math.max(
        line,
        meta.cursor >= body.length && !body.endsWith(newline) ? next : next - 1,
      );
      rows.push({ cells: data, row: rows.length + 1, line, lastLine, hasBadQuote });
      at = meta.cursor;
      line = next;
      if (rows.length >= maxRows) parser.abort();
    },
  });
  return rows;
}

function countOccurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) count++;
  return count;
}
