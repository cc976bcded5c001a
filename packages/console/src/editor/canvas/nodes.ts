import type { RenderedPlace } from '@waybill/page';
import type { Frame } from './frame.ts';

/** One place of a node. A node in a list's card has as many places as the list has items. */
export interface ShownNode {
  readonly id: string;
  /** The list's copy that contains the place; empty outside lists. */
  readonly copy: string;
  readonly place: RenderedPlace;
}

/** Maps nodes to elements within one drawing. A block and a global section each count as one node, their reference. */
export class ShownNodes {
  readonly #frame: Frame;
  /** The places of each node of the document and each reference, including those that show nothing. */
  readonly #shown = new Map<string, ShownNode[]>();
  /** The document's own nodes by the element that shows them. */
  #byElement: Map<Element, ShownNode> | undefined;

  /** `prefix` is the start of the paths of the document's nodes, if it is drawn as a part of another one. */
  constructor(frame: Frame, prefix = '') {
    this.#frame = frame;
    for (const place of frame.drawing.places) {
      if (place.path === '') continue;
      const { path, original = path } = place;
      if (!original.startsWith(prefix)) continue;
      const own = original.slice(prefix.length);
      const id = ownIdOf(own);
      const copy = place.original !== undefined && path.endsWith(own) ? path.slice(0, -own.length) : '';
      const known = this.#shown.get(id);
      // The first place below a reference is the root of its target.
      if (!known) this.#shown.set(id, [{ id, copy, place }]);
      else if (copy !== '' && known.at(-1)!.copy !== copy) known.push({ id, copy, place });
    }
  }

  /** Returns the element of a node, in the given copy if it is in a list's card; undefined if it shows nothing. */
  elementOf(id: string, copy?: string): Element | undefined {
    const place = this.placeOf(id, copy);
    return place && this.#elementAt(place);
  }

  /** Returns all elements of a node: one, or one in each card of a list. */
  elementsOf(id: string): Element[] {
    return (this.#shown.get(id) ?? []).flatMap(({ place }) => this.#elementAt(place) ?? []);
  }

  placeOf(id: string, copy?: string): RenderedPlace | undefined {
    const all = this.#shown.get(id);
    return (all?.find((each) => each.copy === copy) ?? all?.[0])?.place;
  }

  /** Returns the innermost node of the document that an element belongs to. */
  at(element: Element | null): ShownNode | undefined {
    this.#byElement ??= new Map(
      [...this.#shown.values()].flat().flatMap((shown) => {
        const element = this.#elementAt(shown.place);
        return element ? [[element, shown] as const] : [];
      }),
    );
    for (let at = element; at; at = at.parentElement) {
      const shown = this.#byElement.get(at);
      if (shown) return shown;
    }
    return undefined;
  }

  #elementAt(place: RenderedPlace): Element | undefined {
    return place.ordinal >= 0 ? this.#frame.elementAt(place) : undefined;
  }
}

/** Returns the document's node at the start of a path, whose parts are escaped as in a JSON pointer. */
function ownIdOf(path: string): string {
  const slash = path.indexOf('/');
  const first = slash === -1 ? path : path.slice(0, slash);
  return first.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Returns a node's part of a path. */
export const pathPartOf = (id: string): string => id.replaceAll('~', '~0').replaceAll('/', '~1');
