import { setTimeout as sleep } from 'node:timers/promises';
import { signIn } from '@waybill/example-app';
import { launchChromium } from '@waybill/testing';
import type { CDPSession, Page } from 'playwright-core';
import { percentile } from './load.ts';
import type { System } from './processes.ts';

const products = 520;
const turns = 10;
const restMs = 2_000;

/**
 * Measures how long the browser's main thread works, by Chromium's own count, from pressing "Next" below a list of 50
 * until the next 50 are shown. It contains no time on the network.
 */
export async function benchConsole(system: System): Promise<void> {
  const { baseUrl, apiKey, merchant, storeId } = system.demo;
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  for (let number = 0; number < products; number++) {
    const variants = [{ sku: `B-${number}`, priceCents: 990, stock: number }];
    const body = JSON.stringify({ name: `Tea number ${number}`, status: 'active', variants });
    const reply = await fetch(`${baseUrl}/api/v1/products`, { method: 'POST', headers, body });
    if (!reply.ok) throw new Error(await reply.text());
  }
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' });
    await page.goto(`${baseUrl}/console/sign-in`);
    await page.getByLabel('E-mail').fill(merchant.email);
    await page.getByLabel('Password').fill(merchant.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('navigation', { name: 'Navigation' }).waitFor();
    await page.goto(`${baseUrl}/console/stores/${storeId}/products`);
    await page.getByRole('button', { name: 'Next', exact: true }).waitFor();
    const debug = await page.context().newCDPSession(page);
    // The thread's own clock ignores other work on this machine.
    await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
    const spent: number[] = [];
    for (let turn = 0; turn < turns; turn++) {
      await page.getByRole('button', { name: 'Next', exact: true }).focus();
      const rows = await page.getByRole('row').allTextContents();
      const answered = page.waitForResponse((reply) => reply.url().includes('/products?'));
      const before = await taskMs(debug);
      await page.keyboard.press('Enter');
      await answered;
      // A check for the result would be counted too.
      await sleep(restMs);
      const after = await taskMs(debug);
      if ((await page.getByRole('row').allTextContents()).at(-1) === rows.at(-1))
        throw new Error('no next page');
      spent.push(after - before);
    }
    spent.sort((one, other) => one - other);
    const at = (share: number) => spent[Math.floor(share * (turns - 1))]!.toFixed(0);
    console.log(
      `a list of 50 → the next: ${at(0.5)} ms of main-thread time at the median, ${at(1)} at most (aim 150)`,
    );
    await measureLargeForm(system, page);
    await measureEditorStart(system, page);
    for (const [elements, aim] of [
      [2_000, 16],
      [5_000, 40],
    ] as const)
      await measureKeystroke(system, page, elements, aim);
  } finally {
    await browser.close();
  }
}

