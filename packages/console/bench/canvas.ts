/**
 * `node packages/console/bench/canvas.ts`: the main-thread time in ms (script, style, layout, paint) of one keystroke
 * and one click on the canvas in Chromium, on pages of 2,000 and 5,000 elements, typed by real keys.
 */
import type { DocumentSources, PageDocument, PageNode } from '@waybill/page';
import { launchChromium } from '@waybill/testing';
import { openModule } from '../testing/open-module.ts';

const letters = 80;

const sources: DocumentSources = {
  currency: 'EUR',
  sections: {},
  apps: {},
  media: {},
  products: {},
  pages: {},
  appValues: [],
};

/** Makes rows of a heading, texts and a button, with typical styling. */
function createPage(size: number): PageDocument {
  const nodes: PageNode[] = [];
  const rows: string[] = [];
  for (let i = 0; nodes.length < size - 1; i++) {
    const id = `row${i}`;
    rows.push(id);
    const own = (name: string, type: string, specials: Record<string, string>): PageNode => ({
      id: `${id}-${name}`,
      type,
      props: {
        specials,
        style: { base: { marginTop: `${i % 40}px`, color: '#223344' }, mobile: { fontSize: '15px' } },
      },
    });
    const inside = [
      own('h', 'heading', { text: `Heading ${i}` }),
      own('t', 'text', { text: `Some words of row ${i}, as many as a paragraph of a shop has.` }),
      own('u', 'text', { text: `More words of row ${i}.` }),
      own('b', 'button', { text: 'Buy', href: 'https://example.com/' }),
    ];
    nodes.push({ id, type: 'section', children: inside.map((each) => each.id) }, ...inside);
  }
  return { rootId: 'root', nodes: [{ id: 'root', type: 'container', children: rows }, ...nodes] };
}

const browser = await launchChromium();
try {
  for (const size of [2000, 5000]) {
    const page = await browser.newPage({ viewport: { width: 1100, height: 700 } });
    const debug = await page.context().newCDPSession(page);
    await openModule(page, new URL('../testing/surface-in-browser.ts', import.meta.url));
    const document = createPage(size);
    await page.evaluate(`openCanvas(${JSON.stringify(JSON.stringify({ document, sources }))})`);
    await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
    const cost = async (deed: () => Promise<unknown>): Promise<number> => {
      const before = await busy();
      await deed();
      // Waits two frames: one renders the change, the next follows its paint.
      await page.evaluate(
        'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))',
      );
      return ((await busy()) - before) * 1000;
    };
    const busy = async () => {
      const { metrics } = await debug.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')!.value;
    };
    const idle: number[] = [];
    for (let i = 0; i < 20; i++) idle.push(await cost(async () => {}));
    await page.evaluate("act.edit('row3-t')");
    await page.waitForFunction("act.isTyping('row3-t')");
    await page.keyboard.type('warm up of the compiler, some words');
    const typed: number[] = [];
    for (let i = 0; i < letters; i++) typed.push(await cost(() => page.keyboard.press('abcdefgh '[i % 9]!)));
    await page.evaluate('act.stop()');
    const selected: number[] = [];
    for (let i = 0; i < 40; i++)
      selected.push(await cost(() => page.evaluate(`act.select('row${i % 8}-h')`)));
    const rest = at(idle, 0.5);
    const said = (times: number[]) =>
      `${(at(times, 0.5) - rest).toFixed(1)} ms at the median, ${(at(times, 0.95) - rest).toFixed(1)} at the 95th percentile`;
    console.log(`${document.nodes.length} elements (${rest.toFixed(1)} ms for nothing taken off)`);
    console.log(`  letter ${said(typed)}`);
    console.log(`  select ${said(selected)}`);
    await page.close();
  }
} finally {
  await browser.close();
}

function at(times: readonly number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * part)]!;
}
