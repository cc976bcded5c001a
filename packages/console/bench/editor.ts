/** Measures the editor's model without the canvas: the median time of one step, in ms of one core. */
import { type PageDocument, type PageNode, vocabulary } from '@waybill/page';
import { extractFragment, insert, move, setValue, withFreshIds } from '../src/editor/core/commands.ts';
import { Editor } from '../src/editor/core/editor.ts';
import { merge } from '../src/editor/core/merge.ts';

/** Makes sections of ten texts each. */
function page(count: number): PageDocument {
  const sections = Array.from({ length: Math.floor((count - 1) / 11) }, (_, i) => `s${i}`);
  const nodes = sections.flatMap((id): PageNode[] => {
    const texts = Array.from({ length: 10 }, (_, i) => `${id}t${i}`);
    return [
      { id, type: 'section', children: texts },
      ...texts.map((each) => ({
        id: each,
        type: 'text',
        props: {
          specials: { text: `Words of ${each}` },
          style: { base: { color: '#123456', marginTop: '8px' } },
        },
      })),
    ];
  });
  return { rootId: 'root', nodes: [{ id: 'root', type: 'container', children: sections }, ...nodes] };
}

function median(times: number, act: (n: number) => void): string {
  const all = Array.from({ length: times }, (_, n) => {
    const start = performance.now();
    act(n);
    return performance.now() - start;
  });
  return `${all.toSorted((a, b) => a - b)[Math.floor(times / 2)]!.toFixed(2)} ms`;
}

for (const count of [2_000, 5_000]) {
  const document = page(count);
  const editor = new Editor(vocabulary, document);
  const tree = () => editor.state.tree;
  const place = { target: 'specials', key: 'text' } as const;
  const type = (n: number) =>
    editor.apply('Type', setValue(tree(), ['s3t3'], place, `${n}`), { mergeKey: 's3t3' });
  const fragment = extractFragment(tree(), 's1t1');
  console.log(`${document.nodes.length} nodes`);
  console.log(`  a letter          ${median(400, type)}`);
  console.log(
    `  move              ${median(60, (n) => editor.apply('Move', move(tree(), ['s2t2'], `s${n}`, 0)))}`,
  );
  console.log(
    `  insert            ${median(20, () => editor.apply('Insert', insert(tree(), 's1', 0, withFreshIds(fragment))))}`,
  );
  console.log(`  undo              ${median(20, () => editor.undo())}`);
  const mine = editor.document;
  const theirs = new Editor(vocabulary, document);
  theirs.apply('Type', setValue(theirs.state.tree, ['s5t5'], place, 'theirs'));
  const other = theirs.document;
  console.log(`  merge             ${median(10, () => merge(vocabulary, document, mine, other))}`);
}
