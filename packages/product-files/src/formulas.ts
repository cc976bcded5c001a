/** Characters that make spreadsheets take a cell for a formula (OWASP, CSV injection). */
const signs = '=+\\-@＝＋－＠';

/** White space at the front counts as a sign, because spreadsheets skip it. */
const atFront = new RegExp(`^(?=[ ']*[${signs}\\t\\r\\n])`);
/**
 * A spreadsheet may split at a separator other than the file's, and then starts a cell after each of these characters.
 */
const inside = new RegExp(`([;|\\t\\r\\n] *)(?='*[${signs}])`, 'g');
const guardAtFront = new RegExp(`^'(?=[ ']*[${signs}\\t\\r\\n])`);
const guardInside = new RegExp(`([;|\\t\\r\\n] *)'(?='*[${signs}])`, 'g');

/**
 * Writes an apostrophe before any text that a spreadsheet would run; `withoutGuards` removes it again. The first cell
 * of a row is quoted from the start of its line, so no separator splits it there: the text after its leading line ends
 * stays as it is.
 */
export function neutralise(cell: string, isFirst: boolean): string {
  const front = atFront.test(cell) ? "'" : '';
  const [lead] = isFirst ? /^[\t\r\n ]*/.exec(cell)! : [''];
  const rest = cell.slice(lead.length);
  // Without a second one, an apostrophe that is part of the text itself would be removed on import.
  const extraGuard = /[\t\r\n] *$/.test(lead) && guardAtFront.test(rest) ? "'" : '';
  return front + lead + extraGuard + rest.replace(inside, "$1'");
}

/** Removes the apostrophes that an export writes. */
export const withoutGuards = (cell: string): string =>
  cell.replace(guardAtFront, '').replace(guardInside, '$1');
