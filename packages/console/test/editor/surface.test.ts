import {
  type DocumentSources,
  findListQuery,
  listKey,
  type PageDocument,
  type PageNode,
} from '@waybill/page';
import { hasChromium, launchChromium } from '@waybill/testing';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { openModule } from '../../testing/open-module.ts';
import type { Look } from '../../testing/surface-in-browser.ts';

const node = (id: string, type: string, specials: object = {}, children?: string[]): PageNode =>
  ({ id, type, props: { specials }, ...(children && { children }) }) as PageNode;

const document: PageDocument = {
  rootId: 'root',
  nodes: [
    node('root', 'container', {}, ['title', 'link', 'box', 'doc', 'none', 'block', 'sec']),
    node('title', 'heading', { text: 'Title', level: 1 }),
    node('link', 'button', { text: 'Go', icon: 'bag' }),
    node('box', 'stack', {}, ['one', 'two']),
    node('one', 'text', { text: 'One' }),
    node('two', 'text', { text: 'Two' }),
    node('doc', 'richText', {
      doc: { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Rich' }] }] },
    }),
    node('none', 'text', { text: '' }),
    node('block', 'blockRef', { appId: 'app_1', blockKey: 'reviews' }),
    node('sec', 'sectionRef', { sectionId: 'sec_1' }),
  ],
};
const sources: DocumentSources = {
  currency: 'EUR',
  products: {},
  media: {},
  pages: {},
  appValues: [],
  sections: { sec_1: { rootId: 'title', nodes: [node('title', 'heading', { text: 'In a section' })] } },
  apps: {
    app_1: {
      blocks: {
        reviews: {
          key: 'reviews',
          name: 'Reviews',
          rootId: 'r',
          nodes: [
            node('r', 'stack', {}, ['title']),
            { ...node('title', 'text', { text: 'In a block', anchorId: 'inside' }), island: 'stars' },
          ],
        },
      },
    },
  },
};

(hasChromium('the canvas') ? describe : describe.skip)('on the canvas', () => {
  let browser: Browser;
  let page: Page;
  let debug: CDPSession;
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1100, height: 700 } });
    debug = await page.context().newCDPSession(page);
    await openModule(page, new URL('../../testing/surface-in-browser.ts', import.meta.url));
  });
  afterAll(() => browser?.close());
  const open = (given: object) => page.evaluate(`openCanvas(${JSON.stringify(JSON.stringify(given))})`);
  beforeEach(() => open({ document, sources }));

  const look = () => page.evaluate<Look>('look()');
  const act = (call: string) => page.evaluate(`void act.${call}`);
  const findPoint = (selector: string) =>
    page.evaluate<{ x: number; y: number; height: number }>(`findPoint(${JSON.stringify(selector)})`);
  /** Sent through the debugger: Playwright asks each frame about drags, and a frame without scripts never answers. */
  const mouse = (type: 'Pressed' | 'Moved' | 'Released', { x, y }: { x: number; y: number }, buttons = 1) =>
    debug.send('Input.dispatchMouseEvent', {
      type: `mouse${type}`,
      x,
      y,
      buttons,
      clickCount: 1,
      button: type === 'Moved' && buttons === 0 ? 'none' : 'left',
    });
  const until = async (holds: (seen: Look) => boolean): Promise<Look> => {
    const end = performance.now() + 30_000;
    for (;;) {
      const seen = await look();
      if (holds(seen)) return seen;
      if (performance.now() > end) throw new Error(`It never came to that: ${JSON.stringify(seen)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const edit = async (id: string) => {
    await act(`edit('${id}')`);
    await page.waitForFunction(`act.isTyping('${id}')`);
  };

  test('a text is typed where it stands, with the history of the document, and ends as it is published', async () => {
    await edit('title');
    await page.keyboard.type('New <title>');
    expect(await look()).toMatchObject({
      nodes: { title: { text: 'New <title>' } },
      steps: 1,
      editingId: 'title',
    });
    await page.keyboard.press('Control+z');
    const undone = await look();
    expect(undone.nodes.title!.text).toBe('Title');
    expect(undone.body).toContain('Title');
    await page.keyboard.press('Control+Shift+z');
    await page.keyboard.press('Escape');
    expect(await look()).toMatchObject({
      nodes: { title: { text: 'New <title>' } },
      editingId: null,
      isAsPublished: true,
    });
  });

  test('a composed text is written once it is there, and not touched before', async () => {
    await edit('one');
    await debug.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
    await debug.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 });
    await debug.send('Input.insertText', { text: '日本' });
    expect((await look()).nodes.one!.text).toBe('日本');
    await act('stop()');
    expect((await look()).isAsPublished).toBe(true);
  });

  test('a text that is empty, or becomes so, can still be typed in', async () => {
    await edit('none');
    await page.keyboard.type('Here');
    expect((await look()).nodes.none!.text).toBe('Here');
    for (let i = 0; i < 6; i++) await page.keyboard.press('Backspace');
    expect((await look()).nodes.none!.text).toBe('');
    await page.keyboard.type('x');
    await page.keyboard.press('Enter');
    expect(await look()).toMatchObject({ nodes: { none: { text: 'x' } }, isAsPublished: true });
  });

  test('a space on a button is typed and its icon stays', async () => {
    await edit('link');
    await page.keyboard.press('End');
    await page.keyboard.type(' on');
    await act('stop()');
    const seen = await look();
    expect(seen.nodes.link!.text).toBe('Go on');
    expect(seen.isAsPublished).toBe(true);
    expect(seen.body).toContain('<svg');
  });

  test('what the vocabulary refuses is said, and does not stay on the page', async () => {
    await edit('link');
    await page.keyboard.insertText('x'.repeat(20_001));
    const seen = await look();
    expect(seen.nodes.link!.text).toBe('Go');
    expect(seen.said.join()).toContain('refused');
    await act('stop()');
    expect((await look()).isAsPublished).toBe(true);
  });

  test('with a language chosen, typing writes a translation and leaves the document', async () => {
    await act("locale('de')");
    await edit('title');
    await page.keyboard.type('Titel');
    const seen = await look();
    expect(seen.said.at(-1)).toBe('title text Titel');
    expect(seen.nodes.title!.text).toBe('Title');
  });

  test('with a language chosen, each piece of a rich text is translated where it stands', async () => {
    const run = (text: string, ...marks: object[]) => ({ type: 'text', text, marks });
    const doc = {
      type: 'doc',
      content: [
        { type: 'paragraph', content: [run('Tea '), run('and more'), run(' cups', { type: 'bold' })] },
        { type: 'paragraph', content: [run('Last')] },
      ],
    };
    const nodes = [node('root', 'container', {}, ['doc']), node('doc', 'richText', { doc })];
    await open({ document: { rootId: 'root', nodes }, sources });
    await act("locale('de')");
    await edit('doc');
    await page.keyboard.type('Tee ');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type(' Tassen');
    expect((await look()).said.filter((text) => text.endsWith('Tee ') || text.endsWith(' Tassen'))).toEqual([
      'doc doc.0.0 Tee ',
      'doc doc.0.2  Tassen',
    ]);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.type('Zuletzt');
    await page.keyboard.press('Escape');
    const seen = await look();
    expect(seen.body).toContain('<p>Tee and more<strong> Tassen</strong></p><p>Zuletzt</p>');
    expect(seen).toMatchObject({ nodes: { doc: { doc } }, editingId: null, isAsPublished: true });
  });

  test('rich text is typed in the same history and ends as it is published', async () => {
    await edit('doc');
    await page.keyboard.press('End');
    await page.keyboard.type(' and ');
    await page.keyboard.press('Control+b');
    await page.keyboard.type('bold');
    const typed = await look();
    expect(JSON.stringify(typed.nodes.doc)).toContain(
      '{"type":"text","text":"bold","marks":[{"type":"bold"}]}',
    );
    await page.keyboard.press('Control+z');
    expect(JSON.stringify((await look()).nodes.doc)).not.toContain('bold');
    await page.keyboard.press('Control+y');
    await page.keyboard.press('Control+a');
    await act("link('https://example.com/')");
    await page.keyboard.press('Escape');
    const seen = await look();
    expect(seen.isAsPublished).toBe(true);
    expect(seen.body).toContain('<a href="https://example.com/">Rich and </a>');
  });

  test('of a list another kind is made, an empty item goes out of the inner one, and code stays one block', async () => {
    await edit('doc');
    await act("tool('bulletList')");
    await act("tool('orderedList')");
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Inner');
    await act("tool('bulletList')");
    for (const key of ['Enter', 'Enter']) await page.keyboard.press(key);
    await page.keyboard.type('Outer');
    await page.keyboard.press('Escape');
    const lists = '<ol><li><p>Rich</p><ul><li><p>Inner</p></li></ul></li><li><p>Outer</p></li></ol>';
    expect((await look()).body).toContain(lists);

    const doc = { type: 'doc', content: [{ type: 'codeBlock', content: [{ type: 'text', text: 'a\nb' }] }] };
    await open({ document: { rootId: 'doc', nodes: [node('doc', 'richText', { doc })] }, sources });
    await edit('doc');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('c');
    expect((await look()).body).toContain('a\nb\nc');

    // A document as an older editor left it, with no place for the caret.
    const empty = { type: 'doc', content: [{ type: 'bulletList', content: [{ type: 'listItem' }] }] };
    await open({ document: { rootId: 'doc', nodes: [node('doc', 'richText', { doc: empty })] }, sources });
    await edit('doc');
    await page.keyboard.type('Item');
    await page.keyboard.press('Escape');
    expect((await look()).body).toContain('<ul><li><p>Item</p></li></ul>');
  });

  test('what is pasted into a rich text takes the place of what is selected, from Google Docs, Word and itself', async () => {
    const paste = (html: string) =>
      page.evaluate(`{
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/html', ${JSON.stringify(html)});
        const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
        document.querySelector('iframe').contentDocument.activeElement.dispatchEvent(paste);
      }`);
    const written = (pattern: RegExp) => until(({ nodes }) => pattern.test(JSON.stringify(nodes.doc)));
    await edit('doc');
    await page.keyboard.press('Control+a');
    await paste(
      '<b style="font-weight:normal"><p>From <span style="font-weight:700">Docs</span> to <a href="https://example.com/">there</a></p></b>',
    );
    await written(
      /"content":\[\{"type":"paragraph","content":\[\{"type":"text","text":"From "\},.*"Docs","marks":\[\{"type":"bold"\}\]\},\{"type":"text","text":" to "\},.*"there","marks":\[\{"type":"link","attrs":\{"href":\{"type":"url","url":"https:\/\/example\.com\/"/,
    );
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await paste(
      "<h2>Head</h2><p style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>·</span>Item</p><img src='https://example.com/x.png'>",
    );
    await written(/"heading","attrs":\{"level":2\}.*"bulletList".*"Item"/);
    await paste(
      '<p data-pm-slice="1 1 []"><a data-wb-link=\'{"type":"email","email":"a@b.example"}\'>mine</a></p>',
    );
    await written(/"email":"a@b\.example"/);
    await page.keyboard.press('Escape');
    expect((await look()).isAsPublished).toBe(true);
  });

  test('a click selects the innermost element; with Shift more of them', async () => {
    await page.mouse.click((await findPoint('.wb-text')).x, (await findPoint('.wb-text')).y);
    expect((await look()).selection).toEqual(['one']);
    const two = await findPoint('.wb-stack .wb-text:nth-child(2)');
    await page.keyboard.down('Shift');
    await page.mouse.click(two.x, two.y);
    await page.keyboard.up('Shift');
    expect((await look()).selection).toEqual(['one', 'two']);
  });

  test('4.12.1: a click in a block selects its reference, and nothing in it is typed', async () => {
    const { x, y } = await findPoint('#inside');
    await page.mouse.dblclick(x, y);
    await page.keyboard.type('x');
    const seen = await look();
    expect(seen.selection).toEqual(['block']);
    expect(seen.editingId).toBeNull();
    expect(seen.isAsPublished).toBe(true);
  });

  test('what has no text, or may not be written, shows its settings instead', async () => {
    const settings = { editingId: null, shown: { right: 'inspector', narrow: 'right' } };
    for (const id of ['box', 'root', 'block']) {
      await act(`begin('${id}')`);
      expect((await look()).said.join()).toContain('has no text');
      const seen = await until(({ focused }) => focused === 'setting');
      expect(seen).toMatchObject({ ...settings, selection: [id] });
      await page.evaluate('document.activeElement.blur()');
    }
    await open({ document, sources, isViewer: true });
    await act("begin('title')");
    expect(await look()).toMatchObject({ editingId: null, said: [] });
    expect(await until(({ focused }) => focused === 'setting')).toMatchObject(settings);
  });

  test('keys act on the element that has the focus as if it were selected, if they are keys of its own', async () => {
    await act("select('one')");
    const find = (key: string, ...ids: string[]) =>
      page.evaluate<string | undefined>(`act.findAction('${key}', ${JSON.stringify(ids)})`);
    for (const key of ['Tab', 'Shift', 'Control', '?']) expect(await find(key, 'two')).toBeUndefined();
    expect(await find('Delete', 'two')).toBe('delete');
    expect(await find('F2', 'two')).toBe('rename');
    // Several have no one name to change, and the root stays.
    expect(await find('F2', 'one', 'two')).toBeUndefined();
    expect(await find('Delete', 'root')).toBeUndefined();
    expect(await look()).toMatchObject({ selection: ['one'], steps: 0 });
  });

  test('typing is offered by the menu where there is a text to type', async () => {
    const offers = (id: string) =>
      page.evaluate<boolean>(`act.findAction('Enter', ${JSON.stringify([id])}) === 'edit'`);
    for (const id of ['title', 'link', 'doc', 'none']) expect(await offers(id)).toBe(true);
    for (const id of ['root', 'box', 'block', 'sec']) expect(await offers(id)).toBe(false);
  });

  test('a text that is gone once the code to type it has loaded leaves nothing being typed', async () => {
    await page.evaluate("act.edit('title'); act.removeTitle();");
    expect(await until(({ editingId }) => editingId === null)).toMatchObject({ isAsPublished: true });
  });

  test('4.12.12: islands are not marked', async () => {
    expect((await look()).body).not.toContain('data-wb-island');
  });

  test('a global section is selected as one, and opened by a double click', async () => {
    const { x, y } = await findPoint('main > div > .wb-heading:last-child');
    await page.mouse.dblclick(x, y);
    const seen = await look();
    expect(seen.selection).toEqual(['sec']);
    expect(seen.said).toContain('section sec');
  });

  test('a global section is edited where it stands: what is around stays, and a click there leads back', async () => {
    await open({ document, sources, inside: 'sec' });
    const { x, y } = await findPoint('main > div > .wb-heading:last-child');
    await page.mouse.click(x, y);
    expect((await look()).selection).toEqual(['title']);
    await edit('title');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Typed in it');
    await page.keyboard.press('Escape');
    const seen = await look();
    expect(seen.nodes).toMatchObject({ title: { text: 'Typed in it' } });
    expect(Object.keys(seen.nodes)).toEqual(['title']);
    expect(seen.body).toContain('>Title</h1>');
    expect(seen.body).toContain('Typed in it');
    expect(seen.isAsPublished).toBe(true);
    const one = await findPoint('.wb-text');
    await page.mouse.click(one.x, one.y);
    expect(await look()).toMatchObject({ said: expect.arrayContaining(['left for one']) });
  });

  test('what a list repeats is one element, outlined in each of its cards and typed in all at once', async () => {
    const nodes = [
      node('root', 'container', {}, ['list']),
      node('list', 'productList', { source: { kind: 'all' } }, ['card']),
      node('card', 'stack', {}, ['name', 'word', 'buy']),
      node('name', 'productTitle'),
      node('word', 'text', { text: 'New' }),
      node('buy', 'addToCart', { text: 'Buy', soldOutText: 'Sold out' }),
    ];
    const key = listKey(findListQuery({ type: 'productList', specials: { source: { kind: 'all' } } })!);
    const product = (id: string) => ({
      id,
      name: `Tea ${id}`,
      url: `/p/${id}`,
      priceCents: 100,
      variants: [],
    });
    const products = { prd_1: product('prd_1'), prd_2: product('prd_2') };
    const lists = { [key]: { ids: ['prd_1', 'prd_2'], page: 1, pages: 1 } };
    await open({ document: { rootId: 'root', nodes }, sources: { ...sources, products, lists } });
    const cards = page.frameLocator('iframe').locator('.wb-text');
    expect(await cards.count()).toBe(2);
    const second = await findPoint('.wb-stack:last-child .wb-text');
    await page.mouse.click(second.x, second.y);
    expect((await look()).selection).toEqual(['word']);
    expect(await page.evaluate('boxes()')).toBe(2);
    await page.mouse.dblclick(second.x, second.y);
    await page.waitForFunction("act.isTyping('word')");
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Fresh');
    expect(await cards.allTextContents()).toEqual(['Fresh', 'Fresh']);
    await page.keyboard.press('Control+z');
    expect(await cards.allTextContents()).toEqual(['New', 'New']);
    await page.keyboard.press('Control+y');
    await page.keyboard.press('Escape');
    expect(await look()).toMatchObject({ nodes: { word: { text: 'Fresh' } }, isAsPublished: true });
    const name = await findPoint('.wb-stack:last-child .wb-product-title');
    await page.mouse.dblclick(name.x, name.y);
    expect(await look()).toMatchObject({ selection: ['name'], editingId: null });
    // A sold-out button shows another text than its own, so it cannot be edited.
    await act("edit('buy')");
    await page.waitForFunction('act.editing() === null');
    await page.keyboard.type('x');
    expect(await look()).toMatchObject({
      selection: ['buy'],
      nodes: { buy: { text: 'Buy' } },
      editingId: null,
    });
  });

  test('an element is dragged to another place; Escape leaves it where it was', async () => {
    const title = await findPoint('.wb-heading');
    const two = await findPoint('.wb-stack .wb-text:nth-child(2)');
    const below = { x: two.x, y: two.y + two.height / 4 };
    const drag = async () => {
      await mouse('Moved', title, 0);
      await mouse('Pressed', title);
      await mouse('Moved', { x: title.x, y: title.y + 10 });
      await mouse('Moved', below);
    };
    await drag();
    await page.keyboard.press('Escape');
    await mouse('Released', below);
    expect((await look()).nodes.box!.children).toEqual(['one', 'two']);
    await drag();
    await mouse('Released', below);
    const seen = await until(({ nodes }) => nodes.box!.children?.length === 3);
    expect(seen).toMatchObject({
      nodes: { box: { children: ['one', 'two', 'title'] } },
      isAsPublished: true,
    });
  });

  test('space inside and around an element is made by its handles, each drag one step', async () => {
    await act("select('box')");
    await look();
    const drag = async (spacing: string, by: { x: number; y: number }) => {
      const { left, top, width, height } = await page.evaluate<DOMRect>(
        `document.querySelector('[data-spacing=${spacing}]').getBoundingClientRect().toJSON()`,
      );
      const from = { x: left + width / 2, y: top + height / 2 };
      await mouse('Moved', from, 0);
      await mouse('Pressed', from);
      await mouse('Moved', { x: from.x + by.x / 2, y: from.y + by.y / 2 });
      await mouse('Moved', { x: from.x + by.x, y: from.y + by.y });
      await mouse('Released', { x: from.x + by.x, y: from.y + by.y });
    };
    await drag('paddingTop', { x: 0, y: 12 });
    const { steps } = await until(({ styles }) => styles.box?.paddingTop === '12px');
    expect(steps).toBe(1);
    await drag('marginBottom', { x: 0, y: 20 });
    await until(({ styles }) => styles.box?.marginBottom === '20px');
    await drag('marginLeft', { x: 9, y: 0 });
    const seen = await until(({ styles }) => styles.box?.marginLeft === '9px');
    expect([seen.steps, seen.isAsPublished]).toEqual([3, true]);
  });

  test('no link is followed and no form is sent', async () => {
    const before = page.url();
    const { x, y } = await findPoint('.wb-button');
    await page.mouse.click(x, y);
    expect(page.url()).toBe(before);
    expect((await look()).selection).toEqual(['link']);
  });
});