/** Measures how long the form of a product with 2,048 variants takes to open from the list, and to be saved. */
async function measureLargeForm({ demo }: System, page: Page): Promise<void> {
  const options = [
    ['Length', 16],
    ['Width', 16],
    ['Colour', 8],
  ] as const;
  const createValues = (name: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${name} ${i + 1}`);
  const variants = options.reduce<Record<string, string>[]>(
    (all, [name, count]) =>
      all.flatMap((each) => createValues(name, count).map((value) => ({ ...each, [name]: value }))),
    [{}],
  );
  const reply = await fetch(`${demo.baseUrl}/api/v1/products`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demo.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'A board of every size',
      options: options.map(([name, count]) => ({ name, values: createValues(name, count) })),
      variants: variants.map((each, i) => ({ sku: `BOARD-${i}`, priceCents: 990, stock: i, options: each })),
    }),
  });
  if (!reply.ok) throw new Error(await reply.text());
  const list = `${demo.baseUrl}/console/stores/${demo.storeId}/products?q=board`;
  const [opened, saved]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < turns; turn++) {
    await page.goto(list);
    const row = page.getByRole('row', { name: /A board of every size/ });
    await row.waitFor();
    await sleep(restMs / 2);
    let startedAt = performance.now();
    await row.click();
    const price = page.getByRole('textbox', { name: 'Price' }).first();
    await price.waitFor();
    opened.push(performance.now() - startedAt);
    await price.fill(`${10 + turn}.00`);
    await price.press('Tab');
    await sleep(restMs / 4);
    startedAt = performance.now();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Product saved').first().waitFor();
    saved.push(performance.now() - startedAt);
  }
  for (const [what, times, aim] of [
    ['opens', opened, 300],
    ['is saved', saved, 500],
  ] as const) {
    times.sort((one, other) => one - other);
    const [median, most] = [times[Math.floor(turns / 2)]!, times.at(-1)!];
    console.log(
      `a product of ${variants.length} variants ${what} in ${median.toFixed(0)} ms at the median, ${most.toFixed(0)} at most (aim ${aim})`,
    );
  }
}

/** Creates a page of sections with 49 headings each. Returns the address of its editor. */
async function createLongPage({ demo }: System, sections: number): Promise<string> {
  const member = await signIn(demo.baseUrl, demo.merchant);
  const pages = `/api/stores/${demo.storeId}/pages`;
  const { page } = await member.post<{ page: { id: string } }>(pages, { name: `${sections} sections` });
  const nodes = Array.from({ length: sections }, (_, at) => {
    const headings = Array.from({ length: 49 }, (_, i) => ({
      id: `h${at}-${i}`,
      type: 'heading',
      props: { text: `Heading ${at}.${i}`, level: 2 },
    }));
    return [{ id: `s${at}`, type: 'section', children: headings.map(({ id }) => id) }, ...headings];
  });
  const root = { id: 'root', type: 'section', children: nodes.map(([section]) => section!.id) };
  await member.put(`${pages}/${page.id}/draft`, {
    document: { rootId: 'root', nodes: [root, ...nodes.flat()] },
  });
  return `${demo.baseUrl}/console/stores/${demo.storeId}/pages/${page.id}/edit`;
}

/** Measures, with an empty cache, the time until the editor shows the page and both panels. */
async function measureEditorStart(system: System, signedIn: Page): Promise<void> {
  const address = await createLongPage(system, 1);
  const storageState = await signedIn.context().storageState();
  const shown: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const context = await signedIn.context().browser()!.newContext({ storageState, locale: 'en-GB' });
    const page = await context.newPage();
    await page.addInitScript({ content: watchEditor });
    await page.goto(address);
    let shownAt: number | null = null;
    while (shownAt === null) {
      await sleep(restMs / 20);
      shownAt = await page.evaluate<number | null>('window.shownAt ?? null');
    }
    shown.push(shownAt);
    await context.close();
  }
  shown.sort((one, other) => one - other);
  console.log(
    `the editor shows the page and its panels after ${percentile(shown, 0.5).toFixed(0)} ms at the median, ${shown.at(-1)!.toFixed(0)} at most (aim 1100)`,
  );
}

/** Notes the time at which the canvas has content and both panels have replaced their skeletons. */
const watchEditor = `
  const look = () => {
    const canvas = document.querySelector('iframe[title="Page"]');
    const panels = [...document.querySelectorAll('[role="tabpanel"]')];
    const isShown = canvas?.contentDocument?.querySelector('h2') && panels.length === 2 &&
      panels.every((panel) => panel.querySelector('button, input, p'));
    if (isShown) window.shownAt = performance.now();
    else requestAnimationFrame(look);
  };
  if (window === window.top) requestAnimationFrame(look);`;

/** Measures the main thread's time for each letter that is typed into a heading of a long page. */
async function measureKeystroke(system: System, page: Page, elements: number, aim: number): Promise<void> {
  await page.goto(await createLongPage(system, Math.floor((elements - 1) / 50)));
  const canvas = page.frameLocator('iframe[title="Page"]');
  await canvas.locator('h2').nth(3).dblclick();
  await canvas.locator('[contenteditable]').waitFor();
  await sleep(restMs);
  const debug = await page.context().newCDPSession(page);
  await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
  const measureKeys = async (keys: readonly string[]) => {
    const spent: number[] = [];
    for (const key of keys) {
      const before = await taskMs(debug);
      await page.keyboard.press(key);
      await sleep(restMs / 20);
      spent.push((await taskMs(debug)) - before);
    }
    return spent;
  };
  const letters = await measureKeys([...'thequickbrownfoxjumpsover']);
  // A key that changes nothing costs what the meter and the browser do for any key.
  const other = percentile(await measureKeys(letters.map(() => 'Shift')), 0.5);
  const [median, most] = [percentile(letters, 0.5), Math.max(...letters)].map((ms) => ms - other);
  console.log(
    `a letter typed among ${elements} elements: ${median!.toFixed(1)} ms of main-thread time at the median, ${most!.toFixed(1)} at most, besides ${other.toFixed(1)} for any key (aim ${aim})`,
  );
}

async function taskMs(debug: CDPSession): Promise<number> {
  const { metrics } = await debug.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000;
}
