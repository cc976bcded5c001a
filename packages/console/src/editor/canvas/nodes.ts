import type { RenderedPlace } from '@waybill/page';
import type { Frame } from './frame.ts';

/** Which element is which node's, of one drawing. A block and a global section are one node each: their reference. */
export class ShownNodes {
  readonly #frame: Frame;
  /** Where each node of the document, and each reference, begins; those that show nothing too. */
  readonly #places = new Map<string, RenderedPlace>();
  /** Own nodes that stand in the document itself, by the element that they are shown by. */
  #ids: Map<Element, string> | undefined;

  constructor(frame: Frame) {
    this.#frame = frame;
    for (const place of frame.drawing.places) {
      if (place.path === '') continue;
      const id = ownIdOf(place.path);
      // The first one below a reference is what it stands for.
      if (!this.#places.has(id)) this.#places.set(id, place);
    }
  }

  /** The element of a node; undefined where it shows nothing. */
  elementOf(id: string): Element | undefined {
    const place = this.#places.get(id);
    return place && place.ordinal >= 0 ? this.#frame.elementAt(place) : undefined;
  }

  placeOf(id: string): RenderedPlace | undefined {
    return this.#places.get(id);
  }

  /** The innermost node of the document that an element belongs to. */
  idAt(element: Element | null): string | undefined {
    this.#ids ??= new Map(
      [...this.#places].flatMap(([id, place]) => {
        const shown = place.ordinal >= 0 ? this.#frame.elements[place.ordinal] : undefined;
        return shown ? [[shown, id] as const] : [];
      }),
    );
    for (let at = element; at; at = at.parentElement) {
      const id = this.#ids.get(at);
      if (id !== undefined) return id;
    }
    return undefined;
  }
}

/** The node of the document that a path begins with; its parts are escaped as in a JSON pointer. */
export function ownIdOf(path: string): string {
  const slash = path.indexOf('/');
  const first = slash === -1 ? path : path.slice(0, slash);
  return first.replaceAll('~1', '/').replaceAll('~0', '~');
}
