import type { ValueKind, ValueType } from './types.ts';

/**
 * The style write keys, in the order in which their declarations are written. Each is a CSS longhand in camelCase. The
 * pattern of its values admits no `;`, `{`, `}`, `\`, `<`, quote or comment.
 */

const number = '-?(?:\\d{1,6}(?:\\.\\d{1,4})?|\\.\\d{1,4})';
const positive = '(?:\\d{1,6}(?:\\.\\d{1,4})?|\\.\\d{1,4})';
const absolute = 'px|rem|em|vw|vh|dvh|svh|ch';
const units = `(?:${absolute}|%)`;
const length = `(?:0|${number}${units})`;
const size = `(?:0|${positive}${units})`;
/** Without percentages, which some properties do not support. */
const plainLength = `(?:0|${number}(?:${absolute}))`;
const plainSize = `(?:0|${positive}(?:${absolute}))`;
const angle = `${number}(?:deg|turn|rad)`;

const colorNames =
  'transparent|currentcolor|black|silver|gray|grey|white|maroon|red|purple|fuchsia|magenta|green|lime|olive|yellow|navy|blue|teal|aqua|cyan|orange|aliceblue|antiquewhite|aquamarine|azure|beige|bisque|blanchedalmond|blueviolet|brown|burlywood|cadetblue|chartreuse|chocolate|coral|cornflowerblue|cornsilk|crimson|darkblue|darkcyan|darkgoldenrod|darkgray|darkgreen|darkgrey|darkkhaki|darkmagenta|darkolivegreen|darkorange|darkorchid|darkred|darksalmon|darkseagreen|darkslateblue|darkslategray|darkslategrey|darkturquoise|darkviolet|deeppink|deepskyblue|dimgray|dimgrey|dodgerblue|firebrick|floralwhite|forestgreen|gainsboro|ghostwhite|gold|goldenrod|greenyellow|honeydew|hotpink|indianred|indigo|ivory|khaki|lavender|lavenderblush|lawngreen|lemonchiffon|lightblue|lightcoral|lightcyan|lightgoldenrodyellow|lightgray|lightgreen|lightgrey|lightpink|lightsalmon|lightseagreen|lightskyblue|lightslategray|lightslategrey|lightsteelblue|lightyellow|limegreen|linen|mediumaquamarine|mediumblue|mediumorchid|mediumpurple|mediumseagreen|mediumslateblue|mediumspringgreen|mediumturquoise|mediumvioletred|midnightblue|mintcream|mistyrose|moccasin|navajowhite|oldlace|olivedrab|orangered|orchid|palegoldenrod|palegreen|paleturquoise|palevioletred|papayawhip|peachpuff|peru|pink|plum|powderblue|rebeccapurple|rosybrown|royalblue|saddlebrown|salmon|sandybrown|seagreen|seashell|sienna|skyblue|slateblue|slategray|slategrey|snow|springgreen|steelblue|tan|thistle|tomato|turquoise|violet|wheat|whitesmoke|yellowgreen';
const hexColor = '#(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3,4})';
const percent = `${positive}%`;
const alpha = `(?:${percent}|${positive})`;
const rgb = `rgba?\\((?:${positive}(?:, ?${positive}){2}|${percent}(?:, ?${percent}){2})(?:, ?${alpha})?\\)`;
const hsl = `hsla?\\(${positive}(?:, ?${percent}){2}(?:, ?${alpha})?\\)`;
const spaced = `(?:rgb\\(${alpha} ${alpha} ${alpha}|hsl\\(${positive} ${percent} ${percent})(?: ?/ ?${alpha})?\\)`;
const color = `(?:${hexColor}|${rgb}|${hsl}|${spaced}|${colorNames})`;
const stop = `${color}(?: ${positive}%){0,2}`;
const gradient = `(?:linear-gradient\\((?:${angle}, ?)?${stop}(?:, ?${stop}){1,7}\\)|radial-gradient\\((?:(?:circle|ellipse), ?)?${stop}(?:, ?${stop}){1,7}\\))`;
const shadow = `(?:inset )?${plainLength} ${plainLength}(?: ${plainSize}(?: ${plainLength})?)? ${color}`;
const track = `(?:auto|min-content|max-content|${size}|${positive}fr|minmax\\((?:auto|min-content|max-content|${size}), ?(?:auto|min-content|max-content|${size}|${positive}fr)\\))`;
const filling = `repeat\\(auto-fi(?:ll|t), ?(?:${size}|minmax\\(${size}, ?(?:${size}|${positive}fr)\\))\\)`;
const repeated = `(?:${track}|repeat\\([1-9]\\d?, ?${track}\\))`;
const tracks = `(?:${filling}|${repeated}(?: ${repeated}){0,11})`;
const move = `(?:translate\\(${length}(?:, ?${length})?\\)|translate[XY]\\(${length}\\)|rotate\\(${angle}\\)|scale\\(${number}(?:, ?${number})?\\)|scale[XY]\\(${number}\\)|skew[XY]\\(${angle}\\))`;
const family = '[A-Za-z][A-Za-z0-9-]{0,40}(?: [A-Za-z][A-Za-z0-9-]{0,40}){0,5}';

