import { createHash } from 'node:crypto';
import { mediaPath } from '@waybill/contracts';
import { tokenProperty } from '@waybill/page';
import { parse, wcagContrast } from 'culori';
import type { Font, Theme } from './routes.ts';

const stacks: Readonly<Record<string, string>> = {
  system: 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif',
  serif: '"Iowan Old Style","Palatino Linotype",Palatino,Georgia,serif',
  mono: 'ui-monospace,SFMono-Regular,Menlo,Consolas,monospace',
};

/** Of the usual size of a letter. */
const rem = (pixels: number) => `${Math.round((pixels / 16) * 10_000) / 10_000}rem`;

/** The style sheet that gives a theme's tokens their values, and what names it. */
export function themeSheet(
  storeId: string,
  { colors, fonts, scale, radius, spacing }: Theme,
): { sheet: string; hash: string } {
  const faces = Object.entries(fonts).flatMap(([name, font]) =>
    'mediaId' in font
      ? [
          `@font-face{font-family:"wb-${name}";src:url("${mediaPath(storeId, font.mediaId)}");font-display:swap}\n`,
        ]
      : [],
  );
  const values = [
    ...Object.entries(colors).map(([name, value]) => [`color.${name}`, value]),
    ...Object.entries(fonts).map(([name, font]) => [`font.${name}`, familyOf(name, font)]),
    ['radius', rem(radius)],
    ['spacing', rem(spacing)],
  ].map(([token, value]) => `${tokenProperty(token!)}:${value};`);
  // A field's edge has to be seen, however pale other lines are.
  const edge = '--wb-field-line:color-mix(in srgb,var(--wb-color-text) 60%,var(--wb-color-background));';
  const size = scale === 1 ? '' : `font-size:${Math.round(scale * 10_000) / 100}%;`;
  const sheet = `${faces.join('')}:root{${values.join('')}${edge}${size}}\n`;
  return { sheet, hash: createHash('sha256').update(sheet).digest('hex').slice(0, 16) };
}

const familyOf = (name: string, font: Font) =>
  'mediaId' in font ? `"wb-${name}",${stacks.system}` : stacks[font.stack]!;

type ColorName = keyof Theme['colors'];

/** What is written on what. */
const pairs: readonly (readonly [on: ColorName, under: ColorName])[] = [
  ['onPrimary', 'primary'],
  ['text', 'background'],
  ['text', 'surface'],
  ['muted', 'background'],
  ['accent', 'background'],
];
/** Of text, WCAG 2.2 at level AA. */
const least = 4.5;

/** The colours that cannot be told apart well enough to be read; transparent ones and `currentcolor` tell nothing. */
export function lowContrasts({ colors }: Theme): { pointer: string; code: string; message: string }[] {
  return pairs.flatMap(([on, under]) => {
    const [upper, lower] = [parse(colors[on]), parse(colors[under])];
    if (!upper || !lower || (upper.alpha ?? 1) < 1 || (lower.alpha ?? 1) < 1) return [];
    const contrast = wcagContrast(upper, lower);
    if (contrast >= least) return [];
    const message = `has a contrast of ${contrast.toFixed(1)} on ${under}; text needs ${least}`;
    return [{ pointer: `/theme/colors/${on}`, code: 'low_contrast', message }];
  });
}
