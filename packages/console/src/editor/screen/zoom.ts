import type { Surface } from '../canvas/surface.ts';
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

/** Zooms by the wheel and keeps the point under the pointer in place; `at` is in the frame's pixels. */
export function zoomByWheel(surface: Surface, deltaY: number, at: { x: number; y: number }): void {
  const { workbench, frame, iframe } = surface;
  const before = surface.scale;
  const wanted = before * Math.exp(-Math.max(-50, Math.min(50, deltaY)) * 0.005);
  const zoom = Math.round(Math.min(most, Math.max(Math.min(least, before), wanted)) * 100) / 100;
  if (zoom === before) return;
  workbench.view.set({ zoom });
  // Scrolls once the page has its new size.
  requestAnimationFrame(() => {
    frame.document.defaultView?.scrollBy({ top: at.y * (1 - before / zoom), behavior: 'instant' });
    const room = iframe.closest('[data-room]');
    if (room) room.scrollLeft += at.x * (zoom - before);
  });
}
