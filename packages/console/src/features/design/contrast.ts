import { minContrast, type Theme, textPairs } from '@waybill/page';
import { modeHsl, modeLrgb, modeRgb, parse, useMode, wcagContrast } from 'culori/fn';

for (const mode of [modeRgb, modeLrgb, modeHsl]) useMode(mode);

/** A pair of colours whose contrast is too low for text. */
export interface LowContrast {
  readonly on: keyof Theme['colors'];
  readonly under: keyof Theme['colors'];
  readonly ratio: number;
}

/**
 * Returns the text colours that are hard to read, each on its worst background. Transparent and invalid colours are
 * skipped.
 */
export function lowContrasts(colors: Theme['colors']): LowContrast[] {
  const found = new Map<string, LowContrast>();
  for (const { on, under } of textPairs) {
    const [upper, lower] = [parse(colors[on]), parse(colors[under])];
    if (!upper || !lower || (upper.alpha ?? 1) < 1 || (lower.alpha ?? 1) < 1) continue;
    const ratio = wcagContrast(upper, lower);
    // Truncated, not rounded: 4.499 must not be shown as 4.5.
    const shown = Math.floor(ratio * 10) / 10;
    if (ratio < minContrast && ratio < (found.get(on)?.ratio ?? Number.POSITIVE_INFINITY))
      found.set(on, { on, under, ratio: shown });
  }
  return [...found.values()];
}

export { minContrast };
