import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { eventually, hasChromium, launchChromium } from '@waybill/testing';
import type { Browser, Page } from 'playwright-core';
import { pageHtml } from '../src/index.ts';
import { runtimeFile } from '../src/node.ts';
import { type Site, startSite } from './site.ts';

const javascript = 'text/javascript; charset=utf-8';
const createIntegrity = (body: string) => `sha256-${createHash('sha256').update(body).digest('base64')}`;

/** A marker as the renderer writes it. */
const marker = (name: string, text = 'from the server', props = '{}') =>
  `<div data-wb-island="${name}" data-wb-props="${props.replaceAll('"', '&quot;')}">${text}</div>`;

/** A module whose island writes its name and props into its element. */
const module = (name: string, body = "element.textContent = 'ran ' + JSON.stringify(props)") =>
  `window.WB.register('${name}', class { constructor(element, props) { ${body} } });`;

(hasChromium('the runtime of published pages') ? describe : describe.skip)('wb.js', () => {
  let browser: Browser;
  let site: Site;
  let page: Page;
  /** Output of the console and the page's uncaught errors. */
  let said: string[];
  beforeAll(async () => {
    browser = await launchChromium();
    site = await startSite();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
  });
  beforeEach(async () => {
    site.files.clear();
    site.files.set('/favicon.ico', { body: '' });
    site.files.set('/assets/wb.js', { body: await readFile(runtimeFile, 'utf8'), type: javascript });
    page = await browser.newPage();
    said = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(String(error)));
  });
  afterEach(() => page.close());

  interface Module {
    readonly name: string;
    /** Without a body the module is not found. */
    readonly body?: string;
    readonly integrity?: string;
  }

  /** Opens a page with the HTML and the modules, and waits until all have run or failed. */
  async function open(
    html: string,
    modules: readonly Module[] = [],
    waitUntil: 'load' | 'domcontentloaded' = 'load',
  ): Promise<void> {
    const islands = modules.map(({ name, body = '', integrity = createIntegrity(body) }) => ({
      name,
      src: `/islands/${name}.js`,
      integrity,
    }));
    for (const { name, body } of modules) {
      if (body !== undefined) site.files.set(`/islands/${name}.js`, { body, type: javascript });
    }
    site.files.set('/', { body: pageHtml({ title: 'Page', lang: 'en', css: '', html, islands }) });
    await page.goto(`${site.url}/`, { waitUntil });
  }

  /** Waits for a console message, which arrives a moment after the page has loaded. */
  const hears = (text: string) => eventually(() => said.some((each) => each.includes(text)), { what: text });

  /** Stops the page's clock; time advances only through `runFor`, however slow the machine is. */
  async function stopClock(): Promise<void> {
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1_000);
  }

  const texts = (): Promise<string[]> =>
    page.evaluate(`[...document.querySelectorAll('[data-wb-island]')].map((each) => each.textContent)`);

  test('constructs the class of every marker with its element and its own props', async () => {
    const name = 'app.app_1.stars';
    await open(
      marker(name, 'a', '{"text":"<b>\\"1\\""}') + marker(name, 'b', '{"text":"2"}') + marker('other', 'c'),
      [{ name, body: module(name) }],
    );
    expect(await texts()).toEqual(['ran {"text":"<b>\\"1\\""}', 'ran {"text":"2"}', 'c']);
    expect(said).toEqual([]);
  });

  test('gives an element back as the server wrote it when its constructor throws, and goes on with the others', async () => {
    const bad = 'app.app_1.bad';
    const good = 'app.app_2.good';
    const broken = "element.textContent = 'half done'; throw new Error('out of stars')";
    await open(marker(bad, '<b>from</b> the server') + marker(good), [
      { name: bad, body: module(bad, broken) },
      { name: good, body: module(good) },
    ]);
    expect(await texts()).toEqual(['from the server', 'ran {}']);
    expect(await page.locator(`[data-wb-island="${bad}"] b`).count()).toBe(1);
    await hears(`the island ${bad} failed`);
    await hears('out of stars');
  });

  test('leaves the page as it is when a module throws before it registers', async () => {
    const name = 'app.app_1.stars';
    await open(marker(name), [{ name, body: "throw new Error('at once')" }]);
    expect(await texts()).toEqual(['from the server']);
    await hears('at once');
  });

  test('leaves the page as it is when a module is not found, and says which', async () => {
    const missing = 'app.app_1.missing';
    const good = 'app.app_2.good';
    await open(marker(missing) + marker(good), [{ name: missing }, { name: good, body: module(good) }]);
    expect(await texts()).toEqual(['from the server', 'ran {}']);
    await hears(`[waybill] the module ${site.url}/islands/${missing}.js did not load`);
  });

  test('runs nothing of a module whose bytes are not those that were approved', async () => {
    const name = 'app.app_1.stars';
    await open(marker(name), [{ name, body: module(name), integrity: createIntegrity('something else') }]);
    expect(await texts()).toEqual(['from the server']);
    await hears(`[waybill] the module ${site.url}/islands/${name}.js did not load`);
  });

  test('gives up on an island that does not register within 10 s, and says so', async () => {
    const name = 'app.app_1.slow';
    await stopClock();
    const later = `setTimeout(() => { ${module(name)} }, 11_000)`;
    await open(marker(name) + marker(name), [{ name, body: later }]);
    await page.clock.runFor(9_999);
    expect(said).toEqual([]);
    await page.clock.runFor(1);
    await hears(`[waybill] the island ${name} did not register within 10 s`);
    await page.clock.runFor(2_000);
    await hears(`[waybill] the island ${name} came after 10 s and is left out`);
    expect(said).toHaveLength(2);
    expect(await texts()).toEqual(['from the server', 'from the server']);
  });

  test('lets no island wait for the module of another, whose server does not answer', async () => {
    const good = 'app.app_2.good';
    await stopClock();
    await page.route('**/islands/app.app_1.hangs.js', () => undefined);
    await open(
      marker('app.app_1.hangs') + marker(good),
      [{ name: 'app.app_1.hangs' }, { name: good, body: module(good) }],
      'domcontentloaded',
    );
    await eventually(async () => (await texts())[1] === 'ran {}');
    await page.clock.runFor(10_000);
    await hears('[waybill] the island app.app_1.hangs did not register within 10 s');
    expect(await texts()).toEqual(['from the server', 'ran {}']);
  });

  test('takes an island that registers late, but in time', async () => {
    const name = 'app.app_1.slow';
    await stopClock();
    await open(marker(name), [{ name, body: `setTimeout(() => { ${module(name)} }, 9_000)` }]);
    await page.clock.runFor(20_000);
    expect(await texts()).toEqual(['ran {}']);
    expect(said).toEqual([]);
  });

  test('runs nothing for a name that no marker has, and nothing twice', async () => {
    const name = 'app.app_1.stars';
    const unknown = module('app.app_1.unknown', "document.title = 'ran'");
    await open(marker(name), [
      { name, body: unknown + module(name) + module(name, "document.title = 'again'") },
    ]);
    expect(await texts()).toEqual(['ran {}']);
    expect(await page.title()).toBe('Page');
    await hears(`[waybill] the island ${name} is registered already`);
    await hears('[waybill] app.app_1.unknown is ignored');
    expect(said).toHaveLength(2);
  });

  describe('takes a name only from the module that the page loads for it', () => {
    const victim = 'app.app_1.stars';
    const other = 'app.app_2.thief';
    const theft = module(victim, "document.title = 'stolen'");
    const own = module(other);
    /** Opens both on one page and checks that each name belongs to its own module, with one warning in the console. */
    async function openBoth(thief: string, body = module(victim)): Promise<void> {
      await open(marker(victim) + marker(other), [
        { name: victim, body },
        { name: other, body: thief },
      ]);
      await eventually(async () => (await texts()).join() === 'ran {},ran {}');
      await page.waitForTimeout(100);
      expect(await page.title()).toBe('Page');
      expect(said.filter((each) => each.includes(`${victim} is ignored`))).toHaveLength(1);
      expect(said).toHaveLength(1);
    }
    const late = `setTimeout(() => { ${module(victim)} }, 60)`;

    test.each([
      ['at once', theft + theft],
      ['again and again', `${theft} setInterval(() => { ${theft} }, 1)`],
      ['by a call that no file is seen to make', `setTimeout(window.WB.register, 1, '${victim}', class {})`],
      ['by a comment that gives it another address', `${theft}\n//# sourceURL=/islands/${victim}.js`],
      [
        'by a function whose name looks like a line of the stack',
        `({ ['x\\n    at https://x/islands/${victim}.js:1:1\\n']() { ${theft} } })['x\\n    at https://x/islands/${victim}.js:1:1\\n']();`,
      ],
      [
        'by telling the page otherwise',
        `document.querySelector('[data-wb-islands]').dataset.wbIslands = '{"${victim}":"/islands/${other}.js"}'; ${theft}`,
      ],
    ])('%s', async (_, thief) => {
      await openBoth(own + thief);
    });

    test('and from nobody where a module makes the stacks itself', async () => {
      const forged = `Object.defineProperty(Error, 'prepareStackTrace', {
        get: () => () => 'x\\n    at ' + new URL('/islands/${victim}.js:1:1', location), set() {} });
        window.isForged = true;`;
      const afterwards = `const turn = setInterval(() => {
        if (!window.isForged) return;
        clearInterval(turn);
        try { ${module(victim)} } finally { window.hasTried = true; }
      }, 10)`;
      await open(marker(victim) + marker(other), [
        { name: victim, body: afterwards },
        { name: other, body: forged + theft },
      ]);
      await hears(`${victim} is ignored`);
      await page.waitForFunction('window.hasTried');
      expect(await texts()).toEqual(['from the server', 'from the server']);
      expect(await page.title()).toBe('Page');
    });

    test('also when its own module registers late, after a top-level await or from a timer', async () => {
      await openBoth(`${own} setInterval(() => { ${theft} }, 1)`, late);
      said = [];
      const awaited = `await new Promise((resolve) => setTimeout(resolve, 60)); ${module(victim)}`;
      await openBoth(`${own} setInterval(() => { ${theft} }, 1)`, awaited);
    });

    test('which may hold several islands', async () => {
      const body = module(victim) + module('app.app_1.more');
      const islands = [victim, 'app.app_1.more'].map((name) => ({
        name,
        src: '/islands/both.js',
        integrity: createIntegrity(body),
      }));
      site.files.set('/islands/both.js', { body, type: javascript });
      const html = marker(victim) + marker('app.app_1.more');
      site.files.set('/', { body: pageHtml({ title: 'Page', lang: 'en', css: '', html, islands }) });
      await page.goto(`${site.url}/`);
      expect(await texts()).toEqual(['ran {}', 'ran {}']);
      expect(said).toEqual([]);
    });
  });

  test('reports what cannot be registered, and cannot be replaced', async () => {
    const body = `window.WB.register(1, class {}); window.WB.register('a'); window.WB.register();
      try { window.WB = {} } catch {} try { window.WB.register = null } catch {}`;
    await open(marker('app.app_1.stars'), [{ name: 'app.app_1.stars', body }]);
    await eventually(() => said.length >= 3);
    expect(said).toEqual(
      Array(3).fill('[waybill] register(name, class) wants the name of an island and a class'),
    );
    expect(await page.evaluate('typeof window.WB.register')).toBe('function');
  });

  const productHtml = `<article data-wb-product="prd_1">
    <div class="wb-field wb-variant-picker"><select name="variant-prd_1"><option value="var_1">1</option><option value="var_2">2</option></select></div>
    <button class="wb-button wb-add-to-cart" type="button" data-wb-product="prd_1" data-wb-variant="var_1"><svg></svg>Add</button>
    </article>
    <form class="wb-form" name="contact" method="dialog"><input name="name" value="Ada"><input name="tag" value="a">
    <input name="tag" value="b"><button type="submit">Send</button></form>`;

  /** Opens the product and the form, and records the page's own events. */
  async function openShop(): Promise<() => Promise<unknown>> {
    await open(productHtml);
    await page.evaluate(`window.told = []; for (const type of ['wb:variant', 'wb:add-to-cart', 'wb:submit'])
      document.addEventListener(type, (event) => told.push([type, event.detail]));`);
    return () => page.evaluate('told');
  }

  test('tells which variant is chosen, and puts that one in the cart', async () => {
    const shop = await openShop();
    await page.click('.wb-add-to-cart');
    await page.selectOption('select', 'var_2');
    await page.click('.wb-add-to-cart');
    expect(await shop()).toEqual([
      ['wb:add-to-cart', { productId: 'prd_1', variantId: 'var_1', quantity: 1 }],
      ['wb:variant', { productId: 'prd_1', variantId: 'var_2' }],
      ['wb:add-to-cart', { productId: 'prd_1', variantId: 'var_2', quantity: 1 }],
    ]);
  });

  test('puts the shown variant in the cart after the browser has restored the choice', async () => {
    const shop = await openShop();
    // Firefox restores fields on reload and on the way back without an event.
    await page.evaluate("document.querySelector('select').value = 'var_2'");
    await page.click('.wb-add-to-cart');
    expect(await shop()).toEqual([
      ['wb:add-to-cart', { productId: 'prd_1', variantId: 'var_2', quantity: 1 }],
    ]);
    expect(await page.locator('.wb-add-to-cart').getAttribute('data-wb-variant')).toBe('var_2');
  });

  test('takes the quantity of a field beside the button, or of the product elsewhere, as a whole number', async () => {
    const field = (value: string) =>
      `<div class="wb-quantity"><input name="quantity-prd_1" value="${value}"></div>`;
    const button =
      '<button class="wb-add-to-cart" type="button" data-wb-product="prd_1" data-wb-variant="var_1">+</button>';
    const readQuantity = async (html: string) => {
      await open(html);
      await page.evaluate(
        "window.told = []; document.addEventListener('wb:add-to-cart', (event) => told.push(event.detail.quantity));",
      );
      await page.click('.wb-add-to-cart');
      return page.evaluate('told[0]');
    };
    const product = (html: string) => `<article class="wb-product">${html}</article>`;
    expect(await readQuantity(field('7') + product(field('3') + button))).toBe(3);
    expect(await readQuantity(field('7') + product(button))).toBe(7);
    expect(await readQuantity(field('2.5') + button)).toBe(2);
    expect(await readQuantity(field('-4') + button)).toBe(1);
    expect(await readQuantity(field('5000') + button)).toBe(999);
  });

  test('tells what a form holds, and stays on the page', async () => {
    const shop = await openShop();
    await page.click('[type=submit]');
    const fields = [
      ['name', 'Ada'],
      ['tag', 'a'],
      ['tag', 'b'],
    ];
    expect(await shop()).toEqual([['wb:submit', { name: 'contact', fields }]]);
    expect(page.url()).toBe(`${site.url}/`);
  });

  test('sends a form with an action, unless a script takes it over', async () => {
    site.files.set('/sent', { body: '<title>Sent</title>' });
    await open(
      `<form class="wb-form" action="/sent" method="post"><button type="submit">Send</button></form>`,
    );
    await page.evaluate(
      `document.addEventListener('wb:submit', (event) => event.preventDefault(), { once: true })`,
    );
    await page.click('[type=submit]');
    expect(await page.title()).toBe('Page');
    await page.click('[type=submit]');
    await page.waitForURL('**/sent');
  });
});
