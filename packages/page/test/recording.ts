import { write } from '../src/render/render.ts';
import { type Attributes, Writer } from '../src/render/writer.ts';
import type { ResolvedNode } from '../src/resolved.ts';
import { writtenHtml } from './case.ts';
import type { DomNode } from './dom-node.ts';

/** Records what the elements mean to write, as a tree, beside what is written. */
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

/** The tree that a page is meant to be, before any of it was turned into markup. */
export function meantTree(node: ResolvedNode | undefined): DomNode[] {
  const writer = new RecordingWriter();
  if (node) write(writer, node);
  return writer.root;
}
