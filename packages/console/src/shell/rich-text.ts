import {
  baseKeymap,
  chainCommands,
  lift,
  newlineInCode,
  setBlockType,
  toggleMark,
  wrapIn,
} from 'prosemirror-commands';
import { keymap } from 'prosemirror-keymap';
import { type MarkType, type Node, type NodeType, type Schema, Slice } from 'prosemirror-model';
import { liftListItem, sinkListItem, splitListItem, wrapInList } from 'prosemirror-schema-list';
import type { Command, EditorState, Plugin, Transaction } from 'prosemirror-state';

/** Commands and state of a rich text's selection. */
export interface RichTextTools<Href> {
  subscribe(watcher: () => void): () => void;
  readonly state: RichTextState<Href>;
  run(tool: PlainTool): void;
  /** Sets the link of the selection, or removes it for null. Without a selection, `text` is inserted as the link. */
  link(href: Href | null, text?: string): void;
  focus(): void;
  /** Calls back when the link shortcut is pressed; returns a function that stops it. */
  onLinkKey(open: () => void): () => void;
}

export interface RichTextState<Href> {
  /** The tools that are active in the selection. */
  readonly active: ReadonlySet<Tool>;
  /** The tools that can be used on the selection. */
  readonly possible: ReadonlySet<Tool>;
  /** The link of the selection, or null. */
  readonly href: Href | null;
}

const marks = ['bold', 'italic', 'underline', 'strike', 'code'] as const;
const blocks = ['paragraph', 'heading2', 'heading3', 'bulletList', 'orderedList', 'blockquote'] as const;
export type PlainTool = (typeof marks)[number] | (typeof blocks)[number];
export type Tool = PlainTool | 'link';

/** In the order of the toolbar. */
export const plainTools: readonly PlainTool[] = [...marks, ...blocks];

export type ToolCommands = Readonly<Record<PlainTool, Command>>;

/** Returns the command of each tool. Tools without a mark or node in the schema do nothing. */
export function createCommands(schema: Schema): ToolCommands {
  const never: Command = () => false;
  const mark = (name: string) => (schema.marks[name] ? toggleMark(schema.marks[name]) : never);
  const block = (name: string, attrs?: { level: number }) =>
    schema.nodes[name] ? setBlockType(schema.nodes[name], attrs) : never;
  const list = (name: string) => (schema.nodes[name] ? toggleList(schema.nodes[name], schema) : never);
  const quote = schema.nodes.blockquote;
  return {
    bold: mark('bold'),
    italic: mark('italic'),
    underline: mark('underline'),
    strike: mark('strike'),
    code: mark('code'),
    paragraph: block('paragraph'),
    heading2: block('heading', { level: 2 }),
    heading3: block('heading', { level: 3 }),
    bulletList: list('bulletList'),
    orderedList: list('orderedList'),
    blockquote: quote
      ? (state, dispatch, view) =>
          isWithin(state, quote) ? lift(state, dispatch, view) : wrapIn(quote)(state, dispatch, view)
      : never,
  };
}

const linkKey = 'linkkey';

/** Reports the link shortcut of a text, even if it was pressed before a listener was added. */
export class LinkKey {
  #isWaiting = false;
  #open: (() => void) | undefined;

