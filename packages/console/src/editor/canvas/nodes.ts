import type { RenderedPlace } from '@waybill/page';
import type { Frame } from './frame.ts';

/** One place of a node: in a list's card there are as many as the list shows. */
export interface ShownNode {
  readonly id: string;
  /** Which of a list's copies it is in; empty outside of lists. */
  readonly copy: string;
  readonly place: RenderedPlace;
}

/** Which element is which node's, of one drawing. A block and a global section are one node each: their reference. */
export class ShownNodes {
  readonly #frame: Frame;
  /** Where each node of the document, and each reference, begins; those that show nothing too. */
  readonly #shown = new Map<string, ShownNode[]>();
  /** Own nodes that stand in the document itself, by the element that they are shown by. */
  #byElement: Map<Element, ShownNode> | undefined;

  /** `prefix`: what the paths of the document's nodes begin with, where it is drawn as a part of another. */
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
      // The first one below a reference is what it stands for.
      if (!known) this.#shown.set(id, [{ id, copy, place }]);
      else if (copy !== '' && known.at(-1)!.copy !== copy) known.push({ id, copy, place });
    }
  }

  /** The element of a node, in that copy where it is in a list's card; undefined where it shows nothing. */
  elementOf(id: string, copy?: string): Element | undefined {
    const place = this.placeOf(id, copy);
    return place && this.#elementAt(place);
  }

  /** All elements of a node: one, or one in each card of a list. */
  elementsOf(id: string): Element[] {
    return (this.#shown.get(id) ?? []).flatMap(({ place }) => this.#elementAt(place) ?? []);
  }

  placeOf(id: string, copy?: string): RenderedPlace | undefined {
    const all = this.#shown.get(id);
    return (all?.find((each) => each.copy === copy) ?? all?.[0])?.place;
  }

  /** The innermost node of the document that an element belongs to. */
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

/** The node of the document that a path begins with; its parts are escaped as in a JSON pointer. */
function ownIdOf(path: string): string {
  const slash = path.indexOf('/');
  const first = slash === -1 ? path : path.slice(0, slash);
  return first.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** A node's part of a path. */
export const pathPartOf = (id: string): string => id.replaceAll('~', '~0').replaceAll('/', '~1');
