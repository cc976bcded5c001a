import { writeNode } from '../src/render/render.ts';
import { type Attributes, Writer } from '../src/render/writer.ts';
import type { ResolvedNode } from '../src/resolved.ts';
import { writtenHtml } from './case.ts';
import type { DomNode } from './dom-node.ts';

/** Records the elements as a tree, beside the written markup. */
class RecordingWriter extends Writer {
  readonly root: DomNode[] = [];
  readonly #open: DomNode[][] = [this.root];

  override start(tag: string, attributes: Attributes): void {
    const written = attributes.filter(([, value]) => value !== undefined && value !== false);
    const children: DomNode[] = [];
    this.#here().push([
      tag,
      written.map(([name, value]) => [name, value === true ? '' : String(value)]),
      children,
    ]);
    if (!['br', 'hr', 'img', 'input'].includes(tag)) this.#open.push(children);
    super.start(tag, attributes);
  }

  override end(tag: string): void {
    this.#open.pop();
    super.end(tag);
  }

  override text(text: string): void {
    const here = this.#here();
    if (typeof here.at(-1) === 'string') here[here.length - 1] += text;
    else if (text !== '') here.push(text);
    super.text(text);
  }

  override raw(html: string): void {
    this.#here().push(...(writtenHtml.get(html) ?? []));
    super.raw(html);
  }

  #here(): DomNode[] {
    return this.#open.at(-1)!;
  }
}

/** Returns the intended tree of a page, before it was turned into markup. */
export function meantTree(node: ResolvedNode | undefined): DomNode[] {
  const writer = new RecordingWriter();
  if (node) writeNode(writer, node);
  return writer.root;
}
