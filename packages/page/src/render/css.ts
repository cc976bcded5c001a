import { isOfType } from '../check/values.ts';
import type { FocalPoint } from '../facts.ts';
import { valueAt } from '../layers.ts';
import { type Breakpoint, breakpoints, type Json, type PerBreakpoint } from '../model.ts';
import type { ResolvedNode } from '../resolved.ts';
import { safeMediaUrl } from '../url.ts';
import { configKeys } from '../vocabulary/config.ts';
import { styleKeys } from '../vocabulary/style.ts';
import type { ValueType } from '../vocabulary/types.ts';
import { columnWidth, narrowed, visibleWidth } from './narrow.ts';

/** CSS declarations by property, in the order they are written. */
type Declarations = Map<string, string>;

const media: Record<Breakpoint, string> = {
  base: '',
  tablet: '@media (max-width: 991px)',
  mobile: '@media (max-width: 639px)',
};

/** The CSS property of a style key, and its position in the order. */
interface Property {
  readonly key: string;
  readonly name: string;
  readonly ordinal: number;
  readonly type: ValueType;
  /** The CSS of values seen before, null for invalid ones. Pages repeat the same few values. */
  readonly cache: Map<string | number, string | null>;
}

const properties: ReadonlyMap<string, Property> = new Map(
  Object.entries(styleKeys).map(([key, type], ordinal) => {
    const name = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return [key, { key, name, ordinal, type, cache: new Map() }];
  }),
);
const maxCachedValues = 500;

/** Checks a value and returns it as CSS; null if it is not of the key's type. */
function toCss({ type, cache }: Property, value: Json): string | null {
  if (typeof value !== 'string' && typeof value !== 'number')
    return isOfType(type, value) ? cssValue(value) : null;
  let css = cache.get(value);
  if (css === undefined) {
    css = isOfType(type, value) ? cssValue(value) : null;
    if (cache.size >= maxCachedValues) cache.clear();
    cache.set(value, css);
  }
  return css;
}

/** Returns the properties that a style sets at any width, in the order they are written. */
function propertiesIn(style: PerBreakpoint): Property[] {
  const found = new Set<Property>();
  for (const at of breakpoints) {
    for (const key of Object.keys(style[at] ?? {})) {
      const property = properties.get(key);
      if (property) found.add(property);
    }
  }
  return [...found].sort((a, b) => a.ordinal - b.ordinal);
}

/** The page's own rules: base, then tablet, then mobile, each in the order of the nodes. */
export class StyleSheet {
  readonly #rules: Record<Breakpoint, string> = { base: '', tablet: '', mobile: '' };

  /** Adds a node's rules; returns whether there are any. */
  add(selector: string, node: ResolvedNode): boolean {
    const own = propertiesIn(node.style);
    const hasOwn = this.#writeRules(selector, (at) => ownDeclarations(node, own, at));
    if (canWrap(node) && node.children.some(({ type }) => type === 'icon'))
      this.#rules.mobile += `${selector}>.wb-icon+*{max-width:calc(100% - 4rem);}\n`;
    if (!typesWithRatio.has(node.type) || !(hasValues(node.config) || hasFocalPoints(node))) return hasOwn;
    const pictures = `${selector}:is(img,video),${selector} :is(img,iframe)`;
    const hasPictures = this.#writeRules(pictures, (at) => pictureDeclarations(node, at));
    return this.#addItems(selector, node) || hasPictures || hasOwn;
  }

