import {
  type Breakpoint,
  type Json,
  type PerBreakpoint,
  type ResolvedNode,
  standardTheme,
  type Theme,
} from '@waybill/page';
import { converter, modeHsl, modeLrgb, modeRgb, parse, useMode, wcagContrast } from 'culori/fn';

for (const mode of [modeRgb, modeLrgb, modeHsl]) useMode(mode);
const rgb = converter('rgb');

/** An opaque colour; undefined if it is unknown. */
type KnownColor =
  | { readonly mode: 'rgb'; readonly r: number; readonly g: number; readonly b: number }
  | undefined;

/** The look of a place at one width; members that cannot be determined are undefined. */
interface TextStyle {
  readonly color: KnownColor;
  readonly background: KnownColor;
  /** Pixels. */
  readonly size: number | undefined;
  readonly isBold: boolean;
}

const breakpoints = ['base', 'tablet', 'mobile'] as const;

/** A theme's colours; unknown ones are undefined. */
type ThemeColors = Readonly<Record<keyof Theme['colors'], KnownColor>>;

const parseColor = (value: string): KnownColor => {
  const color = rgb(parse(value));
  return color && (color.alpha ?? 1) === 1 ? { mode: 'rgb', r: color.r, g: color.g, b: color.b } : undefined;
};

/** Minimum contrast of text and of large text at level AA: WCAG 2.2, 1.4.3. */
const minRatios = { text: 4.5, large: 3 };

/** Tracks colours down a page for each width, and finds texts with too little contrast to their background. */
export class Contrasts {
  readonly #themeColors: ThemeColors;
  readonly #styles: (readonly TextStyle[])[];

  constructor(colors: Theme['colors'] = standardTheme.colors) {
    const entries = Object.entries(colors).map(([name, value]) => [name, parseColor(value)]);
    this.#themeColors = Object.fromEntries(entries) as ThemeColors;
    const { text, background } = this.#themeColors;
    this.#styles = [breakpoints.map(() => ({ color: text, background, size: 16, isBold: false }))];
  }