const pattern = (kind: ValueKind, source: string, maxLength = 200): ValueType => ({
  kind,
  type: 'string',
  maxLength,
  pattern: `^(?:${source})$`,
});
const choice = (...values: string[]): ValueType => ({ kind: 'choice', type: 'string', enum: values });
const numeric = (minimum: number, maximum: number): ValueType => ({
  kind: 'number',
  type: 'number',
  minimum,
  maximum,
});
const integer = (minimum: number, maximum: number): ValueType => ({
  ...numeric(minimum, maximum),
  type: 'integer',
});

/** The names of a theme's tokens, `decisions.md 17.3`. */
const colorTokens = ['primary', 'onPrimary', 'background', 'surface', 'text', 'muted', 'border', 'accent'];
const fontTokens = ['heading', 'body'];
/** A value of the key's own type, or one of these theme tokens. */
const orToken = (own: ValueType, tokens: readonly string[]): ValueType => ({
  ...(own.kind && { kind: own.kind }),
  anyOf: [
    own,
    { type: 'object', required: ['token'], properties: { token: { type: 'string', enum: tokens } } },
  ],
});

const intrinsic = 'auto|min-content|max-content|fit-content';
const sizing = pattern('length', `${intrinsic}|${size}`);
const maxSizing = pattern('length', `none|min-content|max-content|fit-content|${size}`);
const offset = orToken(pattern('length', `auto|${length}`), ['spacing']);
const space = orToken(pattern('length', size), ['spacing']);
const corner = orToken(pattern('length', size), ['radius']);
const lineWidth = pattern('length', plainSize);
/** A colour that is not a token. */
export const plainColor = pattern('color', color, 60);
const colored = orToken(
  plainColor,
  colorTokens.map((name) => `color.${name}`),
);
const borderStyle = choice(
  'none',
  'solid',
  'dashed',
  'dotted',
  'double',
  'groove',
  'ridge',
  'inset',
  'outset',
  'hidden',
);
const line = pattern('css', `auto|-?[1-9]\\d?|span [1-9]\\d?`);
const alignItems = choice(
  'normal',
  'stretch',
  'start',
  'end',
  'center',
  'flex-start',
  'flex-end',
  'baseline',
);
const alignSelf = choice(
  'auto',
  'normal',
  'stretch',
  'start',
  'end',
  'center',
  'flex-start',
  'flex-end',
  'baseline',
);
const distribution = choice(
  'normal',
  'start',
  'end',
  'center',
  'flex-start',
  'flex-end',
  'stretch',
  'space-between',
  'space-around',
  'space-evenly',
);
const overflow = choice('visible', 'hidden', 'clip', 'auto', 'scroll');