  /** Adds rules for a gallery, which crops each of its pictures around a point of its own. */
  #addItems(selector: string, { type, specials }: ResolvedNode): boolean {
    if (type !== 'gallery' && type !== 'productGallery') return false;
    const points = specials.items.filter(({ src }) => src).map(({ src }) => src!.focalPoint);
    for (const [i, point] of points.entries()) {
      if (!point) continue;
      const item = `${selector}>li:nth-child(${i + 1}) img`;
      this.#rules.base += `${item}{object-position:${toPosition(point)};}\n`;
    }
    return points.some((point) => point);
  }

  /** Length of the rules in characters. */
  get length(): number {
    const { base, tablet, mobile } = this.#rules;
    return base.length + tablet.length + mobile.length;
  }

  toString(): string {
    return breakpoints
      .filter((breakpoint) => this.#rules[breakpoint] !== '')
      .map((breakpoint) => {
        const rules = this.#rules[breakpoint];
        return media[breakpoint] === '' ? rules : `${media[breakpoint]}{\n${rules}}\n`;
      })
      .join('');
  }

  #writeRules(selector: string, declarationsAt: (at: Breakpoint) => Declarations): boolean {
    let wider: Declarations = new Map();
    let isAny = false;
    for (const breakpoint of breakpoints) {
      const own = declarationsAt(breakpoint);
      const text = difference(wider, own);
      if (text !== '') this.#rules[breakpoint] += `${selector}{${text}}\n`;
      isAny ||= text !== '';
      wider = own;
    }
    return isAny;
  }
}

/**
 * Returns the declarations needed on top of the wider ones; a property that is no longer set falls back to the base
 * sheet.
 */
function difference(wider: Declarations, own: Declarations): string {
  let text = '';
  for (const property of wider.keys()) if (!own.has(property)) text += `${property}:revert-layer;`;
  for (const [property, value] of own) {
    if (wider.get(property) !== value) text += `${property}:${value};`;
  }
  return text;
}

function ownDeclarations(node: ResolvedNode, own: readonly Property[], at: Breakpoint): Declarations {
  const { style, config } = node;
  const found: Declarations = new Map();
  declareLayout(node, at, found);
  for (const property of own) {
    const value = valueAt(style, property.key, at);
    const css = value === undefined ? null : toCss(property, value);
    if (css !== null) found.set(property.name, css);
  }
  if (at === 'mobile') addNarrowRules(node, own, found);
  if (configAt(config, 'hidden', at) === true) found.set('display', 'none');
  return found;
}

/** Replaces values made for wider screens by those that suit a telephone. */
function addNarrowRules(node: ResolvedNode, own: readonly Property[], found: Declarations): void {
  const { style } = node;
  for (const { key, name } of own) {
    if (isSetAt(style, key, 'mobile')) continue;
    const instead = narrowed(node, key, name, found.get(name));
    for (const [property, value] of Object.entries(instead ?? {})) {
      const others = own.find((each) => each.name === property && each.key !== key);
      if (!others || !isSetAt(style, others.key, 'mobile')) found.set(property, value);
    }
  }
  if (canWrap(node)) found.set('flex-wrap', 'wrap');
}

/** Whether a row of a wider screen wraps onto several lines on a telephone. */
function canWrap({ type, style, config }: ResolvedNode): boolean {
  const isStack = type === 'stack' || type === 'product';
  const display = valueAt(style, 'display', 'mobile');
  const isFlex = display === undefined ? isStack : display === 'flex' || display === 'inline-flex';
  if (!isFlex || configAt(config, 'collapse', 'mobile') === true) return false;
  if (isSetAt(config, 'direction', 'mobile')) return false;
  if (['flexDirection', 'flexWrap'].some((key) => isSetAt(style, key, 'mobile'))) return false;
  const direction =
    valueAt(style, 'flexDirection', 'mobile') ??
    (isStack ? (configAt(config, 'direction', 'mobile') ?? 'column') : 'row');
  return String(direction).startsWith('row');
}

/** Whether a node may have rules at all; most have none. */
export function hasStyle(node: ResolvedNode): boolean {
  return hasValues(node.style) || hasValues(node.config) || hasFocalPoints(node);
}

/** Whether a node's pictures are cropped around points of their own. */
export function hasFocalPoints({ type, specials }: ResolvedNode): boolean {
  if (!typesWithRatio.has(type)) return false;
  return specials.src?.focalPoint !== undefined || specials.items.some(({ src }) => src?.focalPoint);
}

function hasValues(values: PerBreakpoint): boolean {
  for (const at of breakpoints) for (const _ in values[at]) return true;
  return false;
}

