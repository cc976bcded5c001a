import type { ResolvedRichText } from '../resolved.ts';
import { richTextMarks } from '../rich-text.ts';
import { renderLinked } from './primitives.ts';
import type { Writer } from './writer.ts';

const tags: Readonly<Record<string, string>> = {
  paragraph: 'p',
  bulletList: 'ul',
  orderedList: 'ol',
  listItem: 'li',
  blockquote: 'blockquote',
};

/** Writes the content of a rich text, or of a part of one. */
export function renderRichText(writer: Writer, node: ResolvedRichText): void {
  for (const child of node.content) renderNode(writer, child);
}

function renderNode(writer: Writer, node: ResolvedRichText): void {
  switch (node.type) {
    case 'text':
      renderText(writer, node);
      return;
    case 'hardBreak':
      writer.element('br', []);
      return;
    case 'horizontalRule':
      writer.element('hr', []);
      return;
    case 'codeBlock':
      // The parser drops a line end right after `<pre>`, but not one after `<code>`.
      writer.start('pre', []);
      writer.start('code', []);
      for (const { text } of node.content) writer.text(text);
      writer.end('code');
      writer.end('pre');
      return;
    default: {
      const tag = node.type === 'heading' ? `h${node.level}` : tags[node.type]!;
      writer.start(tag, []);
      renderRichText(writer, node);
      writer.end(tag);
    }
  }
}

/** Nests marks in the order of `richTextMarks`, regardless of their stored order. */
function renderText(writer: Writer, { text, marks }: ResolvedRichText): void {
  if (text === '') return;
  const has = (type: string) => marks.some((mark) => mark.type === type);
  const open = [...richTextMarks].filter(([type]) => type !== 'link' && has(type)).map(([, tag]) => tag);
  renderLinked(writer, marks.find(({ type }) => type === 'link')?.href, () => {
    for (const tag of open) writer.start(tag, []);
    writer.text(text);
    for (const tag of open.reverse()) writer.end(tag);
  });
}
