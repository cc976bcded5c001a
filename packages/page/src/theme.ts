import { tokenProperty } from './render/css.ts';

/** A font file of the store's own, or fonts that every device has. */
export type ThemeFont = { readonly mediaId: string } | { readonly stack: 'system' | 'serif' | 'mono' };

/** The look of a store, `decisions.md 17.3`. */
export interface Theme {
  /** CSS colours. */
  readonly colors: Readonly<
    Record<
      'primary' | 'onPrimary' | 'background' | 'surface' | 'text' | 'muted' | 'border' | 'accent',
      string
    >
  >;
  readonly fonts: Readonly<Record<'heading' | 'body', ThemeFont>>;
  /** Scale of all type; 1 is the normal size. */
  readonly scale: number;
  /** Pixels at normal size: radius of corners, and spacing between elements. */
  readonly radius: number;
  readonly spacing: number;
}

/** The look of a store without a theme, matching `baseCss`. */
export const standardTheme: Theme = {
  colors: {
    primary: '#1a56c4',
    onPrimary: '#ffffff',
    background: '#ffffff',
    surface: '#f4f5f7',
    text: '#1c1f23',
    muted: '#5a6068',
    border: '#d9dce1',
    accent: '#1a56c4',
  },
  fonts: { heading: { stack: 'system' }, body: { stack: 'system' } },
  scale: 1,
  radius: 8,
  spacing: 24,
};

const stacks: Readonly<Record<string, string>> = {
  system: 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif',
  serif: '"Iowan Old Style","Palatino Linotype",Palatino,Georgia,serif',
  mono: 'ui-monospace,SFMono-Regular,Menlo,Consolas,monospace',
};

/** Converts pixels to rem. */
const rem = (pixels: number) => `${Math.round((pixels / 16) * 10_000) / 10_000}rem`;

/**
 * Returns the style sheet with the values of a theme's tokens, byte for byte as it is published. `getUrl` returns the
 * URL of a library file (`decisions.md 17.3`).
 */
export function themeCss(
  { colors, fonts, scale, radius, spacing }: Theme,
  getUrl: (mediaId: string) => string,
): string {
  const faces = Object.entries(fonts).flatMap(([name, font]) =>
    'mediaId' in font
      ? [`@font-face{font-family:"wb-${name}";src:url("${getUrl(font.mediaId)}");font-display:swap}\n`]
      : [],
  );
  const values = [
    ...Object.entries(colors).map(([name, value]) => [`color.${name}`, value]),
    ...Object.entries(fonts).map(([name, font]) => [`font.${name}`, fontFamily(name, font)]),
    ['radius', rem(radius)],
    ['spacing', rem(spacing)],
  ].map(([token, value]) => `${tokenProperty(token!)}:${value};`);
  // A field's edge must be visible, however pale other lines are.
  const edge = '--wb-field-line:color-mix(in srgb,var(--wb-color-text) 60%,var(--wb-color-background));';
  const size = scale === 1 ? '' : `font-size:${Math.round(scale * 10_000) / 100}%;`;
  return `${faces.join('')}:root{${values.join('')}${edge}${size}}\n`;
}

const fontFamily = (name: string, font: ThemeFont) =>
  'mediaId' in font ? `"wb-${name}",${stacks.system}` : stacks[font.stack]!;

/** A theme colour that is used as text on another. */
export interface TextPair {
  readonly on: keyof Theme['colors'];
  readonly under: keyof Theme['colors'];
}

/** The text and background colours that the default styles combine. */
export const textPairs: readonly TextPair[] = [
  { on: 'onPrimary', under: 'primary' },
  { on: 'text', under: 'background' },
  { on: 'text', under: 'surface' },
  { on: 'muted', under: 'background' },
  { on: 'accent', under: 'background' },
];

/** Minimum contrast of text, WCAG 2.2 at level AA. */
export const minContrast = 4.5;
