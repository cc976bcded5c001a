import type { PointerEvent as ReactPointerEvent } from 'react';
import type { DragStart } from '../workbench/canvas-port.ts';

/** Distance in pixels that a pointer may move while it is still only a press. */
const slackPx = 5;

/**
 * Begins a drag, at the point that the pressed pointer has moved to; otherwise the press remains a press. A fast move
 * may end in the canvas at once, whose frame gets its events.
 */
export function startAfterMove(press: ReactPointerEvent, start: (from: DragStart) => void): void {
  const { clientX, clientY, pointerId, target } = press;
  const controller = new AbortController();
  const { signal } = controller;
  for (const view of [window, ...listFrameWindows()]) {
    const move = (event: PointerEvent) => {
      const isNear = Math.hypot(event.clientX - clientX, event.clientY - clientY) < slackPx;
      if (view === window && isNear) return;
      controller.abort();
      start({ clientX: event.clientX, clientY: event.clientY, pointerId, target, view: event.view });
    };
    view.addEventListener('pointermove', move, { signal });
    // A script cancels a press that has become a long press, but it may still become a drag.
    for (const end of ['pointerup', 'pointercancel'])
      view.addEventListener(end, ({ isTrusted }) => isTrusted && controller.abort(), { signal });
  }
}

/** Lists the windows of this page's frames, of which the console reads only its own. */
const listFrameWindows = (): Window[] =>
  [...document.querySelectorAll('iframe')].flatMap((frame) => frame.contentDocument?.defaultView ?? []);
