/**
 * An amount as people and spreadsheets write it (`12.5`, `12,50 €`, `1.234,50`, `CHF 1'200.00`), in the minor unit of a
 * currency with that many digits. Null: it cannot be told what is meant. Three digits behind a lone mark are thousands,
 * unless a nought stands before it or the currency itself has three.
 */
export function readAmount(text: string, digits: number): number | null {
  const bare = text.replace(/[\s'’\p{Sc}]|^[A-Za-z]{3}(?=[\d\s])|(?<=[\d\s])[A-Za-z]{3}$/gu, '');
  if (!/^\d[\d.,]*$/.test(bare)) return null;
  const at = Math.max(bare.lastIndexOf('.'), bare.lastIndexOf(','));
  const fraction = at < 0 ? '' : bare.slice(at + 1);
  const isFraction = at >= 0 && fraction.length > 0 && fraction.length <= digits && !isRepeated(bare, at);
  const whole = isFraction ? bare.slice(0, at) : bare;
  if (!/^(\d+|[1-9]\d{0,2}(\.\d{3})+|[1-9]\d{0,2}(,\d{3})+)$/.test(whole)) return null;
  // The mark between thousands is not the one before the fraction.
  if (isFraction && whole.includes(bare[at]!)) return null;
  const minor = `${whole.replace(/[.,]/g, '')}${(isFraction ? fraction : '').padEnd(digits, '0')}`;
  return Number(minor) <= maxCents ? Number(minor) : null;
}

/** Of a price: `decisions.md 1.2`. */
const maxCents = 1_000_000_000_000;

/** Of a variant's stock. */
const maxStock = 1_000_000_000;

const isRepeated = (text: string, at: number) => text.indexOf(text[at]!) !== at;

/** A number of pieces, not negative. Null: it is none. */
export function readCount(text: string): number | null {
  const bare = text.replace(/\s/g, '');
  if (!/^(\d+|[1-9]\d{0,2}([.,]\d{3})+)$/.test(bare)) return null;
  const count = Number(bare.replace(/[.,]/g, ''));
  return count <= maxStock ? count : null;
}
