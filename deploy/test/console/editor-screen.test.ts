import { eventually, hasChromium } from '@waybill/testing';
import type { Browser, Locator, Page } from 'playwright-core';
import { expectStatus } from '../../testing/accounts.ts';
import { documentOf, heading, Site, sectionRef } from '../e2e/site.ts';
import { oneTopology, type SharedSystem } from '../e2e/topologies.ts';
import { launchChromium, newVisitor, type Visitor } from './browser.ts';
import { picture } from './pictures.ts';

const describeWithChromium = hasChromium('the screen of the page editor') ? describe : describe.skip;

describeWithChromium.each(oneTopology)('the screen of the page editor on $name', ({ share }) => {
  let browser: Browser;
  let system: SharedSystem;
  let site: Site;
  let ann: Visitor;

  beforeAll(async () => {
    system = await share();
    site = await Site.open(system.baseUrl, 'Tea Garden');
    expectStatus(await site.edit('PATCH', '', { locales: ['en', 'de'] }), 200);
    for (const name of ['Earl Grey', 'Sencha', 'Assam']) {
      const variants = [{ name: '100 g', priceCents: 890, stock: 5 }];
      expectStatus(await site.edit('POST', '/products', { name, status: 'active', variants }), 201);
    }
    browser = await launchChromium();
    ann = await newVisitor(browser, system);
    await ann.signIn(site.owner);
    await showLayers();
  });
  afterAll(() => browser?.close());
  afterEach(() => expect(ann.complaints()).toEqual([]));

  /** Most of these tests look at the layers, with which the editor opens once a user has chosen them. */
  const showLayers = () => ann.page.evaluate(`localStorage.setItem('waybill.editor.tab', 'layers')`);
  const canvas = (page: Page) => page.frameLocator('iframe[title="Page"]');
  const saved = (page: Page) => page.getByRole('status').getByText('Saved', { exact: true }).waitFor();

  async function edit(name: string, ...all: Parameters<typeof documentOf>[0]) {
    const { id } = await site.page(name);
    await site.save(id, documentOf(all));
    await ann.visit(`/stores/${site.storeId}/pages/${id}/edit`);
    await canvas(ann.page).locator('.wb-section').first().waitFor({ state: 'attached' });
    return id;
  }
  const stored = async (id: string) =>
    expectStatus(await site.edit('GET', `/pages/${id}/draft`), 200).body.document.nodes as {
      id: string;
      type: string;
      children?: string[];
      props?: { specials?: Record<string, unknown> };
    }[];

  const press = async (...keys: string[]) => {
    for (const key of keys) await ann.page.keyboard.press(key);
  };
  const pane = () =>
    ann.page.evaluate<string | undefined>(`document.activeElement?.closest('[data-pane]')?.dataset.pane`);
  const go = (to: string) =>
    eventually(async () => {
      if ((await pane()) === to) return true;
      await press('F6');
      return false;
    });

  test('a page like the home of a shop is built, looked through and published by keys alone', async () => {
    const id = await edit('Home');
    const { page } = ann;
    const insert = async (what: string) => {
      await press('/');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type(what);
      await page
        .getByRole('option', { name: new RegExp(what, 'i') })
        .first()
        .waitFor();
      await press('ArrowDown', 'Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    const selected = (name: RegExp) => page.getByRole('row', { name, selected: true }).waitFor();

    await go('canvas');
    await insert('hero');
    await canvas(page).getByRole('heading', { name: 'Welcome' }).waitFor();
    await press('ArrowRight', 'ArrowRight');
    await selected(/Heading/);
    await press('Enter');
    await canvas(page).locator('[contenteditable]').waitFor();
    await press('Control+a');
    await page.keyboard.insertText('Tea from small gardens');
    await press('Escape');
    await canvas(page).getByRole('heading', { name: 'Tea from small gardens' }).waitFor();
    await press('Escape', 'Escape', 'Escape');
    await insert('three products');
    await press('ArrowRight', 'ArrowDown', 'ArrowRight');
    await selected(/Product/);
    await go('right');
    await eventually(async () => {
      await press('Tab');
      return page.evaluate<boolean>(`document.activeElement?.getAttribute('role') === 'combobox'`);
    });
    await page.keyboard.type('Sencha');
    await page.getByRole('option', { name: /Sencha/ }).waitFor();
    await press('ArrowDown', 'Enter');
    await canvas(page).getByText('€8.90').first().waitFor();

    // The elements get the other order, and then the first one again, as by dragging.
    await go('canvas');
    await press('Escape', 'Escape');
    await selected(/Section/);
    await press('Alt+ArrowUp');
    const kinds = async () =>
      (await stored(id)).map(({ type }) => type).filter((type) => type === 'product' || type === 'button');
    await eventually(async () => (await kinds())[0] === 'product');
    await press('Control+z');
    await eventually(async () => (await kinds())[0] === 'button');

    await press('Shift+F6', 'Shift+F6');
    await eventually(async () => {
      await press('Tab');
      return page.evaluate<boolean>(`document.activeElement?.textContent === 'Publish'`);
    });
    await press('Enter');
    await page.getByRole('dialog').getByText('It goes live for the first time').waitFor();
    await eventually(async () => {
      await press('Tab');
      return page.evaluate<boolean>(`document.activeElement?.textContent === 'Publish'`);
    });
    await press('Enter');
    await page.getByText('Visitors see it now.').waitFor();
    await press('Escape');
    const { url } = expectStatus(await site.edit('GET', `/pages/${id}`), 200).body.page;
    const live = await (await fetch(new URL(url, system.baseUrl))).text();
    expect(live).toContain('Tea from small gardens');
    expect(live).toContain('€8.90');
  });

  interface Box {
    x: number;
    y: number;
    width: number;
    height: number;
  }
  /** Returns the place of the innermost element with a text of the canvas, in the window. */
  const boxOf = (text: string) =>
    ann.page.evaluate<Box>(`(() => {
      const frame = document.querySelector('iframe[title="Page"]');
      const all = [...frame.contentDocument.querySelectorAll('main *')];
      const inner = all.findLast((each) => each.textContent.trim() === ${JSON.stringify(text)});
      const { left, top, width } = frame.getBoundingClientRect();
      const scale = width / frame.offsetWidth;
      const box = inner.getBoundingClientRect();
      return { x: left + box.x * scale, y: top + box.y * scale, width: box.width * scale, height: box.height * scale };
    })()`);
  const middle = ({ x, y, width, height }: Box) => ({ x: x + width / 2, y: y + height / 2 });
  const upperEnd = ({ x, y, width }: Box) => ({ x: x + width / 2, y: y + 2 });
  const shown = async (what: Locator) => (await what.boundingBox())!;
  const row = (name: RegExp) => ann.page.getByRole('row', { name }).first();
  const typesIn = async (id: string) => (await stored(id)).map(({ type }) => type);
  /** Returns the content of the page's root, by type. */
  const partsOf = async (id: string) => {
    const nodes = await stored(id);
    return nodes[0]!.children!.map((child) => nodes.find((node) => node.id === child)!.type);
  };

  test('a product list shows its products at once, says when it waits for them, and keeps them through undo and redo', async () => {
    const { page } = ann;
    await edit('List', heading('Our teas'));
    const names = canvas(page).getByRole('heading', { name: /Earl Grey|Sencha|Assam/ });
    const shows = (count: number) => eventually(async () => (await names.count()) === count);
    await page.getByRole('tab', { name: 'Insert' }).click();
    await page.getByRole('button', { name: 'Product list' }).click();
    await shows(3);

    const held = Promise.withResolvers<void>();
    await page.route(/\/canvas$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page
      .getByRole('spinbutton', { name: 'How many' })
      .or(page.getByLabel('How many'))
      .first()
      .fill('2');
    await page.keyboard.press('Tab');
    await page.getByText('Loading content…').waitFor();
    // Still there while it waits.
    expect(await names.count()).toBe(3);
    held.resolve();
    await shows(2);
    await page.getByText('Loading content…').waitFor({ state: 'detached' });
    await page.unroute(/\/canvas$/);

    await page.getByRole('button', { name: /^Undo/ }).click();
    await shows(3);
    await page.getByRole('button', { name: /^Undo/ }).click();
    await shows(0);
    await page.getByRole('button', { name: /^Redo/ }).click();
    await shows(3);
    await page.getByRole('button', { name: /^Redo/ }).click();
    await shows(2);
    await saved(page);
  });

  test('what is selected comes into view on the page and among the layers, and nothing else scrolls', async () => {
    const { page } = ann;
    const texts = Array.from({ length: 60 }, (_, i) => ({
      id: `t${i}`,
      type: 'text',
      props: { specials: { text: `Line ${i}` }, style: { base: { paddingTop: '40px' } } },
    }));
    await edit('Long', ...texts);
    for (const width of [1280, 1440]) {
      await page.setViewportSize({ width, height: 720 });
      const scrolled = () =>
        page.evaluate<string[]>(`[document.scrollingElement, ...document.querySelectorAll('main, main *')]
          .filter((each) => each.scrollTop > 0).map((each) => each.getAttribute('role') ?? each.className)`);
      const isShown = (text: string) => async () => {
        const { y, height } = await boxOf(text);
        return y > 40 && y + height < 720;
      };
      await row(/Text/).waitFor();
      await page.evaluate(`document.querySelector('[role=treegrid]').scrollTop = 0`);
      await row(/Line 0/).click();
      await page.keyboard.press('End');
      await row(/Line 59/).click();
      await eventually(isShown('Line 59'));
      expect((await scrolled()).every((role) => role === 'treegrid')).toBe(true);
      expect((await page.getByRole('button', { name: 'Publish' }).boundingBox())!.y).toBeGreaterThan(0);

      // In the other direction, the element selected on the page appears among the layers.
      await page.evaluate(`document.querySelector('[role=treegrid]').scrollTop = 0`);
      await canvas(page).getByText('Line 57', { exact: true }).click();
      await page.getByRole('row', { name: /Line 57/, selected: true }).waitFor();
      const layer = (await row(/Line 57/).boundingBox())!;
      expect([layer.y > 60, layer.y + layer.height <= 720]).toEqual([true, true]);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test('cards, layers and files are dragged to the page and the layers; a line shows where, Escape takes it back', async () => {
    const { page } = ann;
    const id = await edit('Drags', heading('First'), {
      id: 't',
      type: 'text',
      props: { specials: { text: 'Second' } },
    });
    const { mouse } = page;
    const drag = async (from: Box, to: { x: number; y: number }) => {
      const start = middle(from);
      await mouse.move(start.x, start.y);
      await mouse.down();
      await mouse.move(start.x + 8, start.y + 8, { steps: 2 });
      await mouse.move(to.x, to.y, { steps: 6 });
    };
    const order = async (...types: string[]) =>
      eventually(async () => String(await partsOf(id)) === String(types), { what: String(types) });

    // A card is dragged from the palette to the page.
    await page.getByRole('tab', { name: 'Insert' }).click();
    const card = (name: string) => page.getByRole('button', { name, exact: true });
    await drag(await shown(card('Button')), upperEnd(await boxOf('Second')));
    await page.keyboard.press('Escape');
    await mouse.up();
    expect(await typesIn(id)).not.toContain('button');
    await drag(await shown(card('Button')), upperEnd(await boxOf('Second')));
    await mouse.up();
    await order('heading', 'button', 'text');

    // A card is dragged from the palette to the layers, whose tab opens below the pointer.
    await page.getByRole('tab', { name: 'Insert' }).click();
    await drag(await shown(card('Grid')), middle(await shown(page.getByRole('tab', { name: 'Layers' }))));
    await row(/Heading/).waitFor();
    const first = upperEnd(await shown(row(/Heading/)));
    await mouse.move(first.x, first.y, { steps: 4 });
    await mouse.up();
    await order('grid', 'heading', 'button', 'text');

    // A layer by its name, held over itself for longer than a long press, and then dragged to another row.
    const text = middle(await shown(row(/Text/).getByText('Second')));
    await mouse.move(text.x, text.y);
    await mouse.down();
    await mouse.move(text.x + 7, text.y + 2, { steps: 2 });
    await page.waitForFunction(`new Promise((done) => setTimeout(() => done(true), 650))`);
    const top = upperEnd(await shown(row(/Grid/)));
    await mouse.move(top.x, top.y, { steps: 6 });
    await mouse.up();
    await order('text', 'grid', 'heading', 'button');

    // A layer to the page, and from the page to the layers.
    await drag(
      await shown(
        row(/Button/)
          .getByText('Button')
          .first(),
      ),
      upperEnd(await boxOf('First')),
    );
    await mouse.up();
    await order('text', 'grid', 'button', 'heading');
    await drag(await boxOf('First'), upperEnd(await shown(row(/Text/))));
    await mouse.up();
    await order('heading', 'text', 'grid', 'button');

    // A file to the page, and a file to the field of a picture.
    const bytes = picture('screen').buffer.toString('base64');
    const file = `(() => {
      const files = new DataTransfer();
      files.items.add(new File([Uint8Array.fromBase64('${bytes}')], 'screen.png', { type: 'image/png' }));
      return files;
    })()`;
    const dropped = (target: string, point: string) =>
      page.evaluate(`{
        const target = ${target};
        const [clientX, clientY] = ${point};
        const view = target.ownerDocument.defaultView;
        for (const type of ['dragenter', 'dragover', 'drop'])
          target.dispatchEvent(new view.DragEvent(type, {
            dataTransfer: ${file}, bubbles: true, cancelable: true, clientX, clientY }));
      }`);
    const inFrame = `document.querySelector('iframe[title="Page"]').contentDocument`;
    await dropped(
      `${inFrame}.querySelector('h2')`,
      `(({ left, bottom }) => [left + 5, bottom - 3])(${inFrame}.querySelector('h2').getBoundingClientRect())`,
    );
    await order('heading', 'image', 'text', 'grid', 'button');
    await page.getByRole('button', { name: 'Replace' }).waitFor();
    const src = async () => (await stored(id)).find(({ type }) => type === 'image')?.props?.specials?.src;
    const before = await src();
    await dropped(`document.querySelector('[data-file-field]')`, '[0, 0]');
    await eventually(async () => (await src()) !== before);
    // Outside of elements that take it, a file does nothing; by default, the browser would open it.
    const isRefused = await page.evaluate(`{
      const drop = new DragEvent('drop', { dataTransfer: ${file}, bubbles: true, cancelable: true });
      !document.querySelector('h1').dispatchEvent(drop);
    }`);
    expect(isRefused).toBe(true);
    await saved(page);
  });

  test('a drag that is one fast move lands all the same, and the list of sections opens below a dragged card', async () => {
    const { page } = ann;
    const id = await edit('Fast', heading('Only'));
    const card = (name: string) => page.getByRole('button', { name, exact: true });
    await page.getByRole('tab', { name: 'Insert' }).click();
    const { height } = (await page.locator('iframe[title="Page"]').boundingBox())!;
    await card('Divider').dragTo(page.locator('iframe[title="Page"]'), {
      targetPosition: { x: 300, y: height - 20 },
    });
    await eventually(async () => String(await partsOf(id)) === 'heading,divider');
    await page.getByRole('tab', { name: 'Insert' }).click();
    await card('Grid').hover();
    await page.mouse.down();
    await page.getByRole('tab', { name: 'Sections' }).hover();
    await page.getByRole('tab', { name: 'Sections', selected: true }).waitFor();
    const first = (await page.locator('[data-parts] [data-layer]').first().boundingBox())!;
    await page.mouse.move(first.x + 40, first.y + 3, { steps: 3 });
    await page.mouse.up();
    await eventually(async () => String(await partsOf(id)) === 'grid,heading,divider');
    await showLayers();
  });

  test('ready-made sections stand beside each other, hold the store’s products and pictures, and have no problems', async () => {
    const { page } = ann;
    const id = await edit('Sections');
    await page.getByRole('tab', { name: 'Insert' }).click();
    const starters = [
      'Hero',
      'Three columns',
      'Picture and text',
      'Three products',
      'Quote',
      'Contact form',
      'Hero',
    ];
    // On an empty page, the canvas offers some of them as well. What is dragged lands on the page below them.
    const offer = page.getByRole('heading', { name: 'There is nothing here yet' });
    const insert = page.getByRole('tabpanel', { name: 'Insert' });
    await insert.getByRole('button', { name: 'Quote', exact: true }).hover();
    await page.mouse.down();
    const place = middle(await shown(offer));
    await page.mouse.move(place.x, place.y, { steps: 6 });
    await page.mouse.up();
    await eventually(async () => (await partsOf(id).catch(() => [])).length === 1);
    await offer.waitFor({ state: 'detached' });
    await press('ControlOrMeta+z');
    await eventually(async () => (await partsOf(id)).length === 0);
    for (const [i, name] of starters.entries()) {
      await insert.getByRole('button', { name, exact: true }).click();
      await eventually(async () => (await partsOf(id).catch(() => [])).length === i + 1);
    }
    expect(await partsOf(id)).toEqual(starters.map(() => 'section'));
    await canvas(page).getByText('Earl Grey').waitFor();
    const levels = (await stored(id))
      .filter(({ type }) => type === 'heading')
      .map((each) => each.props?.specials?.level);
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    await page.getByRole('tab', { name: /^Problems/ }).click();
    await page.getByText('No problems found').waitFor();

    // Right after the selected section, even if an element deep within it is selected.
    await canvas(page).getByText('Earl Grey').click();
    await page.getByRole('button', { name: 'Quote', exact: true }).click();
    await eventually(async () => (await partsOf(id)).length === starters.length + 1);
    const nodes = await stored(id);
    const within = (root: string): string =>
      JSON.stringify(nodes.find((node) => node.id === root)) +
      (nodes.find((node) => node.id === root)?.children ?? []).map(within).join('');
    const quotes = nodes[0]!.children!.map((part) => within(part).includes('What a customer says'));
    expect(quotes.indexOf(true)).toBe(4);
    expect(quotes.filter(Boolean)).toHaveLength(2);
  });

  test('publishing says what will happen: sample texts, pictures without a file and problems by name, each leads to its element; the badge tells unpublished changes', async () => {
    const { page } = ann;
    const id = await edit(
      'Honest',
      heading('Good tea'),
      {
        id: 't',
        type: 'text',
        props: { specials: { text: 'Write something here.' } },
      },
      { id: 'i', type: 'image' },
    );
    await page.getByRole('button', { name: 'Publish' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('between your store’s header and footer', { exact: false }).waitFor();
    expect(await dialog.getByText('as you see it').count()).toBe(0);
    await dialog.getByText('Placeholders that are still on the page').waitFor();
    await dialog.getByText('You can publish anyway', { exact: false }).waitFor();
    await dialog
      .getByRole('listitem')
      .filter({ hasText: 'Write something here.' })
      .getByRole('button', { name: 'Go there' })
      .click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Write something here/, selected: true }).waitFor();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('From small gardens');
    await saved(page);
    await page.getByRole('button', { name: 'Publish' }).click();
    await dialog
      .getByRole('listitem')
      .filter({ hasText: 'No file chosen' })
      .getByRole('button', { name: 'Go there' })
      .click();
    await page.getByRole('row', { name: /Image/, selected: true }).waitFor();
    await go('canvas');
    await press('Delete');
    await saved(page);
    await page.getByRole('row', { name: /From small gardens/ }).click();

    // The heading is of level 2: a page has one of level 1.
    await page.getByRole('tab', { name: /^Problems \(/ }).waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await dialog.getByText('Open problems').waitFor();
    expect(await dialog.getByText('Placeholders').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Visitors see it now.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('From large gardens');
    await page.getByText('Live, with unpublished changes').waitFor();
    await saved(page);
    await page.getByText('Live, with unpublished changes').waitFor();
    // An undone change is none, although it was saved.
    await page.getByRole('button', { name: /^Undo/ }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    await saved(page);
    expect(await page.getByText('Live', { exact: true }).count()).toBe(1);
    const undone = expectStatus(await site.edit('GET', `/pages/${id}`), 200).body.page;
    expect(undone).toMatchObject({ hasDraft: true, hasChanges: false });
    await ann.visit(`/stores/${site.storeId}/pages/${id}/edit`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('row', { name: /From small gardens/ }).click();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('From large gardens');
    await page.getByText('Live, with unpublished changes').waitFor();
    await saved(page);
    expectStatus(await site.publish(id), 200);
  });

  test('Ctrl+K links what is selected in a rich text, to an address or to what is found by name; Ctrl+A outside a text selects elements', async () => {
    const { page } = ann;
    const doc = {
      type: 'doc',
      content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Our Sencha' }] }],
    };
    const id = await edit('Links', heading('Teas'), {
      id: 'r',
      type: 'richText',
      props: { specials: { doc } },
    });
    const links = async () =>
      JSON.stringify((await stored(id)).find(({ type }) => type === 'richText')?.props?.specials?.doc);
    const begin = async () => {
      await canvas(page).getByText('Our Sencha').dblclick();
      await page.getByRole('toolbar', { name: 'Text' }).waitFor();
      await press('Control+a', 'Control+k');
      await page.getByRole('textbox', { name: 'Address' }).waitFor();
    };
    await begin();
    await page.keyboard.type('sencha');
    await page
      .getByRole('toolbar', { name: 'Text' })
      .getByRole('button', { name: /Sencha.*Product/ })
      .click();
    await eventually(async () => (await links()).includes('"type":"product"'));
    await press('Escape');
    await begin();
    await press('Control+a');
    await page.keyboard.type('tea@example.com');
    await press('Enter');
    await eventually(async () => (await links()).includes('"email":"tea@example.com"'));
    expect(await links()).toContain('Our Sencha');
    await press('Escape');
    // A name that is confirmed before it is found becomes a link to what is found first; arrows go to the others.
    await begin();
    expect(await page.getByRole('textbox', { name: 'Address' }).inputValue()).toBe('tea@example.com');
    await press('Control+a');
    await page.keyboard.type('earl');
    await press('Enter');
    await eventually(async () => (await links()).includes('"type":"product"'));
    await press('Escape');
    await begin();
    await page.keyboard.type('assam');
    // Until then, the results are those of an empty field, in which Assam is among others.
    const results = page.getByRole('toolbar', { name: 'Text' }).getByRole('listitem');
    await eventually(async () => (await results.count()) === 1);
    await page.getByRole('button', { name: /Assam.*Product/ }).waitFor();
    await press('ArrowDown', 'ArrowUp', 'ArrowDown', 'Enter');
    await page.getByRole('textbox', { name: 'Address' }).waitFor({ state: 'detached' });
    await eventually(async () => (await links()).includes('"type":"product"'));
    await press('Escape', 'Escape');

    await page.getByRole('heading', { level: 1 }).click();
    await press('Control+a');
    expect(await page.evaluate('String(getSelection())')).toBe('');
    await page.getByText('2 elements', { exact: true }).waitFor();
    // The field of a link takes both as well.
    await canvas(page).getByText('Teas').click();
    await go('canvas');
  });

  test('Ctrl+K finds categories and articles by name, and the live page leads to them', async () => {
    const { page } = ann;
    const category = expectStatus(await site.edit('POST', '/categories', { name: 'Green teas' }), 201).body
      .category;
    const written = { title: 'Brewing well', content: '<p>Take your time.</p>', status: 'published' };
    const { article } = expectStatus(await site.edit('POST', '/articles', written), 201).body;
    const doc = {
      type: 'doc',
      content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Read on' }] }],
    };
    const id = await edit('Leads', { id: 'r', type: 'richText', props: { specials: { doc } } });
    const linked = async () =>
      JSON.stringify((await stored(id)).find(({ type }) => type === 'richText')?.props?.specials?.doc);
    const link = async (typed: string, found: RegExp, href: object) => {
      await canvas(page).getByText('Read on').dblclick();
      await page.getByRole('toolbar', { name: 'Text' }).waitFor();
      // Letters that follow the shortcut at once reach the field and not the text.
      await press('Control+a', 'Control+k', ...typed);
      await page.getByRole('toolbar', { name: 'Text' }).getByRole('button', { name: found }).click();
      await eventually(async () => (await linked()).includes(JSON.stringify(href)));
      expect(await linked()).toContain('Read on');
      await press('Escape');
      await saved(page);
      const { url } = expectStatus(await site.publish(id), 200).body.page;
      const html = await (await fetch(url)).text();
      const address = /href="([^"]+)"[^>]*>Read on</.exec(html)?.[1];
      return (await fetch(new URL(address!, url))).text();
    };
    const inCategory = { type: 'category', categoryId: category.id };
    expect(await link('green', /^Green teas/, inCategory)).toContain('<h1');
    expect(await link('brewing', /^Brewing well/, { type: 'article', articleId: article.id })).toContain(
      'Take your time.',
    );
  });

  test('a description links to what is found by name, and to addresses as they are typed', async () => {
    const { page } = ann;
    const { product } = expectStatus(
      await site.edit('POST', '/products', { name: 'Gift box', description: '<p>With our best tea</p>' }),
      201,
    ).body;
    await ann.visit(`/stores/${site.storeId}/products/${product.id}`);
    const card = page.getByRole('region', { name: 'Product', exact: true });
    const text = card.getByRole('textbox', { name: 'Description' });
    const link = async (typed: string) => {
      await text.getByText('With our best tea').click();
      await press('Control+a', 'Control+k');
      await page.getByRole('textbox', { name: 'Address', exact: true }).last().fill(typed);
    };
    const description = async () =>
      expectStatus(await site.edit('GET', `/products/${product.id}`), 200).body.product.description as string;
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await link('sencha');
    await page.getByRole('button', { name: /^Sencha.*Product/ }).click();
    await save.click();
    await eventually(async () => /href="http[^"]*\/products\/sencha"/.test(await description()));
    await link('tea@example.com');
    await press('Enter');
    await save.click();
    await eventually(async () => (await description()).includes('href="mailto:tea@example.com"'));
    expect(await description()).toContain('With our best tea');
  });

  test('right after opening “/” inserts; a closed layer says so, and the right arrow opens it', async () => {
    const { page } = ann;
    await edit('Fresh');
    await press('/');
    await page.getByRole('dialog', { name: 'Insert' }).waitFor();
    // The name in full is found before longer names, such as “Picture and text”.
    await page.keyboard.type('text');
    await page.getByRole('option').first().getByText('Text').first().waitFor();
    await press('Enter');
    await page.getByRole('row', { name: /^Text/, selected: true }).waitFor();
    const box = { id: 'c', type: 'container', children: ['d'] };
    const inner = { id: 'd', type: 'container', children: ['e'] };
    const text = { id: 'e', type: 'text', props: { specials: { text: 'Deep' } } };
    const { id } = await site.page('Closed');
    await site.save(id, documentOf([box], [inner, text]));
    await ann.visit(`/stores/${site.storeId}/pages/${id}/edit`);
    const closed = page.getByRole('row', { name: /Container/, expanded: false });
    await closed.click();
    await press('ArrowRight');
    await page.getByRole('row', { name: /Deep/ }).waitFor();
  });

  test('what is pasted from Word or as plain text keeps bold, italics, tables and lists, and breaks no rule of the page', async () => {
    const { page } = ann;
    const id = await edit('Pasted');
    const paste = (type: string, data: string) =>
      page.evaluate(`{
        const clipboardData = new DataTransfer();
        clipboardData.setData('${type}', ${JSON.stringify(data)});
        const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
        document.querySelector('[data-pane=canvas]').dispatchEvent(event);
      }`);
    await paste(
      'text/html',
      '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal{margin:0}</style></head><body>' +
        '<p class=MsoNormal style="margin:0cm">Tea <b style="mso-bidi-font-weight:normal">with milk</b> and ' +
        '<i style="mso-bidi-font-style:normal">sugar</i><o:p></o:p></p>' +
        '<table class=MsoTableGrid style="border-collapse:collapse"><tr><td><p>Assam</p></td><td><p>9 €</p></td></tr>' +
        '<tr><td><p>Sencha</p></td><td><p>8 €</p></td></tr></table></body></html>',
    );
    await canvas(page).locator('strong, b').getByText('with milk').waitFor();
    await canvas(page).locator('em, i').getByText('sugar').waitFor();
    await eventually(async () => (await typesIn(id)).includes('grid'));
    const left = async (text: string) =>
      (await canvas(page).getByText(text, { exact: true }).boundingBox())!.x;
    expect(await left('Sencha')).toBeCloseTo(await left('Assam'), 0);
    expect(await left('8 €')).toBeCloseTo(await left('9 €'), 0);
    expect(JSON.stringify(await stored(id))).not.toMatch(/mso|margin/i);
    await paste('text/plain', '- Green tea\n- Black tea');
    await canvas(page).getByRole('listitem').getByText('Green tea').waitFor();
    expect(await canvas(page).getByRole('listitem').allTextContents()).toEqual(['Green tea', 'Black tea']);
    await saved(page);
  });

  test('the sheet of keys names arrows, Home, End, copy and paste', async () => {
    const { page } = ann;
    await edit('Sheet');
    await press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.waitFor();
    for (const does of ['Previous element', 'Next element', 'First sibling', 'Last sibling', 'Copy', 'Paste'])
      await sheet.getByText(does, { exact: true }).waitFor();
    await press('Escape');
  });

  test('labels of empty elements lie neither over texts nor over each other; a list’s fields have names of their own', async () => {
    const { page } = ann;
    const empty = ['e1', 'e2', 'e3'].map((id) => ({ id, type: 'container', children: [] }));
    const text = { id: 'w', type: 'text', props: { specials: { text: 'Read me' } } };
    const list = { id: 'l', type: 'productList', children: [] };
    await edit('Labels', heading('Above'), ...empty, text, list);
    const chips = page.locator('button[data-id]');
    await canvas(page).getByText('Read me').waitFor();
    await chips.first().waitFor();
    const areApart = (a: Box, b: Box) =>
      a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
    // The products of the list arrive meanwhile, and the elements below move.
    const areAllApart = async () => {
      const boxes = await Promise.all((await chips.all()).map((chip) => shown(chip)));
      const read = [await boxOf('Above'), await boxOf('Read me')];
      return boxes.every((box, i) => [...boxes.slice(i + 1), ...read].every((other) => areApart(box, other)));
    };
    await eventually(areAllApart, { what: 'labels that lie apart' });

    await page.getByRole('tab', { name: 'Layers' }).click();
    await row(/Product list/).click();
    await page.getByRole('button', { name: /All products/ }).click();
    await page.getByRole('option', { name: 'By tag' }).click();
    await page.getByRole('textbox', { name: 'Tag', exact: true }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Tag', exact: true }).count()).toBe(1);
  });

  test('at 1024 pixels and below, panels are drawers over a page of full width', async () => {
    const { page } = ann;
    const before = page.viewportSize()!;
    await edit('Tablet', heading('Wide'));
    try {
      for (const width of [1024, 768]) {
        await page.setViewportSize({ width, height: 800 });
        const parts = page.getByRole('radiogroup').filter({ hasText: 'Build' });
        const frame = page.locator('[data-pane=canvas]');
        await parts.getByText('Page', { exact: true }).click();
        expect((await shown(frame)).width).toBe(width);
        await parts.getByText('Settings', { exact: true }).click();
        const panel = await shown(page.locator('[data-pane=right]'));
        expect(panel.width).toBeLessThan(width / 2);
        expect((await shown(frame)).width).toBe(width);
        const tab = await shown(page.getByRole('tab', { name: /^Problems/ }));
        expect(tab.x + tab.width).toBeLessThanOrEqual(width);
      }
    } finally {
      await page.setViewportSize(before);
    }
  });

  test('a drawer gives way to the page when a drag leaves it: Escape brings it back, a drop does not', async () => {
    const { page } = ann;
    const before = page.viewportSize()!;
    const id = await edit('Drawer', heading('Only'));
    const drawer = page.locator('[data-pane=left]');
    const drag = async (from: Locator) => {
      const { x, y, width, height } = await shown(from);
      await page.mouse.move(x + width / 2, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x + width / 2 + 20, y + height / 2, { steps: 4 });
      expect(await drawer.isVisible()).toBe(true);
      await page.mouse.move(600, 400, { steps: 8 });
      await drawer.waitFor({ state: 'hidden' });
      // The place that the drawer covered takes the load.
      await page.mouse.move(150, 400, { steps: 8 });
    };
    try {
      await page.setViewportSize({ width: 1024, height: 800 });
      await page.getByRole('radiogroup').filter({ hasText: 'Build' }).getByText('Build').click();
      await page.getByRole('tab', { name: 'Insert' }).click();
      const card = drawer.getByRole('button', { name: 'Heading', exact: true });
      await drag(card);
      await press('Escape');
      await drawer.waitFor();
      await page.mouse.up();
      expect(await card.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
      expect(await stored(id)).toHaveLength(2);

      await drag(card);
      await page.mouse.up();
      await eventually(async () => (await stored(id)).length === 3);
      expect(await drawer.isVisible()).toBe(false);

      // Where a drawer hides the whole page, a short movement suffices.
      await page.setViewportSize({ width: 320, height: 640 });
      await page.getByRole('radiogroup').filter({ hasText: 'Build' }).getByText('Build').click();
      await card.scrollIntoViewIfNeeded();
      const { x, y } = await shown(card);
      await page.mouse.move(x + 10, y + 10);
      await page.mouse.down();
      await page.mouse.move(x + 30, y + 10, { steps: 4 });
      await drawer.waitFor({ state: 'hidden' });
      await page.mouse.move(x + 40, y + 10, { steps: 2 });
      await page.mouse.up();
      await eventually(async () => (await stored(id)).length === 4);
    } finally {
      await page.setViewportSize(before);
      await showLayers();
    }
  });

  test('the editor opens on the page’s sections: they are added, hidden, moved and renamed by keys and by mouse', async () => {
    const { page } = ann;
    const part = (id: string) => ({ id, type: 'section', children: [`${id}h`] });
    const said = (id: string, text: string) => ({
      id: `${id}h`,
      type: 'heading',
      props: { specials: { text } },
    });
    const { id } = await site.page('Parts');
    await site.save(
      id,
      documentOf([part('one'), part('two')], [said('one', 'First'), said('two', 'Second')]),
    );
    await page.evaluate(`localStorage.removeItem('waybill.editor.tab')`);
    await ann.visit(`/stores/${site.storeId}/pages/${id}/edit`);
    await page.getByRole('tab', { name: 'Sections', selected: true }).waitFor();
    const list = page.getByRole('list', { name: 'Sections' });
    const entry = (name: string) => list.getByRole('button', { name, exact: true });
    const order = (...ids: string[]) =>
      eventually(async () => String((await stored(id))[0]!.children) === String(ids), { what: String(ids) });
    const one = async (nodeId: string) =>
      (await stored(id)).find((node) => node.id === nodeId) as {
        label?: string;
        props?: { config?: object };
      };

    await entry('Section: First').focus();
    await press('ArrowDown');
    await press('Alt+ArrowUp');
    await order('two', 'one');
    // The focus moves along.
    await eventually(() =>
      page.evaluate<boolean>(`document.activeElement?.getAttribute('aria-label') === 'Section: Second'`),
    );
    await press('F2');
    const dialog = page.getByRole('dialog', { name: /^Rename/ });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Opening');
    await press('Enter');
    await entry('Opening').waitFor();
    await eventually(async () => (await one('two')).label === 'Opening');

    await list.getByRole('button', { name: 'Hide Section: First' }).click();
    await eventually(async () => JSON.stringify((await one('one')).props?.config)?.includes('"hidden":true'));
    await canvas(page).getByRole('heading', { name: 'First' }).waitFor({ state: 'detached' });
    await list.getByRole('button', { name: 'Show Section: First' }).click();
    await canvas(page).getByRole('heading', { name: 'First' }).waitFor();

    await entry('Section: First').click();
    await page.getByRole('button', { name: 'Add section' }).click();
    const adding = page.getByRole('dialog', { name: 'Add section' });
    await adding.waitFor();
    expect(await adding.getByRole('option', { name: /^Heading/ }).count()).toBe(0);
    await page.keyboard.type('quote');
    await adding.getByRole('option', { name: /Quote/ }).waitFor();
    await press('ArrowDown', 'Enter');
    await eventually(async () => (await list.getByRole('listitem').count()) === 3);
    expect((await stored(id))[0]!.children!.slice(0, 2)).toEqual(['two', 'one']);

    // A row is dragged before another.
    const { mouse } = page;
    const from = middle(await shown(entry('Section: First')));
    const to = upperEnd(await shown(entry('Opening')));
    await mouse.move(from.x, from.y);
    await mouse.down();
    await mouse.move(from.x + 8, from.y - 8, { steps: 2 });
    await mouse.move(to.x, to.y, { steps: 6 });
    await mouse.up();
    await eventually(async () => (await stored(id))[0]!.children![0] === 'one');
    await saved(page);
    expect(await ann.findBarriers()).toEqual([]);

    // One switch away is the tree of elements, with the same names; from then on the editor opens with it.
    await page.getByRole('tab', { name: 'Layers' }).click();
    await row(/^Opening/).waitFor();
    await row(/^Heading: First/).click();
    await row(/^Heading: First/)
      .getByRole('button', { name: /^Actions for/ })
      .click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Headline');
    await press('Enter');
    await row(/^Headline/).waitFor();
    await press('Control+z');
    await row(/^Heading: First/).waitFor();
    await saved(page);
    await page.reload();
    await page.getByRole('tab', { name: 'Layers', selected: true }).waitFor();
    await row(/^Opening/).waitFor();
    // Visitors see none of the names.
    expectStatus(await site.publish(id), 200);
    const { url } = expectStatus(await site.edit('GET', `/pages/${id}`), 200).body.page;
    expect(await (await fetch(new URL(url, system.baseUrl))).text()).not.toContain('Opening');
  });

  test('header and footer stand around the page, which stays its own bytes; a click leads to editing them, and back', async () => {
    const { page } = ann;
    const id = await edit('Framed', heading('Between'));
    const header = canvas(page).getByRole('banner');
    await header.getByText('Tea Garden').waitFor();
    await canvas(page).getByRole('contentinfo').waitFor();
    const inFrame = (expression: string) =>
      page.evaluate<string>(`(({ body, documentElement }) => ${expression})(
        document.querySelector('iframe[title="Page"]').contentDocument)`);
    const body = await inFrame('body.innerHTML');
    expect(body).not.toContain('wb-site-header');
    expectStatus(await site.publish(id), 200);
    const { url } = expectStatus(await site.edit('GET', `/pages/${id}`), 200).body.page;
    const live = await (await fetch(new URL(url, system.baseUrl))).text();
    expect(live).toContain(body);
    // The sections appear as visitors see them, in their order, and dimmed.
    expect(await inFrame('[...documentElement.children].map((each) => each.textContent).join("|")')).toMatch(
      /Tea Garden.*Between.*Tea Garden/s,
    );
    const opacity = `getComputedStyle(documentElement.querySelector('header')).opacity`;
    expect(Number(await inFrame(opacity))).toBeLessThan(0.7);

    await header.click({ position: { x: 10, y: 10 } });
    await page.getByRole('heading', { level: 1, name: 'Header' }).waitFor();
    await page.getByRole('link', { name: 'Back' }).click();
    await page.getByRole('heading', { level: 1, name: 'Framed' }).waitFor();
    // The keyboard opens a section from the list of sections.
    await page.getByRole('tab', { name: 'Sections' }).click();
    await page.getByRole('link', { name: 'Edit footer' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Footer' }).waitFor();

    const settings = { layout: 'none' };
    expectStatus(await site.edit('PATCH', `/pages/${id}`, { settings }), 200);
    await ann.visit(`/stores/${site.storeId}/pages/${id}/edit`);
    await canvas(page).getByText('Between').waitFor();
    await page.getByRole('button', { name: 'Add section' }).waitFor();
    expect(await header.count()).toBe(0);
    await showLayers();
  });

  test('the page is zoomed by menu, keys and wheel; panels fold and keep their width', async () => {
    const { page } = ann;
    await edit('Zoomed', heading('Large'));
    const zoom = page.getByRole('button', { name: /^Zoom: / });
    const is = (percent: string) =>
      page.getByRole('button', { name: `Zoom: ${percent}`, exact: true }).waitFor();
    const frameWidth = async () => Math.round((await shown(page.locator('iframe[title="Page"]'))).width);
    const fits = await frameWidth();
    await zoom.click();
    await page.getByRole('menuitem', { name: '200%' }).click();
    await is('200%');
    expect(await frameWidth()).toBe(2560);
    await go('canvas');
    await press('-');
    await is('150%');
    await press('+', '+');
    await is('200%');
    await press('0');
    await eventually(async () => (await frameWidth()) === fits);
    await page.mouse.move(600, 400);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -200);
    await page.keyboard.up('Control');
    await eventually(async () => (await frameWidth()) > fits);
    await press('0');

    const left = page.getByRole('separator', { name: 'Width of the left panel' });
    const panel = page.locator('[data-pane=left]');
    const before = (await shown(panel)).width;
    await left.focus();
    await press('ArrowRight', 'ArrowRight');
    await eventually(async () => (await shown(panel)).width === before + 32);
    await page.getByRole('button', { name: 'Hide right panel' }).press('Enter');
    await page.locator('[data-pane=right]').waitFor({ state: 'hidden' });
    await eventually(async () => (await frameWidth()) > fits);
    expect(await ann.findBarriers()).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Show right panel' }).click();
    await page.locator('[data-pane=right]').waitFor();
    expect((await shown(panel)).width).toBe(before + 32);
    await left.dblclick({ position: { x: 4, y: 20 } });
    await eventually(async () => (await shown(panel)).width === before);
  });

  test('the preview opens in a tab of its own, with header and footer and what was typed last', async () => {
    const { page } = ann;
    await edit('Previewed', heading('Before'));
    await canvas(page).getByText('Before').click();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('After');
    const [tab] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Preview' }).click(),
    ]);
    await tab.getByRole('heading', { level: 1, name: 'Preview: Previewed' }).waitFor();
    const shownPage = tab.frameLocator('iframe');
    await shownPage.getByRole('heading', { name: 'After' }).waitFor();
    await shownPage.getByRole('banner').getByText('Tea Garden').waitFor();
    await tab.getByText('Phone').click();
    await eventually(async () => (await tab.locator('iframe').boundingBox())!.width === 390);
    await tab.close();
  });

  test('controls show what the page computes where nothing is set; the box model is drawn with its sizes', async () => {
    const { page } = ann;
    const style = { base: { paddingTop: '40px', paddingLeft: '24px' } };
    const box = { id: 'box', type: 'section', props: { style }, children: ['h'] };
    const { id } = await site.page('Measured');
    await site.save(id, documentOf([box], [{ ...heading('Words'), id: 'h' }]));
    await ann.visit(`/stores/${site.storeId}/pages/${id}/edit`);
    await canvas(page).getByText('Words').click();
    await page.getByRole('button', { name: /^Typography/ }).click();
    const computed = (key: string) =>
      page.evaluate<string>(`(({ contentDocument, contentWindow }) =>
        contentWindow.getComputedStyle(contentDocument.querySelector('h2')).${key})(
          document.querySelector('iframe[title="Page"]'))`);
    const size = page.getByRole('textbox', { name: 'Font size' });
    await eventually(async () => (await size.getAttribute('placeholder')) === (await computed('fontSize')));
    expect(await size.inputValue()).toBe('');
    // A field leaves the keys that it does not use to the editor, and its reset button passes the focus on.
    await size.press('F6');
    expect(await pane()).toBe('toolbar');
    await size.fill('20px');
    const reset = page.getByRole('button', { name: 'Reset Font size' });
    await reset.press('Enter');
    await reset.waitFor({ state: 'detached' });
    await eventually(async () => (await pane()) === 'right');
    // A value from a wider width is shown, but not set here.
    await size.fill('50px');
    await eventually(async () => (await computed('fontSize')) === '50px');
    await page.getByRole('radiogroup', { name: 'Screen size' }).getByLabel('Phone').press('Space');
    await page.getByText('Changes apply to phone and smaller screens.').waitFor();
    expect(await size.inputValue()).toBe('');
    expect(await size.getAttribute('placeholder')).toBe('50px');
    await page.getByText('From a larger screen').waitFor();

    await page
      .getByRole('row', { name: /^Section/ })
      .nth(1)
      .click();
    const sizes = page.locator('[data-size]:visible');
    await eventually(async () => {
      const all = await sizes.evaluateAll((each) => each.map((one) => (one as HTMLElement).dataset.size));
      return all.includes('40') && all.includes('24');
    });
  });

  test('the bar of a rich text stands above the page and covers nothing; elements have signs of their own', async () => {
    const { page } = ann;
    const doc = { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Typed' }] }] };
    await edit('Bar', heading('Right above'), { id: 'r', type: 'richText', props: { specials: { doc } } });
    await canvas(page).getByText('Typed').dblclick();
    const bar = page.getByRole('toolbar', { name: 'Text' });
    await bar.waitFor();
    const { y, height } = await shown(bar);
    expect((await boxOf('Right above')).y).toBeGreaterThanOrEqual(y + height);
    await press('Escape', 'Escape');
    await page.getByRole('tab', { name: 'Insert' }).click();
    const names = [
      'Product list',
      'Article list',
      'Menu',
      'Breadcrumbs',
      'Cart button',
      'Search field',
      'Container',
    ];
    const signs = await Promise.all(
      names.map((name) => page.getByRole('button', { name, exact: true }).locator('svg').innerHTML()),
    );
    expect(new Set(signs).size).toBe(names.length);
  });

  test('the media room takes files wherever they are dropped, and elsewhere a dropped file opens no tab', async () => {
    const { page } = ann;
    const bytes = picture('anywhere').buffer.toString('base64');
    const drop = (selector: string) =>
      page.evaluate<boolean>(`(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([Uint8Array.fromBase64('${bytes}')], 'anywhere.png', { type: 'image/png' }));
        const target = document.querySelector('${selector}');
        const event = (type) => new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
        target.dispatchEvent(event('dragenter'));
        target.dispatchEvent(event('dragover'));
        return !target.dispatchEvent(event('drop'));
      })()`);
    await ann.visit(`/stores/${site.storeId}/media`);
    expect(await drop('h1')).toBe(true);
    await page.getByText('anywhere.png').first().waitFor();
    await ann.visit(`/stores/${site.storeId}/pages`);
    expect(await drop('h1')).toBe(true);
    expect(page.context().pages()).toHaveLength(1);
  });

  test('what is typed about a page stays while an element is looked at, and what is typed on it when it is opened again', async () => {
    const { page } = ann;
    const id = await edit('About us', heading('Welcome'));
    const welcome = canvas(page).getByRole('heading', { name: 'Welcome' });
    const title = page.getByLabel('Title for search engines');
    await welcome.click();
    const held = Promise.withResolvers<void>();
    await page.route(/\/draft$/, async (route) => {
      await held.promise;
      await route.fallback();
    });
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Welcome, all');
    await page.getByRole('link', { name: 'Back' }).click();
    // A slow save is shown until the screen is left.
    await ann.opened('dialog', 'Saving…');
    held.resolve();
    await page.locator('iframe[title="Page"]').waitFor({ state: 'detached' });
    await page.unroute(/\/draft$/);
    await page.goBack();
    await welcome.waitFor();
    expect(await welcome.textContent()).toBe('Welcome, all');
    await page.getByRole('tab', { name: 'Page', exact: true }).click();
    await title.fill('Who we are');
    await welcome.click();
    await title.waitFor({ state: 'hidden' });
    await page.getByRole('tab', { name: 'Page', exact: true }).click();
    expect(await title.inputValue()).toBe('Who we are');
    await page
      .getByRole('tabpanel', { name: 'Page', exact: true })
      .getByRole('button', { name: 'Save' })
      .click();
    const titled = async () => (await site.edit('GET', `/pages/${id}`)).body.page.settings.title;
    await eventually(async () => (await titled()) === 'Who we are');
  });

  test('the theme’s primary colour and the header are changed by keys, published, and on the live page', async () => {
    const { page } = ann;
    const home = await site.live('Welcome', documentOf([heading('Good tea')]));
    await ann.visit(`/stores/${site.storeId}/design`);
    await page.getByRole('link', { name: 'Edit Header' }).waitFor();
    expect(await ann.findBarriers()).toEqual([]);
    await page.getByRole('link', { name: 'Edit theme' }).focus();
    await press('Enter');
    const primary = page.getByRole('textbox', { name: 'Primary', exact: true });
    await primary.focus();
    await press('Control+a');
    await page.keyboard.insertText('#ffc9d7');
    await page.getByText('Hard to read: the contrast on “Primary” is 1.4').waitFor();
    await page.locator('iframe').waitFor();
    expect(await ann.findBarriers()).toEqual([]);
    await press('Control+a');
    await page.keyboard.insertText('#7a1f3d');
    await page.getByText('Hard to read').waitFor({ state: 'detached' });
    const seen = `getComputedStyle(document.querySelector('iframe').contentDocument.documentElement)
      .getPropertyValue('--wb-color-primary')`;
    await eventually(async () => (await page.evaluate<string>(seen)) === '#7a1f3d');
    await press('Enter');
    await page.getByText('Draft saved. Publish to make it live.').first().waitFor();
    await page.getByRole('button', { name: 'Publish…' }).focus();
    await press('Enter');
    const asked = await ann.opened('alertdialog', 'Publish theme?');
    await asked.getByText('Primary: #1a56c4 → #7a1f3d').waitFor();
    await asked.getByRole('button', { name: 'Publish' }).focus();
    await press('Enter');
    await page.getByText('Published', { exact: true }).first().waitFor();

    await ann.visit(`/stores/${site.storeId}/pages/${home.id}/edit`);
    await canvas(page)
      .getByRole('banner')
      .click({ position: { x: 10, y: 10 } });
    await page.getByRole('heading', { level: 1, name: 'Header' }).waitFor();
    const name = canvas(page).locator('header.wb-site-header strong, header.wb-site-header a').first();
    await name.waitFor();
    await go('canvas');
    await press('ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowRight');
    await page.getByRole('row', { name: /^(Text|Link): Tea Garden/, selected: true }).waitFor();
    await press('Enter');
    await canvas(page).locator('[contenteditable]').waitFor();
    await press('Control+a');
    await page.keyboard.insertText('The Tea Garden');
    await press('Escape');
    await page.getByRole('button', { name: 'Typography' }).focus();
    await press('Enter');
    await page.getByRole('button', { name: 'Text colour: use a theme value' }).focus();
    await press('Enter');
    await page.getByRole('menuitemradio', { name: 'Primary', exact: true }).focus();
    await press('Enter');
    const painted = `getComputedStyle(document.querySelector('iframe').contentDocument
      .querySelector('header').querySelector('strong, a')).color`;
    await eventually(async () => (await page.evaluate<string>(painted)) === 'rgb(122, 31, 61)');
    await saved(page);
    expect(await ann.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Publish', exact: true }).focus();
    await press('Enter');
    const publishing = page.getByRole('dialog', { name: 'Publish “Header”?' });
    await publishing.getByText('It goes live for the first time').waitFor();
    await publishing.getByRole('button', { name: 'Publish' }).focus();
    await press('Enter');
    await page.getByText('Visitors see it now.').waitFor();
    await press('Escape');

    const live = await (await fetch(new URL(home.url, system.baseUrl))).text();
    expect(live).toMatch(/<header class="wb-site-header">.*The Tea Garden.*<\/header>/);
    expect(live).toContain('color:var(--wb-color-primary);');
    const [, sheet] = /href="([^"]*theme-[0-9a-f]+\.css)"/.exec(live)!;
    const css = await (await fetch(new URL(sheet!, new URL(home.url, system.baseUrl)))).text();
    expect(css).toContain('--wb-color-primary:#7a1f3d;');
    // The page that was left for it has the new one, too.
    await page.getByRole('link', { name: 'Back' }).click();
    await canvas(page).getByRole('banner').getByText('The Tea Garden').waitFor();
  });

  test('the language switch of a header shows as visitors see it, and a click selects it and leads nowhere', async () => {
    const { page } = ann;
    await ann.visit(`/stores/${site.storeId}/design/header/edit`);
    const nav = canvas(page).locator('nav.wb-languages');
    const current = nav.locator('summary').getByText('English');
    await current.waitFor();
    // The page itself is the same to the byte: publishing fills the switch.
    expect(await nav.innerHTML()).toBe('');
    const { x, y, width, height } = await shown(nav);
    await page.mouse.click(x + width / 2, y + height / 2);
    await page.locator('[data-pane=right]').getByRole('heading', { name: 'Language switch' }).waitFor();
    expect(page.url()).toMatch(/design\/header\/edit$/);
    expect(await current.isVisible()).toBe(true);
    // The click selects the element and does not open its list.
    expect(await nav.getByText('Deutsch').isVisible()).toBe(false);
  });

  test('the template of products is shown with the fullest of them, and with another; its badge tells unpublished changes', async () => {
    const { page } = ann;
    const full = { name: 'Darjeeling', description: '<p>Bright</p>', status: 'active' };
    const variants = ['50 g', '100 g'].map((name) => ({ name, priceCents: 990, stock: 5 }));
    expectStatus(await site.edit('POST', '/products', { ...full, variants }), 201);
    // Newer, and without anything to show.
    const bare = {
      name: 'Nameless',
      status: 'active',
      variants: [{ name: 'One', priceCents: 100, stock: 0 }],
    };
    expectStatus(await site.edit('POST', '/products', bare), 201);
    await ann.visit(`/stores/${site.storeId}/design/product/edit`);
    await page.getByText('The default is live').waitFor();
    const shown = page.getByRole('button', { name: 'Shown with: Darjeeling' });
    await shown.press('Enter');
    await page.getByRole('combobox', { name: 'Show it with another product' }).fill('Sencha');
    await page.getByRole('option', { name: /Sencha/ }).click();
    await page.getByRole('button', { name: 'Shown with: Sencha' }).waitFor();
    await canvas(page).getByRole('heading', { name: 'Sencha' }).waitFor();
    expect(await ann.findBarriers()).toEqual([]);
    await ann.visit(`/stores/${site.storeId}/design/product`);
    await page.locator('iframe').waitFor();
    expect(await ann.findBarriers()).toEqual([]);

    const template = '/templates/product';
    const { document } = expectStatus(await site.edit('GET', `${template}/draft`), 200).body;
    expectStatus(await site.edit('PUT', `${template}/draft`, { document }), 200);
    expectStatus(await site.edit('POST', `${template}/publish`), 200);
    await ann.visit(`/stores/${site.storeId}/design/product/edit`);
    await page.getByText('Your own is live').waitFor();
    const [root, ...others] = document.nodes;
    const nodes = [{ ...root, children: [...root.children, 'more'] }, ...others];
    const more = { id: 'more', type: 'text', props: { specials: { text: 'More' } } };
    const changed = { ...document, nodes: [...nodes, more] };
    expectStatus(await site.edit('PUT', `${template}/draft`, { document: changed }), 200);
    await ann.visit(`/stores/${site.storeId}/design/product/edit`);
    await page.getByText('Live, with unpublished changes').waitFor();
  });

  test('a global section is changed where it stands, by pointer and by keys, and says where else it shows', async () => {
    const inside = { rootId: 'top', nodes: [{ id: 'top', type: 'section', children: ['w'] }] };
    const word = { id: 'w', type: 'text', props: { specials: { text: 'On all pages' } } };
    const body = { name: 'Banner', document: { ...inside, nodes: [...inside.nodes, word] } };
    const { section } = expectStatus(await site.edit('POST', '/sections', body), 201).body;
    const id = await edit('Holder', sectionRef(section.id), heading('Below'));
    const { page } = ann;
    const retype = async (words: string) => {
      await canvas(page).locator('[contenteditable]').waitFor();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(words);
      await page.keyboard.press('Escape');
    };
    await canvas(page).getByText('On all pages').dblclick();
    await page.getByText('Used on 1 page').waitFor();
    expect(await ann.findBarriers()).toEqual([]);
    await canvas(page).getByText('On all pages').dblclick();
    const held = Promise.withResolvers<void>();
    await page.route(new RegExp(`/sections/${section.id}$`), async (route) => {
      if (route.request().method() === 'PUT') await held.promise;
      await route.fallback();
    });
    await retype('Changed here');
    // A click on the surrounding page leads back to it; a slow save is shown until then.
    await canvas(page).getByText('Below').click();
    await ann.opened('dialog', 'Saving…');
    held.resolve();
    await page.getByRole('heading', { level: 2, name: 'Heading: Below' }).waitFor();
    await page.unrouteAll();
    const words = async () => {
      const { document } = expectStatus(await site.edit('GET', `/sections/${section.id}`), 200).body.section;
      return document.nodes[1].props.specials.text;
    };
    expect(await words()).toBe('Changed here');

    await page.keyboard.press('ArrowUp');
    await page.getByRole('row', { name: /Banner/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Used on 1 page').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await retype('And again');
    await page.keyboard.press('Control+z');
    await canvas(page).getByText('Changed here').waitFor();
    await page.keyboard.press('Control+Shift+z');
    await canvas(page).getByText('And again').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /Banner/, selected: true }).waitFor();
    await canvas(page).getByText('And again').waitFor();
    expect(await words()).toBe('And again');
    expect((await stored(id)).map(({ type }) => type)).toEqual(['section', 'sectionRef', 'heading']);
  });

  test('texts that are typed in another language are translations, and the page stays as it was written', async () => {
    const id = await edit('Languages', heading('Good tea'));
    const { page } = ann;
    await canvas(page).getByText('Good tea').click();
    await page.getByRole('button', { name: /Language of the page/ }).click();
    await page.getByRole('option', { name: 'German' }).click();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Guter Tee');
    await canvas(page).getByText('Guter Tee').waitFor();
    await eventually(async () => {
      const path = `/translations?entityType=node&entityId=${id}:h&locale=de`;
      const { translations } = expectStatus(await site.edit('GET', path), 200).body;
      return translations[0]?.value === 'Guter Tee';
    });
    await page.getByRole('button', { name: /Language of the page/ }).click();
    await page.getByRole('option', { name: /as written/ }).click();
    await canvas(page).getByText('Good tea').waitFor();
    expect((await stored(id)).find(({ type }) => type === 'heading')?.props?.specials?.text).toBe('Good tea');
  });

  test('an earlier state is compared and restored, which is a step that can be undone; a publish is taken back', async () => {
    const id = await edit('Past', heading('First'));
    expectStatus(await site.publish(id), 200);
    const { page } = ann;
    await ann.visit(`/stores/${site.storeId}/pages/${id}/edit`);
    await canvas(page).getByText('First').click();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Second');
    await saved(page);

    await page.getByRole('button', { name: 'Publish' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('del', { hasText: 'First' }).waitFor();
    await dialog.locator('ins', { hasText: 'Second' }).waitFor();
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await dialog.getByRole('button', { name: 'Take it back' }).click();
    await dialog.waitFor({ state: 'detached' });
    const live = async () => {
      const { url } = expectStatus(await site.edit('GET', `/pages/${id}`), 200).body.page;
      return (await fetch(new URL(url, system.baseUrl))).text();
    };
    await eventually(async () => (await live()).includes('First'));
    await canvas(page).getByText('First').waitFor();
    await page.getByRole('button', { name: /^Undo/ }).click();
    await canvas(page).getByText('Second').waitFor();

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'History' }).click();
    await dialog.getByRole('option').last().click();
    await dialog.locator('iframe').nth(1).waitFor();
    await dialog.getByRole('button', { name: 'Restore this version' }).click();
    await canvas(page).getByText('First').waitFor();
    await page.getByRole('button', { name: /^Undo/ }).click();
    await canvas(page).getByText('Second').waitFor();
    await saved(page);
  });
});
