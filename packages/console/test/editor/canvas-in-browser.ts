import {
  type DocumentSources,
  type Json,
  type PageDocument,
  pageMain,
  renderDocument,
  vocabulary,
} from '@waybill/page';
import { drawDocument } from '../../src/editor/canvas/drawing.ts';
import { Frame } from '../../src/editor/canvas/frame.ts';
import type { Change } from '../../src/editor/core/changes.ts';
import { duplicate, move, remove, setValue, unwrap, wrap } from '../../src/editor/core/commands.ts';
import { Editor } from '../../src/editor/core/editor.ts';
import { createNodeId, getChildIds, type Tree } from '../../src/editor/core/tree.ts';

/** A document to open on the canvas, and the random edits that follow. */
export interface Run {
  readonly document: PageDocument;
  readonly sources: DocumentSources;
  /** Set if the document is a header or footer. */
  readonly landmark?: 'header' | 'footer';
  readonly seed: number;
  readonly edits: number;
}

export interface RunResult {
  /** The first failure, or null. */
  readonly wrong: string | null;
  /** The final document, and the frame's content for it. */
  readonly document: PageDocument;
  readonly body: string;
  readonly edits: number;
}

let frame: Frame | undefined;

/** Returns the canvas's frame, made as in the console. All runs share it, so each page replaces the previous one. */
function openFrame(): Promise<Frame> {
  if (frame) return Promise.resolve(frame);
  const iframe = document.createElement('iframe');
  iframe.setAttribute('sandbox', 'allow-same-origin');
  iframe.srcdoc = '<!doctype html><title></title><body></body>';
  document.body.append(iframe);
  return new Promise((resolve) => {
    iframe.onload = () => {
      frame = new Frame(iframe.contentDocument!);
      resolve(frame);
    };
  });
}

async function runAll(json: string): Promise<string> {
  const shown = await openFrame();
  return JSON.stringify((JSON.parse(json) as Run[]).map((run) => runOne(shown, run)));
}

function runOne(shown: Frame, { document: first, seed, edits, ...as }: Run): RunResult {
  const editor = new Editor(vocabulary, first);
  const random = createRandom(seed);
  let done = 0;
  let wrong = wrongAfter(shown, editor, as, 'open');
  for (let i = 0; i < edits && wrong === null; i++) {
    const deed = doSomething(editor, random);
    if (deed === null) continue;
    done++;
    wrong = wrongAfter(shown, editor, as, `edit ${i}: ${deed}`);
  }
  return { wrong, document: editor.document, body: shown.document.body.innerHTML, edits: done };
}

/** Shows the editor's document and returns the first difference to the published page, or null. */
function wrongAfter(
  shown: Frame,
  editor: Editor,
  { sources, landmark }: Pick<Run, 'sources' | 'landmark'>,
  when: string,
): string | null {
  const drawing = drawDocument(editor.document, sources, landmark);
  shown.show(drawing);
  const options = { islands: false, ...(landmark && { landmark }) };
  const { html } = renderDocument(editor.document, sources, options);
  if (shown.document.body.innerHTML !== (landmark ? html : pageMain(html)))
    return `${when}: the body is another`;
  for (const place of drawing.spans) {
    if (place.ordinal < 0) continue;
    const element = shown.elementAt(place);
    if (element?.outerHTML !== drawing.html.slice(place.start, place.end))
      return `${when}: ${place.path} is not its element`;
  }
  return null;
}

type Random = (below: number) => number;

/** A seeded random generator (mulberry32), so that a run can be repeated. */
function createRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (((mixed ^ (mixed >>> 14)) >>> 0) % 1_000_003) % below;
  };
}

const texts = ['', 'a', '<b>&"', 'two words', '</p><script>', '\u00a0 x', 'Zürich 🧀'];

/** Runs a random command of a merchant. Returns its name, or null if nothing changed. */
function doSomething(editor: Editor, random: Random): string | null {
  const { tree } = editor.state;
  const ids = [...tree.nodes.keys()];
  const some = () => ids[random(ids.length)]!;
  const commands: Record<string, () => readonly Change[] | null> = {
    text: () => setValue(tree, [some()], { target: 'specials', key: 'text' }, texts[random(texts.length)]!),
    level: () => setValue(tree, [some()], { target: 'specials', key: 'level' }, 1 + random(6)),
    tag: () =>
      setValue(tree, [some()], { target: 'specials', key: 'tag' }, ['main', 'div', 'header'][random(3)]!),
    anchor: () => setValue(tree, [some()], { target: 'specials', key: 'anchorId' }, 'here' as Json),
    style: () =>
      setValue(tree, [some()], { target: 'style', breakpoint: 'base', key: 'paddingTop' }, `${random(9)}px`),
    remove: () => (random(3) === 0 ? remove(tree, [some()]) : null),
    duplicate: () => (tree.nodes.size < 200 ? duplicate(tree, [some(), some()]).changes : null),
    move: () => move(tree, [some()], boxIn(tree, random) ?? tree.rootId, random(4)),
    wrap: () => wrap(tree, [some()], { id: createNodeId(), type: random(2) === 0 ? 'container' : 'link' }),
    unwrap: () => unwrap(tree, some()),
    undo: () => (editor.undo() ? null : null),
    redo: () => (editor.redo() ? null : null),
  };
  const names = Object.keys(commands);
  const name = names[random(names.length)]!;
  const before = editor.state.tree;
  const changes = commands[name]!();
  if (changes) editor.apply(name, changes);
  return editor.state.tree === before ? null : name;
}

function boxIn(tree: Tree, random: Random): string | undefined {
  const boxes = [...tree.nodes.keys()].filter((id) => getChildIds(tree, id).length > 0);
  return boxes[random(boxes.length || 1)];
}

/** Counts the pictures of a page that are still the same elements after one of its texts has changed. */
async function picturesAfterTyping(json: string): Promise<string> {
  const shown = await openFrame();
  const { document: first, sources } = JSON.parse(json) as Run;
  const editor = new Editor(vocabulary, first);
  shown.show(drawDocument(first, sources));
  const before = [...shown.document.images];
  const heading = first.nodes.find(({ type }) => type === 'heading')!;
  editor.apply(
    'type',
    setValue(editor.state.tree, [heading.id], { target: 'specials', key: 'text' }, 'Other'),
  );
  shown.show(drawDocument(editor.document, sources));
  const afterText = before.filter((image) => image.isConnected).length;
  const { changes } = duplicate(editor.state.tree, [heading.id]);
  editor.apply('duplicate', changes);
  shown.show(drawDocument(editor.document, sources));
  const afterCopy = before.filter((image) => image.isConnected).length;
  return JSON.stringify({ all: before.length, afterText, afterCopy });
}

Object.assign(globalThis, { runAll, picturesAfterTyping });
