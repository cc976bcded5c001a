import { checkDocument, limits, type PageDocument, vocabulary } from '@waybill/page';
import fc from 'fast-check';
import { insert, remove, replaceDocument, setValue, withFreshIds } from '../../src/editor/core/commands.ts';
import { Editor } from '../../src/editor/core/editor.ts';
import { loadMerge } from '../../src/editor/core/lazy-merge.ts';
import { createTree, getChildIds, type Tree, toDocument } from '../../src/editor/core/tree.ts';
import { documents, type Edit, edits, sorted } from './edits.ts';

beforeAll(loadMerge);

const runs = fc.tuple(documents, fc.array(edits, { maxLength: 12 }));

function newEditor(document: PageDocument) {
  let now = 0;
  const editor = new Editor(vocabulary, document, () => now);
  return { editor, pass: (ms: number) => (now += ms) };
}

/** Runs edits through the editor, which rejects those that the vocabulary forbids. */
const doAll = (editor: Editor, some: readonly Edit[]) => {
  for (const edit of some) editor.apply('edit', edit(editor.state.tree));
};

/** Expects each node to be in exactly one place, with the right parent, and reachable from the root. */
function expectWhole(tree: Tree) {
  const again = createTree(toDocument(tree));
  expect(new Map([...tree.nodes].toSorted())).toEqual(new Map([...again.nodes].toSorted()));
  expect(tree.bytes).toBe(again.bytes);
  expect(new Map([...tree.parents].toSorted())).toEqual(new Map([...again.parents].toSorted()));
  const held = [...tree.nodes.keys()].flatMap((id) => getChildIds(tree, id));
  expect(new Set(held).size).toBe(held.length);
  expect(held.length).toBe(tree.nodes.size - 1);
}

test('a run of commands leaves a valid document in which every parent is right', () => {
  fc.assert(
    fc.property(runs, ([document, some]) => {
      const { editor } = newEditor(document);
      for (const edit of some) {
        editor.apply('edit', edit(editor.state.tree));
        expectWhole(editor.state.tree);
        expect(checkDocument(vocabulary, editor.document)).toEqual([]);
      }
    }),
    { numRuns: 100 },
  );
});

test('undo leads back to the start, redo to the end, and each step in between to an earlier state', () => {
  fc.assert(
    fc.property(runs, fc.array(fc.boolean(), { maxLength: 30 }), ([document, some], ways) => {
      const { editor } = newEditor(document);
      const states = [editor.document];
      for (const edit of some) {
        const before = editor.state.history.done.length;
        editor.apply('edit', edit(editor.state.tree));
        if (editor.state.history.done.length > before) states.push(editor.document);
      }
      let at = states.length - 1;
      for (const isBack of ways) {
        if (isBack ? editor.undo() : editor.redo()) at += isBack ? -1 : 1;
        expect(editor.document).toEqual(states[at]);
        expectWhole(editor.state.tree);
      }
      while (editor.undo());
      expect(editor.document).toEqual(states[0]);
      expect(sorted(editor.document)).toEqual(sorted(document));
      while (editor.redo());
      expect(editor.document).toEqual(states.at(-1));
    }),
    { numRuns: 100 },
  );
});

test('a refused command changes nothing, gives its reason and notifies nobody', () => {
  let refused = 0;
  fc.assert(
    fc.property(runs, ([document, some]) => {
      const { editor } = newEditor(document);
      doAll(editor, some.slice(0, 3));
      for (const edit of some) {
        const before = editor.state;
        let told = 0;
        const unsubscribe = editor.subscribe(() => told++);
        const problem = editor.apply('edit', edit(before.tree));
        unsubscribe();
        if (!problem) continue;
        refused++;
        expect(problem.message).not.toBe('');
        expect(editor.state).toBe(before);
        expect(told).toBe(0);
      }
    }),
    { numRuns: 100 },
  );
  expect(refused).toBeGreaterThan(10);
});

const page = (texts: readonly string[]): PageDocument => ({
  rootId: 'root',
  nodes: [
    { id: 'root', type: 'container', children: texts.map((_, i) => `t${i}`) },
    ...texts.map((text, i) => ({ id: `t${i}`, type: 'text', props: { specials: { text } } })),
  ],
});

const type = (editor: Editor, id: string, text: string, mergeKey?: string) =>
  editor.apply('Type', setValue(editor.state.tree, [id], { target: 'specials', key: 'text' }, text), {
    ...(mergeKey && { mergeKey }),
  });

test('letters of one word are one step; after a pause or elsewhere a new step begins', () => {
  const { editor, pass } = newEditor(page(['', '']));
  for (const text of ['a', 'ab', 'abc']) {
    type(editor, 't0', text, 't0');
    pass(500);
  }
  expect(editor.state.history.done).toHaveLength(1);
  pass(600);
  type(editor, 't0', 'abcd', 't0');
  type(editor, 't1', 'x', 't1');
  expect(editor.state.history.done).toHaveLength(3);
  editor.undo();
  editor.undo();
  type(editor, 't0', 'abcX', 't0');
  expect(editor.state.history.undone).toHaveLength(0);
  editor.undo();
  editor.undo();
  expect(sorted(editor.document)).toEqual(sorted(page(['', ''])));
});