  constructor(text: HTMLElement) {
    text.addEventListener(linkKey, () => {
      if (this.#open) this.#open();
      else this.#isWaiting = true;
    });
  }

  on(open: () => void): () => void {
    this.#open = open;
    if (this.#isWaiting) queueMicrotask(open);
    this.#isWaiting = false;
    return () => {
      this.#open = undefined;
    };
  }
}

/**
 * The key bindings of a rich text: the base keys, shortcuts of marks, lists and links, Tab and Enter in lists, and
 * Shift-Enter for a line break.
 */
export function createKeyBindings(schema: Schema): Plugin[] {
  const { bold, italic, underline } = schema.marks;
  const { listItem, hardBreak } = schema.nodes;
  const breakLine: Command = (state, dispatch) => {
    if (!hardBreak) return false;
    dispatch?.(state.tr.replaceSelectionWith(hardBreak.create()).scrollIntoView());
    return true;
  };
  const commands = createCommands(schema);
  const own: Record<string, Command> = {
    ...(bold && { 'Mod-b': toggleMark(bold) }),
    ...(italic && { 'Mod-i': toggleMark(italic) }),
    ...(underline && { 'Mod-u': toggleMark(underline) }),
    'Mod-Shift-7': commands.orderedList,
    'Mod-Shift-8': commands.bulletList,
    'Mod-k': (_, __, view) => {
      view?.dom.dispatchEvent(new Event(linkKey));
      return true;
    },
    ...(listItem && {
      Enter: splitListItem(listItem),
      Tab: sinkListItem(listItem),
      'Shift-Tab': liftListItem(listItem),
    }),
    'Shift-Enter': chainCommands(newlineInCode, breakLine),
  };
  return [keymap(own), keymap(baseKeymap)];
}

/** Computes the state of the selection. */
export function computeState<Href>(state: EditorState, commands: ToolCommands): RichTextState<Href> {
  const active = new Set<Tool>();
  const possible = new Set<Tool>(plainTools.filter((tool) => commands[tool](state)));
  for (const name of marks) if (hasMark(state, state.schema.marks[name])) active.add(name);
  const { $from } = state.selection;
  for (let depth = $from.depth; depth > 0; depth--) {
    const { type, attrs } = $from.node(depth);
    const tool = type.name === 'heading' ? `heading${attrs.level}` : type.name;
    // In nested lists, a tool changes the innermost list.
    if (isList(tool) && [...active].some(isList)) continue;
    if ((blocks as readonly string[]).includes(tool)) active.add(tool as Tool);
  }
  const link = state.schema.marks.link;
  const href = linkAt(state, link) as Href | null;
  if (href !== null) active.add('link');
  if (link) possible.add('link');
  return { active, possible, href };
}

/** Links the selection, or the link around the caret, to another target. Null removes the link. */
export function linked(state: EditorState, href: unknown, saidAs = ''): Transaction {
  const type = state.schema.marks.link!;
  let { from, to } = state.selection;
  if (from === to) ({ from, to } = findMarkRange(state, type));
  // Without a selection or link, the address itself becomes the text.
  if (from === to && href !== null) {
    const mark = type.create({ href });
    return state.tr.replaceSelectionWith(state.schema.text(saidAs || String(href), [mark]), false);
  }
  const tr = state.tr.removeMark(from, to, type);
  return href === null ? tr : tr.addMark(from, to, type.create({ href }));
}

/**
 * The content of a pasted document. Leading and trailing paragraphs merge into their surroundings; headings stay
 * headings.
 */
export function pastedSlice({ content }: Node): Slice {
  const openAt = (block: Node | null) => (block?.type.name === 'paragraph' ? 1 : 0);
  return new Slice(content, openAt(content.firstChild), openAt(content.lastChild));
}

/** Makes a list, changes the kind of the innermost list, or removes it. */
function toggleList(type: NodeType, schema: Schema): Command {
  return (state, dispatch, view) => {
    const { $from } = state.selection;
    let depth = $from.depth;
    while (depth > 0 && !isList($from.node(depth).type.name)) depth--;
    if (depth === 0) return wrapInList(type)(state, dispatch, view);
    if ($from.node(depth).type === type)
      return schema.nodes.listItem ? liftListItem(schema.nodes.listItem)(state, dispatch, view) : false;
    dispatch?.(state.tr.setNodeMarkup($from.before(depth), type));
    return true;
  };
}

/** Whether a node of this name is a list. */
export const isList = (type: string): boolean => type.endsWith('List');

function isWithin({ selection: { $from } }: EditorState, type: NodeType): boolean {
  for (let depth = $from.depth; depth > 0; depth--) if ($from.node(depth).type === type) return true;
  return false;
}

function hasMark({ selection, doc, storedMarks }: EditorState, type: MarkType | undefined): boolean {
  if (!type) return false;
  const { from, to, empty, $from } = selection;
  return empty ? Boolean(type.isInSet(storedMarks ?? $from.marks())) : doc.rangeHasMark(from, to, type);
}

/** Returns the link at the start of the selection, or else the first one in it. */
function linkAt({ selection, doc }: EditorState, type: MarkType | undefined): unknown {
  if (!type) return null;
  const { $from, from, to } = selection;
  let link = type.isInSet($from.marks()) ?? type.isInSet(doc.nodeAt(from)?.marks ?? []);
  doc.nodesBetween(from, to, ({ marks }) => {
    link ??= type.isInSet(marks);
  });
  return link ? link.attrs.href : null;
}

/** The range of the marked text around the caret; empty if there is none. */
function findMarkRange({ selection: { $from } }: EditorState, type: MarkType): { from: number; to: number } {
  const { parent } = $from;
  let from = $from.start();
  let found = { from: $from.pos, to: $from.pos };
  parent.forEach((child, offset) => {
    const start = $from.start() + offset;
    const end = start + child.nodeSize;
    if (type.isInSet(child.marks) && start <= $from.pos && end >= $from.pos) found = { from: start, to: end };
    from = end;
  });
  return from < found.from ? { from: $from.pos, to: $from.pos } : found;
}
