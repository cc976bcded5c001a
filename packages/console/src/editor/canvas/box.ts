/** A rectangle in the frame's own pixels, from the corner of what it shows now. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Where an element is, in the pixels of what the frame shows now. */
export function boxOfElement(element: Element): Box {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { left, top, width, height };
}

/** The same; undefined where it takes no room. */
export function shownBoxOf(element: Element): Box | undefined {
  const box = boxOfElement(element);
  return box.width === 0 && box.height === 0 ? undefined : box;
}
