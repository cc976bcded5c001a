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
type Known = { readonly mode: 'rgb'; readonly r: number; readonly g: number; readonly b: number } | undefined;

/** The look of a place at one width; members that cannot be determined are undefined. */
interface Look {
  readonly color: Known;
  readonly background: Known;
  /** Pixels. */
  readonly size: number | undefined;
  readonly isBold: boolean;
}

const breakpoints = ['base', 'tablet', 'mobile'] as const;

/** A theme's colours; unknown ones are undefined. */
type Basics = Readonly<Record<keyof Theme['colors'], Known>>;

const known = (value: string): Known => {
  const color = rgb(parse(value));
  return color && (color.alpha ?? 1) === 1 ? { mode: 'rgb', r: color.r, g: color.g, b: color.b } : undefined;
};

/** Minimum contrast of text and of large text at level AA: WCAG 2.2, 1.4.3. */
const enough = { text: 4.5, large: 3 };

/** Tracks colours down a page for each width, and finds texts with too little contrast to their background. */
export class Contrasts {
  readonly #basics: Basics;
  readonly #looks: (readonly Look[])[];

  constructor(colors: Theme['colors'] = standardTheme.colors) {
    const entries = Object.entries(colors).map(([name, value]) => [name, known(value)]);
    this.#basics = Object.fromEntries(entries) as Basics;
    const { text, background } = this.#basics;
    this.#looks = [breakpoints.map(() => ({ color: text, background, size: 16, isBold: false }))];
  }

  /** Enters an element. If the contrast is too low at some width, returns the ratio and the required one. */
  enter(node: ResolvedNode): { ratio: number; wanted: number } | undefined {
    const looks = this.#looks.at(-1)!.map((look, i) => lookOf(node, look, breakpoints[i]!, this.#basics));
    this.#looks.push(looks);
    if (!hasWords(node)) return undefined;
    let worst: { ratio: number; wanted: number } | undefined;
    for (const { color, background, size, isBold } of looks) {
      if (!color || !background) continue;
      const isLarge = size === undefined || size >= 24 || (isBold && size >= 18.66);
      const wanted = isLarge ? enough.large : enough.text;
      const ratio = wcagContrast(color, background);
      // Truncated rather than rounded: 4.499 is not 4.5.
      if (ratio < wanted && ratio < (worst?.ratio ?? Number.POSITIVE_INFINITY))
        worst = { ratio: Math.floor(ratio * 10) / 10, wanted };
    }
    return worst;
  }

  leave(): void {
    this.#looks.pop();
  }
}

function lookOf(node: ResolvedNode, above: Look, at: Breakpoint, basics: Basics): Look {
  const own = ownLook(node, above, basics);
  const color = valueAt(node.style, 'color', at);
  const background = valueAt(node.style, 'backgroundColor', at);
  const image = valueAt(node.style, 'backgroundImage', at);
  const size = valueAt(node.style, 'fontSize', at);
  const weight = valueAt(node.style, 'fontWeight', at);
  const behind = background === undefined ? own.background : over(background, own.background, basics);
  const isVeiled =
    isVeil(valueAt(node.style, 'opacity', at)) || isVeil(valueAt(node.style, 'mixBlendMode', at));
  return {
    color: isVeiled ? undefined : color === undefined ? own.color : colorOf(color, own.color, basics),
    background: isVeiled || (image !== undefined && image !== 'none') ? undefined : behind,
    size: size === undefined ? own.size : pixels(size, above.size),
    isBold: weight === undefined ? own.isBold : weight === 'bold' || Number(weight) >= 700,
  };
}

/** Returns the look that an element has of its own. */
function ownLook({ type, specials, children }: ResolvedNode, above: Look, basics: Basics): Look {
  switch (type) {
    case 'heading':
    case 'productTitle': {
      const { level } = specials;
      const size = type === 'productTitle' ? 18 : ([32, 25, 22, 18, 16, 16][level - 1] ?? 25);
      return { ...above, size, isBold: true };
    }
    case 'link':
      return children.length > 0 ? above : { ...above, color: basics.accent };
    case 'button':
    case 'addToCart':
      if (specials.variant === 'secondary') return { ...above, isBold: true };
      return specials.variant === 'plain'
        ? { ...above, color: basics.accent, isBold: true }
        : { ...above, color: basics.onPrimary, background: basics.primary, isBold: true };
    case 'text':
      if (specials.tag === 'small') return { ...above, color: basics.muted, size: 14 };
      return specials.tag === 'blockquote' ? { ...above, color: basics.muted } : above;
    default:
      return above;
  }
}

function hasWords({ type, specials }: ResolvedNode): boolean {
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
function themed(value: Json, basics: Basics): Known {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { token } = value as { token?: Json };
  const name = typeof token === 'string' ? token.replace(/^color\./, '') : '';
  return Object.hasOwn(basics, name) ? basics[name as keyof Basics] : undefined;
}

function colorOf(value: Json, inherited: Known, basics: Basics): Known {
  if (typeof value !== 'string') return themed(value, basics);
  return value === 'currentcolor' ? inherited : known(value);
}

/** Returns a colour, possibly transparent, over its background. */
function over(value: Json, behind: Known, basics: Basics): Known {
  if (typeof value !== 'string') return themed(value, basics);
  const color = rgb(parse(value));
  if (!color) return undefined;
  const alpha = color.alpha ?? 1;
  if (alpha === 1) return { mode: 'rgb', r: color.r, g: color.g, b: color.b };
  if (alpha === 0 || !behind) return alpha === 0 ? behind : undefined;
  const mixed = (front: number, back: number) => front * alpha + back * (1 - alpha);
  return {
    mode: 'rgb',
    r: mixed(color.r, behind.r),
    g: mixed(color.g, behind.g),
    b: mixed(color.b, behind.b),
  };
}

const isVeil = (value: Json | undefined) => value !== undefined && value !== 1 && value !== 'normal';

function pixels(value: Json, above: number | undefined): number | undefined {
  const [, digits, unit] = /^([\d.]+)(px|rem|em|%)$/.exec(String(value)) ?? [];
  if (unit === undefined) return undefined;
  const amount = Number(digits);
  if (unit === 'px') return amount;
  if (unit === 'rem') return amount * 16;
  return above === undefined ? undefined : (amount * above) / (unit === '%' ? 100 : 1);
}
