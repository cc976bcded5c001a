import type { ResolvedNode } from '../resolved.ts';

/**
 * Adapts values made for wider screens to a telephone, unless the page sets values for telephones. Widths are limited
 * to the available space, columns wrap before they are too narrow to read, and large type and wide paddings shrink with
 * the screen. Values set for telephones never reach these rules.
 */

/** The narrowest width at which text is readable; below it columns wrap. */
const readableWidth = 'min(100%, 14rem)';
/** The same for pictures. */
export const visibleWidth = '8.5rem';

/** CSS properties and their values. */
type Css = Readonly<Record<string, string>>;
type Rule = (value: string, property: string, node: ResolvedNode) => Css | undefined;

const pixelsPerUnit: Readonly<Record<string, number>> = { px: 1, rem: 16, em: 16, ch: 8 };

/** Returns a length in pixels; undefined for one that depends on something else. */
function pixels(value: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?|\.\d+)(px|rem|em|ch)$/.exec(value) ?? [];
  return number === undefined ? undefined : Number(number) * pixelsPerUnit[unit]!;
}

function percentage(value: string): number | undefined {
  if (value === '0') return 0;
  return value.endsWith('%') ? Number(value.slice(0, -1)) : undefined;
}

/**
 * Limits a value to a share of the screen's width if it exceeds this many pixels, or this percentage of its container.
 */
const limitTo =
  (share: string, px: number, percent = Number.POSITIVE_INFINITY): Rule =>
  (value, property) =>
    (pixels(value) ?? 0) > px || (percentage(value) ?? 0) > percent
      ? { [property]: `min(${value}, ${share})` }
      : undefined;

const limitHorizontal = limitTo('8vw', 32, 10);
const limitVertical = limitTo('16vw', 64);

const smallTypes = new Set(['icon', 'button', 'addToCart', 'cartButton', 'spacer', 'divider', 'checkbox']);
const pictureTypes = new Set(['image', 'productImage', 'articleImage', 'icon']);
/** Elements whose height is not given by content inside them. */
const typesWithoutContent = new Set([
  ...pictureTypes,
  'video',
  'embed',
  'gallery',
  'productGallery',
  'spacer',
  'divider',
]);

/** Limits a width to its container; a share of the container is never less than can be read. */
const width: Rule = (value, property, { type }) => {
  if (/(?:vw|px|rem|em|ch)$/.test(value)) return { [property]: `min(${value}, 100%)` };
  const share = percentage(value);
  const isColumn = share !== undefined && share < 100 && (share >= 25 || property === 'flex-basis');
  return isColumn && !smallTypes.has(type)
    ? { [property]: value === '0' ? readableWidth : `max(${value}, ${readableWidth})`, 'flex-grow': '1' }
    : undefined;
};

const allowWrapping: Rule = (value, property, { style }) => {
  const isCut = (['base', 'tablet'] as const).some((at) => style[at]?.overflowX !== undefined);
  return value === 'nowrap' && !isCut
    ? { [property]: property === 'white-space' ? 'normal' : 'wrap' }
    : undefined;
};

const spans: Rule = (value) =>
  value === 'auto' || value === 'span 1'
    ? undefined
    : /^span|^-/.test(value)
      ? { 'grid-column-start': '1', 'grid-column-end': '-1' }
      : { 'grid-column-start': 'auto', 'grid-column-end': 'auto' };

const rules: Readonly<Record<string, Rule>> = {
  width,
  minWidth: width,
  flexBasis: width,
  height: (value, property, { type }) =>
    (pixels(value) ?? 0) > 96 && !typesWithoutContent.has(type)
      ? { [property]: 'auto', 'min-height': value }
      : undefined,
  left: limitHorizontal,
  right: limitHorizontal,
  marginLeft: limitHorizontal,
  marginRight: limitHorizontal,
  paddingLeft: limitHorizontal,
  paddingRight: limitHorizontal,
  columnGap: limitHorizontal,
  marginTop: limitVertical,
  marginBottom: limitVertical,
  paddingTop: limitVertical,
  paddingBottom: limitVertical,
  rowGap: limitVertical,
  fontSize: limitTo('13vw', 40),
  lineHeight: limitTo('16vw', 48),
  whiteSpace: allowWrapping,
  textWrap: allowWrapping,
  gridTemplateColumns: (value, property, node) =>
    value === 'none' ? undefined : { [property]: `repeat(auto-fill, minmax(${columnWidth(node)}, 1fr))` },
  gridTemplateRows: (_value, property) => ({ [property]: 'none' }),
  gridAutoFlow: (value, property) => (value.includes('column') ? { [property]: 'row' } : undefined),
  gridColumnStart: spans,
  gridColumnEnd: spans,
  gridRowStart: () => ({ 'grid-row-start': 'auto' }),
  gridRowEnd: () => ({ 'grid-row-end': 'auto' }),
};

/** Returns the CSS that a telephone uses for an inherited value of a style key; undefined to keep the value. */
export function narrowed(
  node: ResolvedNode,
  key: string,
  property: string,
  css: string | undefined,
): Css | undefined {
  return css !== undefined && Object.hasOwn(rules, key) ? rules[key]!(css, property, node) : undefined;
}

/** Returns the minimum width of a column of a node's children: less for pictures and products than for text. */
export function columnWidth({ type, children }: ResolvedNode): string {
  const isOfPictures =
    type === 'gallery' ||
    type === 'productGallery' ||
    type === 'productList' ||
    (children.length > 0 &&
      children.every((child) => pictureTypes.has(child.type) || child.type === 'product'));
  return isOfPictures ? visibleWidth : readableWidth;
}
