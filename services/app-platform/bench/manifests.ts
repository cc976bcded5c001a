/**
 * Benchmark of how long the checks of a block manifest occupy the process: 24 blocks in almost 1 MiB, valid and hostile
 * ones, compared with `JSON.parse` of the same text, which is the minimum. Run with `node bench/manifests.ts [rounds]`.
 */
import { checkManifest, vocabulary } from '@waybill/page';
import { toStored } from '../src/contributions/checks.ts';
import type { Block } from '../src/contributions/manifest.ts';

const rounds = Number(process.argv[2] ?? 30);
const maxBytes = 1024 * 1024;
/** Long names that differ only at their ends, for which suggesting a name costs most. */
const islands = new Set(['carousel', ...Array.from({ length: 11 }, (_, i) => `${'a'.repeat(62)}${10 + i}`)]);

type Node = Block['nodes'][number];

/** Builds a manifest of 24 blocks with as many nodes from `node` as fit. */
function createManifest(node: (i: number) => Omit<Node, 'id'>, attribute?: object): string {
  const size = JSON.stringify({ id: 'n10000', ...node(1000) }).length + ',"n10000",'.length;
  const traitSize = attribute ? JSON.stringify(attribute).length + 1 : 0;
  const count = Math.min(4_990, Math.floor((maxBytes * 0.97) / 24 / (size + traitSize)));
  const blocks = Array.from({ length: 24 }, (_, i) => ({
    key: `block-${i}`,
    name: 'Block',
    rootId: 'root',
    nodes: [
      { id: 'root', type: 'container', children: Array.from({ length: count }, (_, j) => `n${j}`) },
      ...Array.from({ length: count }, (_, j) => ({ id: `n${j}`, ...node(j) })),
    ],
    slots: [],
    traits: attribute
      ? [{ key: 'trait', label: 'Trait', attributes: Array.from({ length: count }, () => attribute) }]
      : [],
  }));
  return JSON.stringify({ blocks });
}

const manifests: Record<string, string> = {
  'good, with texts, styles, bindings': createManifest(
    (i) => ({
      type: 'text',
      island: 'carousel',
      props: {
        style: {
          base: { paddingTop: '8px', color: '#aabbcc', fontSize: '1.25rem' },
          mobile: { opacity: 0.5 },
        },
        specials: { text: `A sentence of some length, number ${i}, as a merchant reads it.` },
        bindings: [{ source: 'app.average', field: 'specials.text' }],
      },
    }),
    { widget: 'text', slot: '$root', target: 'specials', writeKey: 'text' },
  ),
  'good, smallest nodes': createManifest(() => ({ type: 'text' })),
  'every type unknown': createManifest((i) => ({ type: `headin${i}` })),
  'every island unknown': createManifest(() => ({ type: 'text', island: `${'a'.repeat(60)}zzzz` })),
  'every style key unknown': createManifest((i) => ({
    type: 'text',
    props: { style: { base: { [`paddingTip${i}`]: 1, [`margenTop${i}`]: 1 } } },
  })),
  'every writeKey unknown': createManifest(() => ({ type: 'text' }), {
    widget: 'txt',
    slot: 'x',
    target: 'style',
    writeKey: 'paddingTip',
  }),
  'every style value wrong': createManifest(() => ({
    type: 'text',
    props: { style: { base: { boxShadow: `${'0 '.repeat(40)}x`, gridTemplateColumns: '1px '.repeat(30) } } },
  })),
};

/** Returns the median duration of several runs, in milliseconds. */
function time(work: () => unknown): number {
  const times = Array.from({ length: rounds }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  }).sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)]!;
}

const rows = Object.entries(manifests).map(([name, text]) => {
  const { blocks } = JSON.parse(text) as { blocks: Block[] };
  const problems = checkManifest(vocabulary, blocks, islands);
  const parse = time(() => JSON.parse(text));
  const check = time(() => {
    if (checkManifest(vocabulary, blocks, islands).length === 0) blocks.map(toStored);
  });
  return {
    manifest: name,
    KiB: Math.round(text.length / 1024),
    nodes: blocks.reduce((sum, { nodes }) => sum + nodes.length, 0),
    problems: problems.length,
    'parse ms': Number(parse.toFixed(1)),
    'check ms': Number(check.toFixed(1)),
    'check / parse': Number((check / parse).toFixed(1)),
  };
});
console.table(rows);
