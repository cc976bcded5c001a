/** The text formatting that is kept of a `style` attribute. */
export type Mark = 'bold' | 'italic' | 'underline' | 'strike' | 'superscript' | 'subscript';

/** For each mark that a style decides, whether the text has it. */
export type Formatting = Partial<Record<Mark, boolean>>;

/** Maximum length of a `style` that is read; neither people nor editors write more for one element. */
const maxLength = 4_000;

/**
 * Returns the formatting that a style gives text: bold, italic, underlined, struck through, raised, lowered or normal.
 */
export function parseFormatting(style: string): Formatting {
  const formatting: Formatting = {};
  for (const declaration of style.slice(0, maxLength).split(';')) {
    const colon = declaration.indexOf(':');
    if (colon < 0) continue;
    const property = declaration.slice(0, colon).trim().toLowerCase();
    const values = declaration
      .slice(colon + 1)
      .trim()
      .toLowerCase()
      .split(/[\s!,]+/);
    // Word writes private properties such as `mso-bidi-font-style`; only the properties of CSS carry meaning.
    if (property === 'font-weight' || property === 'font')
      setMark(formatting, 'bold', isBold(values, property));
    if (property === 'font-style' || property === 'font')
      setMark(formatting, 'italic', isItalic(values, property));
    if (property === 'text-decoration' || property === 'text-decoration-line') {
      setMark(
        formatting,
        'underline',
        values.includes('underline') || (values.includes('none') ? false : undefined),
      );
      setMark(
        formatting,
        'strike',
        values.includes('line-through') || (values.includes('none') ? false : undefined),
      );
    }
    if (property === 'vertical-align') {
      const isBaseline = values.includes('baseline') ? false : undefined;
      setMark(formatting, 'superscript', values.includes('super') || isBaseline);
      setMark(formatting, 'subscript', values.includes('sub') || isBaseline);
    }
  }
  return formatting;
}

function setMark(formatting: Formatting, mark: Mark, value: boolean | undefined): void {
  if (value !== undefined) formatting[mark] = value;
}

function isBold(values: readonly string[], property: string): boolean | undefined {
  for (const word of values) {
    if (word === 'bold' || word === 'bolder') return true;
    if (word === 'normal' || word === 'lighter') return false;
    if (/^\d{1,4}$/.test(word)) return Number(word) >= 600;
  }
  // The shorthand resets every property that it does not name.
  return property === 'font' && !isGlobal(values) ? false : undefined;
}

function isItalic(values: readonly string[], property: string): boolean | undefined {
  if (values.includes('italic') || values.includes('oblique')) return true;
  if (values.includes('normal')) return false;
  return property === 'font' && !isGlobal(values) ? false : undefined;
}

const isGlobal = (values: readonly string[]): boolean =>
  values.some((word) => ['inherit', 'initial', 'unset', 'revert', ''].includes(word));
