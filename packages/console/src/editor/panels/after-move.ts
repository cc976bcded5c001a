import type { PointerEvent as ReactPointerEvent } from 'react';

/** Distance in pixels that a pointer may move while it is still only a press. */
const slackPx = 5;

/** Begins a drag once the pressed pointer has moved; otherwise the press remains a press. */
export function afterMove({ clientX, clientY }: ReactPointerEvent, begin: () => void): void {
  const stop = new AbortController();
  const { signal } = stop;
  const move = (event: PointerEvent) => {
    if (Math.hypot(event.clientX - clientX, event.clientY - clientY) < slackPx) return;
    stop.abort();
    begin();
  };
  window.addEventListener('pointermove', move, { signal });
  // A script cancels a press that has become a long press, but it may still become a drag.
  for (const end of ['pointerup', 'pointercancel'])
    window.addEventListener(end, ({ isTrusted }) => isTrusted && stop.abort(), { signal });
}
