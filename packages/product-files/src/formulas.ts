/** What a cell begins with that spreadsheets take for a formula (OWASP, CSV injection). */
const signs = '=+\\-@＝＋－＠';

/** White space at the front counts as a sign: spreadsheets pass over it. */
const atFront = new RegExp(`^(?=[ ']*[${signs}\\t\\r\\n])`);
/** A spreadsheet may split at another separator than the file has, and then begins a cell behind each of these. */
const inside = new RegExp(`([;|\\t\\r\\n] *)(?='*[${signs}])`, 'g');
const guardAtFront = new RegExp(`^'(?=[ ']*[${signs}\\t\\r\\n])`);
const guardInside = new RegExp(`([;|\\t\\r\\n] *)'(?='*[${signs}])`, 'g');

/**
 * Writes an apostrophe before whatever a spreadsheet would run; `withoutGuards` takes it off again. The first cell of a
 * row is quoted from the start of its line, so no separator splits it: what follows its leading line ends stays as it is.
 */
export function neutralise(cell: string, isFirst: boolean): string {
  const front = atFront.test(cell) ? "'" : '';
  const [lead] = isFirst ? /^[\t\r\n ]*/.exec(cell)! : [''];
  const rest = cell.slice(lead.length);
  // An apostrophe that the text itself has there would be taken off.
  const own = /[\t\r\n] *$/.test(lead) && guardAtFront.test(rest) ? "'" : '';
  return front + lead + own + rest.replace(inside, "$1'");
}

/** Takes off the apostrophes that an export writes. */
export const withoutGuards = (cell: string): string =>
  cell.replace(guardAtFront, '').replace(guardInside, '$1');
