import { type DocumentSources, type PageDocument, vocabulary } from '@waybill/page';
import { Sources } from '../../src/editor/canvas/sources.ts';
import { move, remove, setValue } from '../../src/editor/core/commands.ts';
import { Editor } from '../../src/editor/core/editor.ts';
import { ObservableState } from '../../src/editor/workbench/observable-state.ts';
import { findProblemPlace } from '../../src/editor/workbench/problem-place.ts';
import type { Warning } from '../../src/editor/workbench/subjects.ts';
import type { ViewState } from '../../src/editor/workbench/workbench.ts';

const document: PageDocument = {
  rootId: 'root',
  nodes: [
    { id: 'root', type: 'section', children: ['text', 'picture'] },
    { id: 'text', type: 'text', props: { specials: { text: 'A' } } },
    { id: 'picture', type: 'image', props: { specials: { src: 'mda_0198c0de' } } },
  ],
};
const drawn = { products: {}, media: {}, pages: {} } as unknown as DocumentSources;
const stubbed = ['window', 'document'] as const;

type Drawing = { sources: DocumentSources; problems: Warning[] };

/** A server that has no media: it finds a problem with each picture that has a source. */
function open() {
  const editor = new Editor(vocabulary, document);
  const shown: (string | null)[][] = [];
  const calls: (() => void)[] = [];
  let onCall = () => {};
  const draw = ({ nodes }: PageDocument) =>
    new Promise<Drawing>((resolve) => {
      const problems = nodes.flatMap(({ props }, i) =>
        props?.specials?.src
          ? [{ code: 'unknown_media', pointer: `/document/nodes/${i}/props/specials/src`, message: '' }]
          : [],
      );
      calls.push(() => resolve({ sources: drawn, problems: problems as unknown as Warning[] }));
      onCall();
    });
  let onShown = () => {};
  const sources = new Sources({
    editor,
    view: new ObservableState({ locale: null } as ViewState),
    draw,
    onProblems(problems, sent) {
      shown.push(problems.map(({ pointer }) => findProblemPlace(sent, pointer).id));
      onShown();
    },
  });
  return {
    editor,
    shown,
    sources,
    /** Answers the next request as of the document that it was sent with. */
    async respond() {
      if (calls.length === 0)
        await new Promise<void>((resolve) => {
          onCall = resolve;
        });
      const isShown = new Promise<void>((resolve) => {
        onShown = resolve;
      });
      calls.shift()!();
      await isShown;
    },
  };
}

describe('problems that the server finds', () => {
  const before = stubbed.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));
  beforeAll(() => {
    Object.assign(globalThis, { window: new EventTarget(), document: { visibilityState: 'hidden' } });
  });
  afterAll(() => {
    for (const [i, name] of stubbed.entries()) {
      if (before[i]) Object.defineProperty(globalThis, name, before[i]);
      else Reflect.deleteProperty(globalThis, name);
    }
  });
  const emptied = (editor: Editor) =>
    setValue(editor.state.tree, ['picture'], { target: 'specials', key: 'src' }, undefined);

  test('are of the node that was sent, wherever it has moved since', async () => {
    const { editor, shown, sources, respond } = open();
    expect(editor.apply('x', move(editor.state.tree, ['picture'], 'root', 0))).toBeUndefined();
    await respond();
    expect(shown).toEqual([['picture']]);
    sources.close();
  });

  test.each([
    ['changes', emptied],
    ['goes', (editor: Editor) => remove(editor.state.tree, ['picture'])],
  ])('are looked for again when a node that has one %s', async (_, mend) => {
    const { editor, shown, sources, respond } = open();
    await respond();
    expect(editor.apply('x', mend(editor))).toBeUndefined();
    await respond();
    expect(shown).toEqual([['picture'], []]);
    sources.close();
  });

  test('are looked for again if the node changed while the answer was on its way', async () => {
    const { editor, shown, sources, respond } = open();
    expect(editor.apply('x', emptied(editor))).toBeUndefined();
    await respond();
    await respond();
    expect(shown).toEqual([['picture'], []]);
    sources.close();
  });
});