function configAt(config: PerBreakpoint, key: string, at: Breakpoint): Json | undefined {
  const value = valueAt(config, key, at);
  return value !== undefined && isOfType(configKeys[key]!, value) ? value : undefined;
}

function isSetAt(config: PerBreakpoint, key: string, at: Breakpoint): boolean {
  return (config[at]?.[key] ?? null) !== null;
}

const columnsKeys: Readonly<Record<string, 'columns' | 'perRow'>> = {
  grid: 'columns',
  productList: 'columns',
  articleList: 'columns',
  gallery: 'perRow',
  productGallery: 'perRow',
};

function declareLayout(node: ResolvedNode, at: Breakpoint, found: Declarations): void {
  const { type, config } = node;
  const columnsKey = columnsKeys[type];
  const columns = columnsKey && configAt(config, columnsKey, at);
  if (columns !== undefined) {
    // A number that a narrow screen inherits is a maximum: columns never get too narrow to read.
    const isExact = at === 'base' || isSetAt(config, columnsKey!, at);
    const readable = at === 'mobile' ? columnWidth(node) : visibleWidth;
    const minWidth = `max(${readable}, calc(100% / ${columns} - var(--wb-gap)))`;
    found.set(
      'grid-template-columns',
      isExact ? `repeat(${columns}, minmax(0, 1fr))` : `repeat(auto-fill, minmax(${minWidth}, 1fr))`,
    );
  }
  if (type !== 'stack' && type !== 'product') return;
  const direction = configAt(config, 'direction', at);
  if (direction !== undefined) found.set('flex-direction', String(direction));
  const collapses = at === 'mobile' || (at === 'tablet' && isSetAt(config, 'collapse', at));
  if (collapses && configAt(config, 'collapse', at) === true) found.set('flex-direction', 'column');
}

const typesWithRatio = new Set([
  'image',
  'productImage',
  'articleImage',
  'video',
  'embed',
  'gallery',
  'productGallery',
]);

/** Returns the declarations of a node's picture, which may be inside a figure or a link. */
function pictureDeclarations({ type, config, style, specials }: ResolvedNode, at: Breakpoint): Declarations {
  const ratio = configAt(config, 'ratio', at);
  const found: Declarations = new Map();
  const hasRatio = ratio !== undefined && ratio !== 'auto';
  if (hasRatio) {
    found.set('width', '100%');
    found.set('aspect-ratio', String(ratio));
    found.set('object-fit', 'cover');
  }
  const fit = hasRatio ? 'cover' : (valueAt(style, 'objectFit', at) ?? defaultFit[type]);
  const isCropped = fit === 'cover' || fit === 'none';
  const point = specials.src?.focalPoint;
  // The page's own value takes precedence.
  if (point && isCropped && valueAt(style, 'objectPosition', at) === undefined) {
    found.set('object-position', toPosition(point));
  }
  return found;
}

/** The fit of pictures that the base sheet crops. */
const defaultFit: Readonly<Record<string, string>> = { productImage: 'cover' };

const toPosition = ({ x, y }: FocalPoint): string => `${cssNumber(x * 100)}% ${cssNumber(y * 100)}%`;

function cssValue(value: Json): string | null {
  if (typeof value === 'number') return cssNumber(value);
  if (typeof value === 'string') return value;
  const { token, src } = value as { token?: Json; src?: Json };
  if (typeof token === 'string') return `var(${tokenProperty(token)})`;
  const url = safeMediaUrl(String(src ?? ''));
  if (url === undefined) return null;
  return `url("${url.replace(/['(){};|^*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)}")`;
}

/**
 * Returns the custom property for a token's value in a theme's style sheet: `--wb-color-on-primary` for
 * `color.onPrimary`.
 */
export function tokenProperty(token: string): string {
  return `--wb-${token.replace('.', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Formats a number for CSS: no exponent, at most four decimals, never `-0`. */
function cssNumber(value: number): string {
  return String(Math.round(value * 10_000) / 10_000 + 0);
}
