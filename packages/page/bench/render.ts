/**
 * `node packages/page/bench/render.ts`: measures pages per second through all three steps (materialise, resolve,
 * render) on one core. A floor from the same run is printed beside it: the same documents turned into JSON.
 */
import { materialise, type PageDocument, type PageNode, render, resolve } from '../src/index.ts';
import { shopFacts, shopPage } from '../testing/shop.ts';

/** Repeats the shop's page until it has at least this many nodes. */
function createPage(size: number): PageDocument {
  const nodes: PageNode[] = [];
  const children: string[] = [];
  for (let copy = 0; nodes.length < size; copy++) {
    const own = (id: string) => `${copy}-${id}`;
    children.push(own(shopPage.rootId));
    nodes.push(
      ...shopPage.nodes.map((node) => ({
        ...node,
        id: own(node.id),
        children: node.children?.map(own) ?? [],
      })),
    );
  }
  return { rootId: 'all', nodes: [{ id: 'all', type: 'container', children }, ...nodes] };
}

const sources = { sections: new Map(), block: () => undefined, publish: true };

/**
 * Returns the runs per second of CPU time, measured after a warm-up, so that other load on the machine matters less.
 */
function perSecond(run: () => unknown): number {
  for (const start = performance.now(); performance.now() - start < 500; ) run();
  const start = performance.now();
  const cpu = process.cpuUsage();
  let runs = 0;
  for (; performance.now() - start < 2000; runs++) run();
  const { user, system } = process.cpuUsage(cpu);
  return (runs / (user + system)) * 1e6;
}

for (const size of [100, 1000]) {
  const document = createPage(size);
  const tree = materialise(document, sources)!;
  const resolved = resolve(tree, shopFacts);
  const rates = {
    materialise: perSecond(() => materialise(document, sources)),
    resolve: perSecond(() => resolve(tree, shopFacts)),
    render: perSecond(() => render(resolved)),
    'with places': perSecond(() => render(resolved, { spans: true })),
    'all three': perSecond(() => render(resolve(materialise(document, sources)!, shopFacts))),
  };
  const floor = perSecond(() => JSON.stringify(document));
  console.log(`${document.nodes.length} nodes, ${render(resolved).html.length} bytes of HTML`);
  for (const [step, rate] of Object.entries(rates)) {
    console.log(
      `  ${step.padEnd(12)} ${rate.toFixed(0).padStart(7)}/s  ${(rate / floor).toFixed(3)} of JSON`,
    );
  }
}
