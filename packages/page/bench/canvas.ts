/**
 * `node packages/page/bench/canvas.ts`: measures the server's own work for a canvas (without its calls to other
 * services) and the browser's work after it, in ms of this process's CPU time, for a page of 2,000 nodes, 20 blocks and
 * 50 products (`decisions.md 13.6`).
 */
import {
  type Block,
  checkDocument,
  checkReferences,
  type DocumentSources,
  materialiseDocument,
  normaliseDocument,
  type PageDocument,
  type PageNode,
  references,
  renderDocument,
  tolerateDocument,
  vocabulary,
} from '../src/index.ts';

const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}_${i}`);
const text = (id: string): PageNode => ({
  id,
  type: 'text',
  props: { specials: { text: `Words of ${id}` } },
});
const block: Block = {
  key: 'reviews',
  name: 'Reviews',
  rootId: 'root',
  nodes: [{ id: 'root', type: 'stack', children: ids('w', 10) }, ...ids('w', 10).map(text)],
};
const products = ids('prd', 50).map((productId): PageNode[] => [
  { id: productId, type: 'product', props: { specials: { productId } }, children: [`${productId}-t`] },
  { id: `${productId}-t`, type: 'productTitle' },
]);
const blocks = ids('ref', 20).map(
  (id): PageNode => ({ id, type: 'blockRef', props: { specials: { appId: 'app_1', blockKey: 'reviews' } } }),
);
const words = ids('n', 2000 - 1 - 2 * products.length - blocks.length).map(
  (id, i): PageNode => ({
    ...text(id),
    props: { ...text(id).props, style: { base: { paddingTop: `${i % 40}px`, color: '#223344' } } },
  }),
);
const children = [...words, ...products.map(([first]) => first!), ...blocks].map(({ id }) => id);
const document: PageDocument = {
  rootId: 'root',
  nodes: [{ id: 'root', type: 'section', children }, ...words, ...products.flat(), ...blocks],
};
const body = JSON.stringify({ document });
const sources: DocumentSources = {
  currency: 'EUR',
  sections: {},
  media: {},
  pages: {},
  appValues: [],
  apps: { app_1: { blocks: { reviews: block } } },
  products: Object.fromEntries(
    ids('prd', 50).map((id) => [id, { id, name: `Product ${id}`, priceCents: 990, variants: [] }]),
  ),
};
const known = {
  apps: new Map([['app_1', [block]]]),
  productIds: new Set(Object.keys(sources.products)),
};

function server(): string {
  const sent: unknown = JSON.parse(body).document;
  const tolerated = tolerateDocument(sent);
  references(tolerated);
  const tree = materialiseDocument(tolerated, sources)!;
  references(tree);
  const problems = [
    ...checkDocument(vocabulary, normaliseDocument(tolerated)),
    ...checkReferences(tolerated, known),
  ];
  return JSON.stringify({ sources, problems });
}

function cpuMs(run: () => unknown): number {
  for (let i = 0; i < 20; i++) run();
  const runs = 100;
  const cpu = process.cpuUsage();
  for (let i = 0; i < runs; i++) run();
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 1000 / runs;
}

console.log(`${document.nodes.length} nodes, ${body.length} bytes`);
console.log(`  server        ${cpuMs(server).toFixed(1)} ms`);
console.log(
  `  renderDocument ${cpuMs(() => renderDocument(document, sources, { canvas: true })).toFixed(1)} ms`,
);
