import Papa from 'papaparse';

/** What a cell begins with that spreadsheets take for a formula, whatever comes after it, lines too (OWASP, CSV injection). */
export const formulaSigns = '[=+\\-@\\t\\r\\n＝＋－＠]';
const escapeFormulae = new RegExp(`^${formulaSigns}`);

/** Rows as a file: quoted where they must be, and nothing that a spreadsheet would run. */
export const writeTable = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  `\uFEFF${Papa.unparse({ fields: [...titles], data: rows as string[][] }, { escapeFormulae, newline: '\r\n' })}\r\n`;

/** An amount as any spreadsheet reads it: `12.50`. */
export const writeAmount = (cents: number, digits: number): string => (cents / 10 ** digits).toFixed(digits);
