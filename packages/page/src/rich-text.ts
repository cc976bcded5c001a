/** Rich text is a small tree in the format of ProseMirror and Tiptap, never an HTML string. */
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

/** The kinds of node that each kind of node may contain. */
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

/** The marks of text from the outermost inwards, regardless of their stored order, each with its HTML element. */
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

/** Maximum nesting depth of rich text. */
export const richTextDepth = 16;
