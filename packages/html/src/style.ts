/** The text formatting that is kept of a `style` attribute. */
export type Mark = 'bold' | 'italic' | 'underline' | 'strike' | 'superscript' | 'subscript';

/** For each mark that a style decides, whether the text has it. */
export type Formatting = Partial<Record<Mark, boolean>>;

/** Maximum length of a `style` that is read; neither people nor editors write more for one element. */
const maxLength = 4_000;

/**
 * Returns the formatting that a style gives text: bold, italic, underlined, struck through, raised, lowered or normal.
 */
export function formattingOf(style: string): Formatting {
  const formatting: Formatting = {};
  for (const declaration of style.slice(0, maxLength).split(';')) {
    const colon = declaration.indexOf(':');
    if (colon < 0) continue;
    const property = declaration.slice(0, colon).trim().toLowerCase();
    const words = declaration
      .slice(colon + 1)
      .trim()
      .toLowerCase()
      .split(/[\s!,]+/);
    // Word writes private properties such as `mso-bidi-font-style`; only the properties of CSS carry meaning.
    if (property === 'font-weight' || property === 'font') set(formatting, 'bold', isBold(words, property));
    if (property === 'font-style' || property === 'font')
      set(formatting, 'italic', isItalic(words, property));
    if (property === 'text-decoration' || property === 'text-decoration-line') {
      set(
        formatting,
        'underline',
        words.includes('underline') || (words.includes('none') ? false : undefined),
      );
      set(
        formatting,
        'strike',
        words.includes('line-through') || (words.includes('none') ? false : undefined),
      );
    }
    if (property === 'vertical-align') {
      const isBaseline = words.includes('baseline') ? false : undefined;
      set(formatting, 'superscript', words.includes('super') || isBaseline);
      set(formatting, 'subscript', words.includes('sub') || isBaseline);
    }
  }
  return formatting;
}

function set(formatting: Formatting, mark: Mark, value: boolean | undefined): void {
  if (value !== undefined) formatting[mark] = value;
}

function isBold(words: readonly string[], property: string): boolean | undefined {
  for (const word of words) {
    if (word === 'bold' || word === 'bolder') return true;
    if (word === 'normal' || word === 'lighter') return false;
    if (/^\d{1,4}$/.test(word)) return Number(word) >= 600;
  }
  // The shorthand resets every property that it does not name.
  return property === 'font' && !isGlobal(words) ? false : undefined;
}

function isItalic(words: readonly string[], property: string): boolean | undefined {
  if (words.includes('italic') || words.includes('oblique')) return true;
  if (words.includes('normal')) return false;
  return property === 'font' && !isGlobal(words) ? false : undefined;
}

const isGlobal = (words: readonly string[]): boolean =>
  words.some((word) => ['inherit', 'initial', 'unset', 'revert', ''].includes(word));