export const styleKeys: Readonly<Record<string, ValueType>> = {
  display: choice('block', 'inline-block', 'inline', 'flex', 'inline-flex', 'grid', 'inline-grid', 'none'),
  position: choice('static', 'relative', 'absolute', 'sticky'),
  top: offset,
  right: offset,
  bottom: offset,
  left: offset,
  zIndex: integer(-1000, 1000),
  boxSizing: choice('border-box', 'content-box'),
  width: sizing,
  height: sizing,
  minWidth: sizing,
  minHeight: sizing,
  maxWidth: maxSizing,
  maxHeight: maxSizing,
  aspectRatio: pattern('css', `auto|${positive}(?: ?/ ?${positive})?`),
  overflowX: overflow,
  overflowY: overflow,
  visibility: choice('visible', 'hidden'),
  float: choice('none', 'left', 'right'),
  clear: choice('none', 'left', 'right', 'both'),
  flexDirection: choice('row', 'row-reverse', 'column', 'column-reverse'),
  flexWrap: choice('nowrap', 'wrap', 'wrap-reverse'),
  flexGrow: numeric(0, 1000),
  flexShrink: numeric(0, 1000),
  flexBasis: pattern('length', `content|${intrinsic}|${size}`),
  order: integer(-1000, 1000),
  alignContent: distribution,
  alignItems,
  alignSelf,
  justifyContent: distribution,
  justifyItems: alignItems,
  justifySelf: alignSelf,
  rowGap: space,
  columnGap: space,
  gridTemplateColumns: pattern('css', `none|${tracks}`, 400),
  gridTemplateRows: pattern('css', `none|${tracks}`, 400),
  gridAutoFlow: choice('row', 'column', 'dense', 'row dense', 'column dense'),
  gridColumnStart: line,
  gridColumnEnd: line,
  gridRowStart: line,
  gridRowEnd: line,
  marginTop: offset,
  marginRight: offset,
  marginBottom: offset,
  marginLeft: offset,
  paddingTop: space,
  paddingRight: space,
  paddingBottom: space,
  paddingLeft: space,
  color: colored,
  backgroundColor: colored,
  backgroundImage: {
    kind: 'background',
    anyOf: [
      { type: 'string', maxLength: 1000, pattern: `^(?:none|${gradient})$` },
      {
        type: 'object',
        properties: { src: { kind: 'media', type: 'string', maxLength: 2048, format: 'url' } },
        required: ['src'],
      },
    ],
  },
  backgroundSize: pattern('css', `auto|cover|contain|${size}(?: ${size})?`),
  backgroundPosition: pattern('css', `(?:left|center|right|${length})(?: (?:top|center|bottom|${length}))?`),
  backgroundRepeat: choice('repeat', 'no-repeat', 'repeat-x', 'repeat-y', 'round', 'space'),
  backgroundAttachment: choice('scroll', 'fixed', 'local'),
  fontFamily: orToken(
    pattern('font', `${family}(?:, ?${family}){0,5}`, 300),
    fontTokens.map((name) => `font.${name}`),
  ),
  fontSize: pattern('length', size),
  fontStyle: choice('normal', 'italic', 'oblique'),
  fontWeight: {
    kind: 'choice',
    enum: ['normal', 'bold', 100, 200, 300, 400, 500, 600, 700, 800, 900],
  },
  lineHeight: { kind: 'length', anyOf: [numeric(0, 20), pattern('length', `normal|${positive}|${size}`)] },
  letterSpacing: pattern('length', `normal|${plainLength}`),
  wordSpacing: pattern('length', `normal|${plainLength}`),
  textAlign: choice('left', 'right', 'center', 'justify', 'start', 'end'),
  textDecorationLine: choice('none', 'underline', 'overline', 'line-through'),
  textDecorationColor: colored,
  textDecorationStyle: choice('solid', 'double', 'dotted', 'dashed', 'wavy'),
  textIndent: pattern('length', length),
  textOverflow: choice('clip', 'ellipsis'),
  textShadow: pattern('shadow', `none|${plainLength} ${plainLength}(?: ${plainSize})? ${color}`),
  textTransform: choice('none', 'uppercase', 'lowercase', 'capitalize'),
  textWrap: choice('wrap', 'nowrap', 'balance', 'pretty'),
  whiteSpace: choice('normal', 'nowrap', 'pre-line', 'pre-wrap'),
  overflowWrap: choice('normal', 'break-word', 'anywhere'),
  listStyleType: choice(
    'none',
    'disc',
    'circle',
    'square',
    'decimal',
    'lower-alpha',
    'upper-alpha',
    'lower-roman',
    'upper-roman',
  ),
  objectFit: choice('fill', 'contain', 'cover', 'none', 'scale-down'),
  objectPosition: pattern('css', `(?:left|center|right|${length})(?: (?:top|center|bottom|${length}))?`),
  borderTopWidth: lineWidth,
  borderRightWidth: lineWidth,
  borderBottomWidth: lineWidth,
  borderLeftWidth: lineWidth,
  borderTopStyle: borderStyle,
  borderRightStyle: borderStyle,
  borderBottomStyle: borderStyle,
  borderLeftStyle: borderStyle,
  borderTopColor: colored,
  borderRightColor: colored,
  borderBottomColor: colored,
  borderLeftColor: colored,
  borderTopLeftRadius: corner,
  borderTopRightRadius: corner,
  borderBottomRightRadius: corner,
  borderBottomLeftRadius: corner,
  boxShadow: pattern('shadow', `none|${shadow}(?:, ?${shadow}){0,3}`, 400),
  opacity: numeric(0, 1),
  transform: pattern('css', `none|${move}(?: ${move}){0,3}`),
  transformOrigin: pattern('css', `(?:left|center|right|${length})(?: (?:top|center|bottom|${length}))?`),
  mixBlendMode: choice('normal', 'multiply', 'screen', 'overlay', 'darken', 'lighten'),
  cursor: choice('auto', 'default', 'pointer', 'text', 'move', 'not-allowed', 'grab'),
  pointerEvents: choice('auto', 'none'),
};
