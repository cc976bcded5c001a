import type { PointerEvent as ReactPointerEvent } from 'react';

/** Distance in pixels that a pointer may move while it is still only a press. */
const slackPx = 5;

/** Begins a drag once the pressed pointer has moved; otherwise the press remains a press. */
export function startAfterMove({ clientX, clientY }: ReactPointerEvent, start: () => void): void {
  const controller = new AbortController();
  const { signal } = controller;
  const move = (event: PointerEvent) => {
    if (Math.hypot(event.clientX - clientX, event.clientY - clientY) < slackPx) return;
    controller.abort();
    start();
  };
  window.addEventListener('pointermove', move, { signal });
  // A script cancels a press that has become a long press, but it may still become a drag.
  for (const end of ['pointerup', 'pointercancel'])
    window.addEventListener(end, ({ isTrusted }) => isTrusted && controller.abort(), { signal });
}
