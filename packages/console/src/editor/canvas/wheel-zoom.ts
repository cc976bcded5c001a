import { limitZoom } from '../workbench/zoom.ts';
import type { CanvasSurface } from './canvas-surface.ts';

/** Zooms by the wheel and keeps the point under the pointer in place; `at` is in the frame's pixels. */
export function zoomByWheel(surface: CanvasSurface, deltaY: number, at: { x: number; y: number }): void {
  const { workbench, frame, iframe } = surface;
  const before = surface.scale;
  const zoom = limitZoom(before * Math.exp(-Math.max(-50, Math.min(50, deltaY)) * 0.005), before);
  if (zoom === before) return;
  workbench.view.set({ zoom });
  // Scrolls once the page has its new size.
  requestAnimationFrame(() => {
    frame.document.defaultView?.scrollBy({ top: at.y * (1 - before / zoom), behavior: 'instant' });
    const room = iframe.closest('[data-room]');
    if (room) room.scrollLeft += at.x * (zoom - before);
  });
}