test('typing that is taken back within one step leaves a harmless step to undo', () => {
  const { editor } = newEditor(page(['a']));
  type(editor, 't0', 'ab', 't0');
  type(editor, 't0', 'a', 't0');
  while (editor.undo());
  expect(sorted(editor.document)).toEqual(sorted(page(['a'])));
});

test('typing after a redo begins a new step', () => {
  const { editor } = newEditor(page(['']));
  type(editor, 't0', 'a', 't0');
  editor.undo();
  editor.redo();
  type(editor, 't0', 'ab', 't0');
  expect(editor.state.history.done).toHaveLength(2);
});

test('five hundred steps are kept and can be taken back, older ones not', () => {
  const { editor } = newEditor(page(['']));
  for (let i = 0; i < 510; i++) type(editor, 't0', `${i}`);
  let undone = 0;
  while (editor.undo()) undone++;
  expect(undone).toBe(500);
  expect(editor.state.tree.nodes.get('t0')!.props!.specials!.text).toBe('9');
});

test('a text may grow the document to its limit in bytes and not beyond', () => {
  const long = 'x'.repeat(19_000);
  const texts = Array.from({ length: Math.floor(limits.bytes / 19_100) }, () => long);
  const { editor } = newEditor(page([...texts, '']));
  expect(type(editor, `t${texts.length}`, long)?.message).toContain('bytes');
});

test('the selection follows undo and redo, and never has a deleted node', () => {
  const { editor } = newEditor(page(['a', 'b']));
  editor.select(['t0', 'gone']);
  expect(editor.state.selection).toEqual(['t0']);
  editor.apply('Delete', remove(editor.state.tree, ['t0']), { select: ['root'] });
  expect(editor.state.selection).toEqual(['root']);
  editor.undo();
  expect(editor.state.selection).toEqual(['t0']);
  const fragment = withFreshIds(page(['c']));
  editor.apply('Insert', insert(editor.state.tree, 'root', 0, fragment), { select: [fragment.rootId] });
  editor.undo();
  expect(editor.state.selection).toEqual(['t0']);
});

const listWords = ({ state }: Editor) =>
  [...state.tree.nodes.values()].flatMap(({ type, props }) =>
    type === 'text' ? [props?.specials?.text] : [],
  );
const theirs = (editor: Editor, id: string, text: string) =>
  editor.applyRemote(setValue(editor.state.tree, [id], { target: 'specials', key: 'text' }, text));

test("undo takes back one's own steps and leaves what somebody else did in between", () => {
  const { editor } = newEditor(page(['a', 'b', 'c']));
  type(editor, 't0', 'A');
  type(editor, 't0', 'AA');
  theirs(editor, 't1', 'B');
  editor.apply('Delete', remove(editor.state.tree, ['t2']));
  theirs(editor, 't1', 'BB');
  expect(editor.undo()).toEqual({ label: 'Delete', skipped: 'nothing' });
  expect(listWords(editor)).toEqual(['AA', 'BB', 'c']);
  editor.undo();
  theirs(editor, 't2', 'C');
  editor.undo();
  expect(listWords(editor)).toEqual(['a', 'BB', 'C']);
  expect(editor.undo()).toBeUndefined();
  while (editor.redo());
  // The other user's text stays, because they changed it last.
  expect(listWords(editor)).toEqual(['AA', 'BB', 'C']);
});

test('an undo of something that somebody else has changed is dropped with a message', () => {
  const { editor } = newEditor(page(['a', 'b']));
  type(editor, 't1', 'mine');
  type(editor, 't0', 'A');
  theirs(editor, 't0', 'Theirs');
  expect(editor.undo()).toEqual({ label: 'Type', skipped: 'all' });
  expect(editor.undo()).toEqual({ label: 'Type', skipped: 'nothing' });
  expect(listWords(editor)).toEqual(['Theirs', 'b']);
  expect(editor.redo()).toEqual({ label: 'Type', skipped: 'nothing' });
  expect(listWords(editor)).toEqual(['Theirs', 'mine']);
});

test('undo and redo keep the document valid and the changes of others, whatever two people do', () => {
  const both = fc.array(fc.tuple(fc.constantFrom('mine', 'theirs', 'undo', 'redo'), edits), {
    maxLength: 16,
  });
  fc.assert(
    fc.property(documents, both, (document, some) => {
      const { editor } = newEditor(document);
      for (const [who, edit] of some) {
        if (who === 'undo') editor.undo();
        else if (who === 'redo') editor.redo();
        else if (who === 'mine') editor.apply('edit', edit(editor.state.tree));
        else {
          const other = new Editor(vocabulary, editor.document);
          other.apply('edit', edit(other.state.tree));
          editor.applyRemote(replaceDocument(editor.state.tree, other.document));
        }
        expectWhole(editor.state.tree);
        expect(checkDocument(vocabulary, editor.document)).toEqual([]);
      }
      const alone = new Editor(vocabulary, document);
      if (some.some(([who]) => who === 'theirs')) return;
      while (editor.undo());
      expect(sorted(editor.document)).toEqual(sorted(alone.document));
    }),
    { numRuns: 100 },
  );
});
