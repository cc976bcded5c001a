/**
 * Scrolls an element into view within the frame only. The browser's own `scrollIntoView` would also scroll the console
 * around the frame.
 */
export function scrollIntoFrame(element: Element): void {
  const window = element.ownerDocument.defaultView;
  if (!window) return;
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (around === element.ownerDocument.body) break;
    const { overflowY } = window.getComputedStyle(around);
    if (overflowY !== 'auto' && overflowY !== 'scroll') continue;
    const { top, height } = around.getBoundingClientRect();
    around.scrollTop += distanceToView(element, top, height);
  }
  const distance = distanceToView(element, 0, element.ownerDocument.documentElement.clientHeight);
  if (distance !== 0) window.scrollBy({ top: distance, behavior: 'instant' });
}

/**
 * Returns the distance to scroll so that the element shows between `from` and `from + height`; 0 if enough of it does.
 */
function distanceToView(element: Element, from: number, height: number): number {
  const { top, bottom } = element.getBoundingClientRect();
  const start = top - from;
  const end = bottom - from;
  if (start >= 0 && (end <= height || start < height / 2)) return 0;
  return end - start > height ? start : (start + end - height) / 2;
}
