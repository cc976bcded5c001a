/** A rectangle in the frame's own pixels, relative to the corner of the visible area. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the box of an element, relative to the frame's visible area. */
export function getBox(element: Element): Box {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { left, top, width, height };
}

/** Like `getBox`, but undefined if the element takes no room. */
export function getVisibleBox(element: Element): Box | undefined {
  const box = getBox(element);
  return box.width === 0 && box.height === 0 ? undefined : box;
}
