import type { PointerEvent as ReactPointerEvent } from 'react';

/** So far a pointer may go and still only press. */
const slackPx = 5;

/** Begins a drag once the pointer, which went down, has moved; a press that stays where it is remains one. */
export function afterMove({ clientX, clientY }: ReactPointerEvent, begin: () => void): void {
  const stop = new AbortController();
  const { signal } = stop;
  const move = (event: PointerEvent) => {
    if (Math.hypot(event.clientX - clientX, event.clientY - clientY) < slackPx) return;
    stop.abort();
    begin();
  };
  window.addEventListener('pointermove', move, { signal });
  // A press that grew long is cancelled by a script, and may still become a drag.
  for (const end of ['pointerup', 'pointercancel'])
    window.addEventListener(end, ({ isTrusted }) => isTrusted && stop.abort(), { signal });
}
