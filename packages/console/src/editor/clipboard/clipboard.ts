import type { PageDocument } from '@waybill/page';
import type { Change } from '../core/changes.ts';
import { applyToTree } from '../core/changes.ts';
import { clipboardType, createClip } from '../core/clipboard.ts';
import { insert, remove } from '../core/commands.ts';
import { describeFragments, findInsertPosition, type InsertPosition } from '../core/drop.ts';
import type { PasteContext, Pasted, PasteNote } from '../core/pasting.ts';
import type { Tree } from '../core/tree.ts';
import type { Workbench } from '../workbench/workbench.ts';
import { parsePasted } from './pasted-html.ts';

/** Texts that report the result of copying and pasting. */
export interface ClipboardWords {
  copied(args: { count: number }): string;
  cut(args: { count: number }): string;
  pasted(args: { count: number }): string;
  readonly nothingToPaste: string;
  readonly noPlace: string;
  readonly notes: Readonly<Record<PasteNote['kind'], string>>;
}

/** Puts the selection on the clipboard; returns whether there was any. */
export function onCopy(workbench: Workbench, event: ClipboardEvent, words: ClipboardWords): boolean {
  const { editor, sources, storeId } = workbench;
  const { tree, selection } = editor.state;
  if (selection.length === 0 || !event.clipboardData) return false;
  const sections = sources.state?.sections;
  const { html, text, json } = createClip(tree, selection, { storeId, ...(sections && { sections }) });
  event.preventDefault();
  event.clipboardData.setData('text/html', html);
  event.clipboardData.setData('text/plain', text);
  event.clipboardData.setData(clipboardType, json);
  workbench.announce(words.copied({ count: selection.length }));
  return true;
}

export function onCut(workbench: Workbench, event: ClipboardEvent, words: ClipboardWords): void {
  if (!workbench.canWrite || !onCopy(workbench, event, words)) return;
  const { tree, selection } = workbench.editor.state;
  const label = words.cut({ count: selection.length });
  const problem = workbench.editor.apply(label, remove(tree, selection), { select: [] });
  if (problem) workbench.refuse(problem);
  else workbench.announce(label);
}

/**
 * Pastes the clipboard's content next to the selection: Waybill's own elements, or elements made from another program's
 * HTML.
 */
export function onPaste(workbench: Workbench, event: ClipboardEvent, words: ClipboardWords): void {
  const { surface } = workbench.canvas;
  const { clipboardData } = event;
  if (!surface || !workbench.canWrite || !clipboardData) return;
  event.preventDefault();
  // Read now, because the clipboard is empty after the event.
  const clip = {
    html: clipboardData.getData('text/html'),
    text: clipboardData.getData('text/plain'),
    json: clipboardData.getData(clipboardType),
  };
  const pictures = [...clipboardData.files].filter(({ type }) => type.startsWith('image/'));
  Promise.all([import('../core/pasting.ts'), import('./pasted-pictures.ts')])
    .then(
      async ([
        { convertClip: pasted, createPictureFragment: picture },
        { uploadInlinePictures: withUploads },
      ]) => {
        const html = await withUploads(workbench, clip.html);
        const result = pasted({ ...clip, html }, createPasteContext(workbench, surface.document));
        // A picture copied from a page comes as HTML and as a file; the HTML has its address and description.
        if (result.fragments.length > 0 || pictures.length === 0) insertPasted(workbench, result, words);
        else void insertPictures(workbench, pictures, picture, words);
      },
    )
    .catch((error) => workbench.refuse({ pointer: '', message: String(error) }));
}

/** Returns the context on which the conversion of foreign HTML depends; `document` parses the HTML. */
export function createPasteContext(
  { editor, sources, storeId, subject }: Workbench,
  document: Document,
): PasteContext {
  const apps = sources.state?.apps ?? {};
  return {
    vocabulary: editor.vocabulary,
    storeId,
    parse: (html) => parsePasted(document, html),
    // A block of an app that no page has used yet is unknown here; the next drawing reports whether it is missing.
    ...(sources.state && {
      hasBlock: (appId: string, key: string) =>
        !Object.hasOwn(apps, appId) || Object.hasOwn(apps[appId]!.blocks, key),
    }),
    ...(subject.kind === 'section' && { withinSection: subject.id }),
  };
}

/** Uploads pictures that come without a page, such as screenshots, and inserts them. */
async function insertPictures(
  workbench: Workbench,
  files: readonly File[],
  picture: (mediaId: string) => PageDocument,
  words: ClipboardWords,
): Promise<void> {
  const fragments: PageDocument[] = [];
  for (const file of files) {
    const mediaId = await workbench.upload(file);
    if (mediaId === undefined) break;
    fragments.push(picture(mediaId));
  }
  if (fragments.length > 0) insertPasted(workbench, { fragments, notes: [] }, words);
}

function insertPasted(workbench: Workbench, { fragments, notes }: Pasted, words: ClipboardWords): void {
  const refuse = (message: string) => workbench.refuse({ pointer: '', message });
  if (fragments.length === 0) {
    refuse(words.nothingToPaste);
    return;
  }
  const { tree, selection } = workbench.editor.state;
  const position = findInsertPosition(
    workbench.editor.vocabulary,
    tree,
    selection,
    describeFragments(fragments),
  );
  if (!position) {
    refuse(words.noPlace);
    return;
  }
  if (!insertFragments(workbench, fragments, position, words.pasted({ count: fragments.length }))) return;
  if (notes.length > 0) refuse(notes.map(({ kind }) => words.notes[kind]).join(' '));
}

/**
 * Inserts fragments side by side as one step and selects them. If that is refused, shows the reason and returns false.
 */
export function insertFragments(
  workbench: Workbench,
  fragments: readonly PageDocument[],
  position: InsertPosition,
  label: string,
): boolean {
  const changes = createInsertChanges(workbench.editor.state.tree, fragments, position);
  const problem = workbench.editor.apply(label, changes, { select: fragments.map(({ rootId }) => rootId) });
  if (problem) workbench.refuse(problem);
  else workbench.announce(label);
  return problem === undefined;
}

/** Returns the changes that insert fragments one after the other at one place, as one step. */
function createInsertChanges(
  tree: Tree,
  fragments: readonly PageDocument[],
  position: InsertPosition,
): Change[] {
  const byId = new Map<string, Change>();
  let current = tree;
  for (const [i, fragment] of fragments.entries()) {
    const changes = insert(current, position.parentId, position.index + i, fragment);
    current = applyToTree(current, changes);
    for (const change of changes) {
      const before = byId.get(change.id)?.before ?? change.before;
      byId.set(change.id, { ...change, ...(before && { before }) });
    }
  }
  return [...byId.values()];
}