  /** Enters an element. If the contrast is too low at some width, returns the ratio and the required one. */
  enter(node: ResolvedNode): { ratio: number; required: number } | undefined {
    const styles = this.#styles
      .at(-1)!
      .map((style, i) => computeStyle(node, style, breakpoints[i]!, this.#themeColors));
    this.#styles.push(styles);
    if (!hasText(node)) return undefined;
    let worst: { ratio: number; required: number } | undefined;
    for (const { color, background, size, isBold } of styles) {
      if (!color || !background) continue;
      const isLarge = size === undefined || size >= 24 || (isBold && size >= 18.66);
      const required = isLarge ? minRatios.large : minRatios.text;
      const ratio = wcagContrast(color, background);
      // Truncated rather than rounded: 4.499 is not 4.5.
      if (ratio < required && ratio < (worst?.ratio ?? Number.POSITIVE_INFINITY))
        worst = { ratio: Math.floor(ratio * 10) / 10, required };
    }
    return worst;
  }

  leave(): void {
    this.#styles.pop();
  }
}

function computeStyle(
  node: ResolvedNode,
  parentStyle: TextStyle,
  at: Breakpoint,
  themeColors: ThemeColors,
): TextStyle {
  const defaults = defaultStyle(node, parentStyle, themeColors);
  const color = valueAt(node.style, 'color', at);
  const background = valueAt(node.style, 'backgroundColor', at);
  const image = valueAt(node.style, 'backgroundImage', at);
  const size = valueAt(node.style, 'fontSize', at);
  const weight = valueAt(node.style, 'fontWeight', at);
  const backdrop =
    background === undefined ? defaults.background : blend(background, defaults.background, themeColors);
  const hasTranslucency =
    isTranslucent(valueAt(node.style, 'opacity', at)) ||
    isTranslucent(valueAt(node.style, 'mixBlendMode', at));
  return {
    color: hasTranslucency
      ? undefined
      : color === undefined
        ? defaults.color
        : resolveColor(color, defaults.color, themeColors),
    background: hasTranslucency || (image !== undefined && image !== 'none') ? undefined : backdrop,
    size: size === undefined ? defaults.size : pixels(size, parentStyle.size),
    isBold: weight === undefined ? defaults.isBold : weight === 'bold' || Number(weight) >= 700,
  };
}

/** Returns the look that an element has of its own. */
function defaultStyle(
  { type, specials, children }: ResolvedNode,
  parentStyle: TextStyle,
  themeColors: ThemeColors,
): TextStyle {
  switch (type) {
    case 'heading':
    case 'productTitle': {
      const { level } = specials;
      const size = type === 'productTitle' ? 18 : ([32, 25, 22, 18, 16, 16][level - 1] ?? 25);
      return { ...parentStyle, size, isBold: true };
    }
    case 'link':
      return children.length > 0 ? parentStyle : { ...parentStyle, color: themeColors.accent };
    case 'button':
    case 'addToCart':
      if (specials.variant === 'secondary') return { ...parentStyle, isBold: true };
      return specials.variant === 'plain'
        ? { ...parentStyle, color: themeColors.accent, isBold: true }
        : { ...parentStyle, color: themeColors.onPrimary, background: themeColors.primary, isBold: true };
    case 'text':
      if (specials.tag === 'small') return { ...parentStyle, color: themeColors.muted, size: 14 };
      return specials.tag === 'blockquote' ? { ...parentStyle, color: themeColors.muted } : parentStyle;
    default:
      return parentStyle;
  }
}

function hasText({ type, specials }: ResolvedNode): boolean {
  if (['field', 'select', 'checkbox', 'variantPicker'].includes(type)) return specials.label !== '';
  if (type === 'richText') return specials.doc !== undefined;
  if (type === 'list') return specials.items.some(({ text }) => text !== '');
  return ['heading', 'text', 'button', 'link', 'price', 'productTitle', 'addToCart'].includes(type)
    ? (specials.text || specials.label) !== ''
    : false;
}

/** Returns the value at a width or the next wider one; undefined for `null` or no value. */
function valueAt(values: PerBreakpoint, key: string, at: Breakpoint): Json | undefined {
  for (let i = breakpoints.indexOf(at); i >= 0; i--) {
    const own = values[breakpoints[i]!];
    if (own && Object.hasOwn(own, key)) return own[key] ?? undefined;
  }
  return undefined;
}

/** Returns the theme's colour that a value names. */
function themeColor(value: Json, themeColors: ThemeColors): KnownColor {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { token } = value as { token?: Json };
  const name = typeof token === 'string' ? token.replace(/^color\./, '') : '';
  return Object.hasOwn(themeColors, name) ? themeColors[name as keyof ThemeColors] : undefined;
}

function resolveColor(value: Json, inherited: KnownColor, themeColors: ThemeColors): KnownColor {
  if (typeof value !== 'string') return themeColor(value, themeColors);
  return value === 'currentcolor' ? inherited : parseColor(value);
}

/** Returns a colour, possibly transparent, over its background. */
function blend(value: Json, backdrop: KnownColor, themeColors: ThemeColors): KnownColor {
  if (typeof value !== 'string') return themeColor(value, themeColors);
  const color = rgb(parse(value));
  if (!color) return undefined;
  const alpha = color.alpha ?? 1;
  if (alpha === 1) return { mode: 'rgb', r: color.r, g: color.g, b: color.b };
  if (alpha === 0 || !backdrop) return alpha === 0 ? backdrop : undefined;
  const mixed = (front: number, back: number) => front * alpha + back * (1 - alpha);
  return {
    mode: 'rgb',
    r: mixed(color.r, backdrop.r),
    g: mixed(color.g, backdrop.g),
    b: mixed(color.b, backdrop.b),
  };
}

const isTranslucent = (value: Json | undefined) => value !== undefined && value !== 1 && value !== 'normal';

function pixels(value: Json, parentSize: number | undefined): number | undefined {
  const [, digits, unit] = /^([\d.]+)(px|rem|em|%)$/.exec(String(value)) ?? [];
  if (unit === undefined) return undefined;
  const amount = Number(digits);
  if (unit === 'px') return amount;
  if (unit === 'rem') return amount * 16;
  return parentSize === undefined ? undefined : (amount * parentSize) / (unit === '%' ? 100 : 1);
}
