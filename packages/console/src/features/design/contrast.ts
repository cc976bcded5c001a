import { leastContrast, type Theme, textPairs } from '@waybill/page';
import { modeHsl, modeLrgb, modeRgb, parse, useMode, wcagContrast } from 'culori/fn';

for (const mode of [modeRgb, modeLrgb, modeHsl]) useMode(mode);

/** Text of a colour that can hardly be read on another. */
export interface LowContrast {
  readonly on: keyof Theme['colors'];
  readonly under: keyof Theme['colors'];
  readonly ratio: number;
}

/** The texts that can hardly be read, the worst of each colour; what is transparent or no colour yet tells nothing. */
export function lowContrasts(colors: Theme['colors']): LowContrast[] {
  const found = new Map<string, LowContrast>();
  for (const { on, under } of textPairs) {
    const [upper, lower] = [parse(colors[on]), parse(colors[under])];
    if (!upper || !lower || (upper.alpha ?? 1) < 1 || (lower.alpha ?? 1) < 1) continue;
    const ratio = wcagContrast(upper, lower);
    // Cut rather than rounded: 4.499 is not 4.5.
    const shown = Math.floor(ratio * 10) / 10;
    if (ratio < leastContrast && ratio < (found.get(on)?.ratio ?? Number.POSITIVE_INFINITY))
      found.set(on, { on, under, ratio: shown });
  }
  return [...found.values()];
}

export { leastContrast };
