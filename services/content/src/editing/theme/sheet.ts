import { createHash } from 'node:crypto';
import { mediaPath } from '@waybill/contracts';
import { minContrast, textPairs, themeCss } from '@waybill/page';
import { parse, wcagContrast } from 'culori';
import type { Theme } from './routes.ts';

/** Builds the style sheet that gives a theme's tokens their values, and its hash. */
export function themeSheet(storeId: string, theme: Theme): { sheet: string; hash: string } {
  const sheet = themeCss(theme, (mediaId) => mediaPath(storeId, mediaId));
  return { sheet, hash: createHash('sha256').update(sheet).digest('hex').slice(0, 16) };
}

/**
 * Returns pairs of colours with too little contrast to be read. Transparent colours and `currentcolor` cannot be
 * judged.
 */
export function findLowContrasts({ colors }: Theme): { pointer: string; code: string; message: string }[] {
  return textPairs.flatMap(({ on, under }) => {
    const [upper, lower] = [parse(colors[on]), parse(colors[under])];
    if (!upper || !lower || (upper.alpha ?? 1) < 1 || (lower.alpha ?? 1) < 1) return [];
    const contrast = wcagContrast(upper, lower);
    if (contrast >= minContrast) return [];
    const message = `has a contrast of ${contrast.toFixed(1)} on ${under}; text needs ${minContrast}`;
    return [{ pointer: `/theme/colors/${on}`, code: 'low_contrast', message }];
  });
}
