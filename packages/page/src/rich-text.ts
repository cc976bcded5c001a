/**
 * Rich text is a small tree, in the shape that ProseMirror and Tiptap give: never an HTML string.
 */
export interface RichText {
  readonly type: string;
  readonly content?: readonly RichText[];
  readonly text?: string;
  readonly marks?: readonly RichTextMark[];
  readonly attrs?: { readonly level?: number };
}

export interface RichTextMark {
  readonly type: string;
  readonly attrs?: { readonly href?: unknown };
}

const blocks = [
  'paragraph',
  'heading',
  'bulletList',
  'orderedList',
  'blockquote',
  'codeBlock',
  'horizontalRule',
];
const inline = ['text', 'hardBreak'];

/** What each node of rich text may hold. */
export const richTextContent: ReadonlyMap<string, readonly string[]> = new Map([
  ['doc', blocks],
  ['paragraph', inline],
  ['heading', inline],
  ['bulletList', ['listItem']],
  ['orderedList', ['listItem']],
  ['listItem', blocks],
  ['blockquote', blocks],
  ['codeBlock', ['text']],
  ['horizontalRule', []],
  ['hardBreak', []],
  ['text', []],
]);

/** The marks of text, from the outermost inwards, whatever order they are given in; and the element of each. */
export const richTextMarks: ReadonlyMap<string, string> = new Map([
  ['link', 'a'],
  ['bold', 'strong'],
  ['italic', 'em'],
  ['underline', 'u'],
  ['strike', 's'],
  ['highlight', 'mark'],
  ['subscript', 'sub'],
  ['superscript', 'sup'],
  ['code', 'code'],
]);

/** How deep rich text may nest. */
export const richTextDepth = 16;
