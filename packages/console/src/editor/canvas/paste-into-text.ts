import { type Json, type PageDocument, vocabulary } from '@waybill/page';
import { createPasteContext } from '../clipboard/clipboard.ts';
import { uploadInlinePictures } from '../clipboard/pasted-pictures.ts';
import { applyToTree, type Change, combineChanges } from '../core/changes.ts';
import { insert, setValue, withFreshIds } from '../core/commands.ts';
import { describeFragments, findRefusal } from '../core/drop.ts';
import { convertClip } from '../core/pasting.ts';
import { findSiblingIndex, type Tree } from '../core/tree.ts';
import type { CanvasSurface } from './canvas-surface.ts';

/** The parts of a rich text before and after the place of a paste; null if a part is empty. */
export interface TextParts {
  readonly before: Json | null;
  readonly after: Json | null;
}

/** Elements that are separate elements of a page and cannot be inside a rich text. */
const elementSelector = 'table, img, picture';

/**
 * Splits HTML into the part before the first table or picture, which the text takes, and the rest. Undefined if the
 * text can take everything.
 */
export function splitAtElements(body: HTMLElement): { lead: HTMLElement; rest: string } | undefined {
  const first = body.querySelector(elementSelector);
  if (!first) return undefined;
  const extract = (set: (range: Range) => void) => {
    const range = body.ownerDocument.createRange();
    range.selectNodeContents(body);
    set(range);
    const wrapper = body.ownerDocument.createElement('div');
    wrapper.append(range.cloneContents());
    return wrapper;
  };
  return {
    lead: extract((range) => range.setEndBefore(first)),
    rest: extract((range) => range.setStartBefore(first)).innerHTML,
  };
}

/**
 * Inserts tables, pictures and anything after them behind a rich text, or divides the text at the caret: `parts` are
 * given if there is text after the caret. Returns false if there is no place for them.
 */
export async function pasteElements(
  { workbench, words, document }: CanvasSurface,
  id: string,
  html: string,
  parts: TextParts | null,
): Promise<boolean> {
  const { editor } = workbench;
  const { fragments, notes } = convertClip(
    { html: await uploadInlinePictures(workbench, html) },
    createPasteContext(workbench, document),
  );
  const { tree } = editor.state;
  const parentId = tree.parents.get(id);
  if (fragments.length === 0 || parentId === undefined) return false;
  if (findRefusal(vocabulary, tree, parentId, describeFragments(fragments))) return false;
  const changes = splitText(tree, id, parentId, fragments, parts);
  const label = words.clipboard.pasted({ count: fragments.length });
  // An undivided text stays selected, so that typing in it continues.
  const select = parts ? [fragments.at(-1)!.rootId] : [id];
  const problem = editor.apply(label, changes, { select });
  if (problem) workbench.refuse(problem);
  else workbench.announce(label);
  if (notes.length > 0) {
    const message = notes.map(({ kind }) => words.clipboard.notes[kind]).join(' ');
    workbench.refuse({ pointer: '', message });
  }
  return true;
}

function splitText(
  tree: Tree,
  id: string,
  parentId: string,
  fragments: readonly PageDocument[],
  parts: TextParts | null,
): Change[] {
  let changes: Change[] = [];
  let current = tree;
  const add = (added: readonly Change[]) => {
    changes = combineChanges(changes, added);
    current = applyToTree(current, added);
  };
  const path = { target: 'specials', key: 'doc' } as const;
  const index = findSiblingIndex(tree, id);
  const { before = null, after = null } = parts ?? {};
  // The text before the caret stays in this element; the text after it moves to a new element of the same look.
  if (parts) add(setValue(current, [id], path, before ?? after ?? emptyDoc));
  const first = parts && before === null ? index : index + 1;
  for (const [i, fragment] of fragments.entries()) add(insert(current, parentId, first + i, fragment));
  if (before !== null && after !== null) {
    const copy = withFreshIds({ rootId: id, nodes: [tree.nodes.get(id)!] });
    const restChanges = setValue(createSingleNodeTree(copy), [copy.rootId], path, after);
    const rest = { rootId: copy.rootId, nodes: restChanges.map((change) => change.after!) };
    add(insert(current, parentId, first + fragments.length, rest));
  }
  return changes;
}

const emptyDoc: Json = { type: 'doc', content: [{ type: 'paragraph' }] };

const createSingleNodeTree = ({ rootId, nodes }: PageDocument): Tree => ({
  rootId,
  nodes: new Map(nodes.map((node) => [node.id, node])),
  parents: new Map(),
  bytes: 0,
});
