import type { RenderedSpan } from '@waybill/page';
import type { Frame } from './frame.ts';

/** One place of a node. A node in a list's card has as many places as the list has items. */
export interface DrawnNode {
  readonly id: string;
  /** The list's copy that contains the place; empty outside lists. */
  readonly copy: string;
  readonly span: RenderedSpan;
}

/** Maps nodes to elements within one drawing. A block and a global section each count as one node, their reference. */
export class DrawnNodes {
  readonly #frame: Frame;
  /** The places of each node of the document and each reference, including those that show nothing. */
  readonly #drawn = new Map<string, DrawnNode[]>();
  /** The document's own nodes by the element that shows them. */
  #byElement: Map<Element, DrawnNode> | undefined;

  /** `prefix` is the start of the paths of the document's nodes, if it is drawn as a part of another one. */
  constructor(frame: Frame, prefix = '') {
    this.#frame = frame;
    for (const span of frame.drawing.spans) {
      if (span.path === '') continue;
      const { path, original = path } = span;
      if (!original.startsWith(prefix)) continue;
      const ownPath = original.slice(prefix.length);
      const id = readNodeId(ownPath);
      const copy =
        span.original !== undefined && path.endsWith(ownPath) ? path.slice(0, -ownPath.length) : '';
      const existing = this.#drawn.get(id);
      // The first place below a reference is the root of its target.
      if (!existing) this.#drawn.set(id, [{ id, copy, span }]);
      else if (copy !== '' && existing.at(-1)!.copy !== copy) existing.push({ id, copy, span });
    }
  }

  /** Returns the element of a node, in the given copy if it is in a list's card; undefined if it shows nothing. */
  findElement(id: string, copy?: string): Element | undefined {
    const span = this.findSpan(id, copy);
    return span && this.#elementOfSpan(span);
  }

  /** Returns all elements of a node: one, or one in each card of a list. */
  findElements(id: string): Element[] {
    return (this.#drawn.get(id) ?? []).flatMap(({ span }) => this.#elementOfSpan(span) ?? []);
  }

  findSpan(id: string, copy?: string): RenderedSpan | undefined {
    const all = this.#drawn.get(id);
    return (all?.find((each) => each.copy === copy) ?? all?.[0])?.span;
  }

  /** Returns the innermost node of the document that an element belongs to. */
  findNode(element: Element | null): DrawnNode | undefined {
    this.#byElement ??= new Map(
      [...this.#drawn.values()].flat().flatMap((drawn) => {
        const element = this.#elementOfSpan(drawn.span);
        return element ? [[element, drawn] as const] : [];
      }),
    );
    for (let findNode = element; findNode; findNode = findNode.parentElement) {
      const drawn = this.#byElement.get(findNode);
      if (drawn) return drawn;
    }
    return undefined;
  }

  #elementOfSpan(span: RenderedSpan): Element | undefined {
    return span.ordinal >= 0 ? this.#frame.elementAt(span) : undefined;
  }
}

/** Returns the document's node at the start of a path, whose parts are escaped as in a JSON pointer. */
function readNodeId(path: string): string {
  const slash = path.indexOf('/');
  const first = slash === -1 ? path : path.slice(0, slash);
  return first.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Returns a node's part of a path. */
export const escapePathPart = (id: string): string => id.replaceAll('~', '~0').replaceAll('/', '~1');
