import { type Json, type PageDocument, vocabulary } from '@waybill/page';
import { applied, type Change, joined } from '../model/changes.ts';
import { insert, remove, renewed, setValue } from '../model/commands.ts';
import { loadOf, refusalAt } from '../model/drop.ts';
import { pasted } from '../model/pasting.ts';
import { indexOf, type Tree } from '../model/tree.ts';
import { contextOf } from './clipboard.ts';
import { withUploads } from './pasted-pictures.ts';
import type { Surface } from './surface.ts';

/** What a rich text says before and after the place where something is pasted; null: nothing. */
export interface TextParts {
  readonly before: Json | null;
  readonly after: Json | null;
}

/** Whether HTML holds what is an element of its own on a page, and cannot stand in a rich text. */
export const holdsElements = (body: HTMLElement): boolean =>
  body.querySelector('table, img, picture, svg image') !== null;

/**
 * Pastes what cannot stand in a rich text, such as tables and pictures: the text is divided where the caret is, and they
 * come in between, in their order. Gives false where there is no place for them.
 */
export async function pasteBetween(
  { workbench, words, frame }: Surface,
  id: string,
  html: string,
  parts: TextParts,
): Promise<boolean> {
  const { editor } = workbench;
  const { fragments, notes } = pasted(
    { html: await withUploads(workbench, html) },
    contextOf(workbench, frame),
  );
  const { tree } = editor.state;
  const parentId = tree.parents.get(id);
  if (fragments.length === 0 || parentId === undefined) return false;
  if (refusalAt(vocabulary, tree, parentId, loadOf(fragments))) return false;
  const changes = divided(tree, id, parentId, fragments, parts);
  const problem = editor.do(words.clipboard.pasted(fragments.length), changes, {
    select: [fragments.at(-1)!.rootId],
  });
  if (problem) workbench.refuse(problem);
  else workbench.announce(words.clipboard.pasted(fragments.length));
  if (notes.length > 0) {
    const message = notes.map(({ kind }) => words.clipboard.notes[kind]).join(' ');
    workbench.refuse({ pointer: '', message });
  }
  return true;
}

function divided(
  tree: Tree,
  id: string,
  parentId: string,
  fragments: readonly PageDocument[],
  { before, after }: TextParts,
): Change[] {
  let changes: Change[] = [];
  let present = tree;
  const add = (more: readonly Change[]) => {
    changes = joined(changes, more);
    present = applied(present, more);
  };
  const place = { target: 'specials', key: 'doc' } as const;
  const index = indexOf(tree, id);
  const own = tree.nodes.get(id)!;
  // What stays is this text; what comes after it is one more that looks the same.
  const stays = before ?? after;
  if (stays !== null) add(setValue(present, [id], place, stays));
  const first = before === null && after !== null ? index : index + 1;
  for (const [i, fragment] of fragments.entries()) add(insert(present, parentId, first + i, fragment));
  if (before !== null && after !== null) {
    const copy = renewed({ rootId: id, nodes: [own] });
    const said = setValue(treeWith(copy), [copy.rootId], place, after);
    const rest = { rootId: copy.rootId, nodes: said.map((change) => change.after!) };
    add(insert(present, parentId, first + fragments.length, rest));
  }
  if (stays === null) add(remove(present, [id]));
  return changes;
}

const treeWith = ({ rootId, nodes }: PageDocument): Tree => ({
  rootId,
  nodes: new Map(nodes.map((node) => [node.id, node])),
  parents: new Map(),
  bytes: 0,
});
