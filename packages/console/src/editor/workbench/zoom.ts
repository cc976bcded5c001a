import type { Workbench } from './workbench.ts';

export const zoomSteps = [0.5, 0.75, 1, 1.5, 2] as const;
const least = zoomSteps[0];
const most = zoomSteps.at(-1)!;

/** Formats a factor as a percentage: `64%`. */
export const percent = (scale: number, language: string): string =>
  new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 }).format(scale);

/** Zooms to the next step up or down; stays at the first or last one. */
export function stepZoom(workbench: Workbench, by: 1 | -1): void {
  const { scale } = workbench.view.state;
  const next =
    by > 0
      ? zoomSteps.find((step) => step > scale + 0.01)
      : zoomSteps.findLast((step) => step < scale - 0.01);
  if (next !== undefined) setZoom(workbench, next);
}

export function setZoom({ view, announce, words }: Workbench, zoom: number | 'fit'): void {
  view.set({ zoom });
  announce(zoom === 'fit' ? words.zoomFit : percent(zoom, document.documentElement.lang));
}

/** Rounds a factor to whole percent and keeps it between the steps, or between them and the current one. */
export const limitZoom = (wanted: number, current: number): number =>
  Math.round(Math.min(most, Math.max(Math.min(least, current), wanted)) * 100) / 100;
