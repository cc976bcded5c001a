import { iconPaths } from '@waybill/page';
import { eventually, hasChromium } from '@waybill/testing';
import type { Browser, Page } from 'playwright-core';
import { expectStatus, newPerson, type Person } from '../../testing/accounts.ts';
import { createCaller, send } from '../../testing/client.ts';
import { documentOf, heading, Site } from '../e2e/site.ts';
import { oneTopology, type SharedSystem } from '../e2e/topologies.ts';
import { launchChromium, newVisitor, type Visitor } from './browser.ts';
import { picture } from './pictures.ts';

const describeWithChromium = hasChromium('the page editor') ? describe : describe.skip;

const scopes = ['appdata.read'];
const trait = (
  key: string,
  label: string,
  slot: string,
  target: string,
  writeKey: string,
  widget: string,
) => ({
  key,
  label,
  attributes: [{ slot, target, writeKey, widget }],
});
const wordsTrait = trait('words', 'Words', 'title', 'specials', 'text', 'text');
const lookTrait = trait('look', 'Look', 'title', 'style', 'color', 'color');

/** Returns a block with a title that a merchant can edit and style, and with an island. */
const card = (label: string, traits: object[]) => ({
  key: 'card',
  name: 'Card',
  icon: 'star',
  rootId: 'root',
  traits,
  slots: [{ name: 'title', nodeId: 'title' }],
  nodes: [
    { id: 'root', type: 'container', children: ['title', 'label'], island: 'card' },
    { id: 'title', type: 'heading', props: { specials: { text: 'As the app wrote it', level: 3 } } },
    { id: 'label', type: 'text', props: { specials: { text: label } } },
  ],
});

/** Creates an app whose versions are approved immediately. */
async function newApp(system: SharedSystem, developer: Person) {
  const made = async (path: string, json: object) =>
    expectStatus(await developer.call('POST', path, json), 201).body;
  const { org } = await made('/api/orgs', { name: 'Cards' });
  const { app } = await made(`/api/orgs/${org.id}/apps`, {
    name: `Cards ${Date.now()}`,
    redirectUris: ['https://app.example/cb'],
  });
  const { email, password } = system.demo.reviewer;
  const login = await createCaller(system.baseUrl, undefined)('POST', '/api/auth/login', { email, password });
  const review = createCaller(system.baseUrl, expectStatus(login, 200).body.accessToken);
  return {
    id: app.id as string,
    async approve(block: object): Promise<void> {
      const versions = `/api/orgs/${org.id}/apps/${app.id}/versions`;
      const { version } = await made(versions, { scopes });
      const path = `${versions}/${version.id}`;
      expectStatus(await developer.call('PUT', `${path}/islands`, { islands: [{ name: 'card' }] }), 200);
      const headers = {
        authorization: `Bearer ${developer.accessToken}`,
        'content-type': 'text/javascript',
      };
      const body = `window.WB.register('app.${app.id}.card', class { constructor(element) { element.dataset.ran = '1'; } });`;
      const upload = `${path}/islands/module?name=card`;
      expectStatus(await send(system.baseUrl, 'POST', upload, { headers, body }), 201);
      expectStatus(await developer.call('PUT', `${path}/blocks`, { blocks: [block] }), 200);
      expectStatus(await developer.call('POST', `${path}/submit`), 200);
      expectStatus(await review('POST', `/api/review/versions/${version.id}/approve`), 200);
    },
  };
}

// The other topology runs the journeys of the shell and of other features: each of these takes a minute.
describeWithChromium.each(oneTopology)('the page editor on $name', ({ share }) => {
  let browser: Browser;
  let system: SharedSystem;
  let site: Site;
  let app: Awaited<ReturnType<typeof newApp>>;
  let ann: Visitor;
  let pageId: string;
  let failures: string[] = [];

  beforeAll(async () => {
    system = await share();
    site = await Site.open(system.baseUrl, 'Tea House');
    app = await newApp(system, await newPerson(system.baseUrl));
    await app.approve(card('First build', [wordsTrait, lookTrait]));
    expectStatus(await site.edit('POST', `/apps/${app.id}/install`, { scopes }), 201);
    browser = await launchChromium();
    ann = await newVisitor(browser, system);
    await ann.signIn(site.owner);
    await ann.page.evaluate(`localStorage.setItem('waybill.editor.tab', 'layers')`);
  });
  afterAll(() => browser?.close());
  afterEach(() => {
    // The browser reports the failures that a test causes itself.
    expect(ann.complaints().filter((text) => !failures.some((each) => text.includes(each)))).toEqual([]);
    failures = [];
  });

  const canvasOf = (page: Page) => page.frameLocator('iframe[title="Page"]');
  const stored = async () =>
    expectStatus(await site.edit('GET', `/pages/${pageId}/draft`), 200).body.document;
  const nodes = async (type: string) =>
    (await stored()).nodes.filter((node: { type: string }) => node.type === type);
  const saved = (page: Page) => page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  const text = (id: string, words: string) => ({ id, type: 'text', props: { specials: { text: words } } });

  /** Opens a page with this content in the editor. */
  async function edit(name: string, ...all: Parameters<typeof documentOf>[0]): Promise<void> {
    pageId = (await site.page(name)).id;
    await site.save(pageId, documentOf(all));
    await ann.visit(`/stores/${site.storeId}/pages/${pageId}/edit`);
    await canvasOf(ann.page).locator('.wb-section').first().waitFor();
  }

  /** Replaces a text on the canvas by typing. */
  async function retype(page: Page, before: string, after: string): Promise<void> {
    await canvasOf(page).getByText(before, { exact: true }).dblclick();
    await canvasOf(page).locator('[contenteditable]').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(after);
    await page.keyboard.press('Escape');
  }

  test('rules 1 and 4: a block is dropped as a reference, sealed: nothing in it is selected, edited or pasted into', async () => {
    await edit('Sealed', text('a', 'Before'));
    const { page } = ann;
    await page.getByRole('tab', { name: 'Insert' }).click();
    const inPalette = page.getByRole('button', { name: /^Card/ });
    // The star that its manifest names, and not the cube for other blocks.
    await inPalette.locator(`path[d="${iconPaths.star}"]`).waitFor();
    await inPalette.click();
    await canvasOf(page).getByText('First build').waitFor();
    await saved(page);
    const [reference] = await nodes('blockRef');
    expect(reference.props.specials).toEqual({ appId: app.id, blockKey: 'card' });

    await canvasOf(page).getByText('First build').click();
    await page.getByRole('heading', { level: 2, name: 'Card' }).waitFor();
    await canvasOf(page).getByText('First build').dblclick();
    expect(await canvasOf(page).locator('[contenteditable]').count()).toBe(0);
    await page.getByRole('tab', { name: 'Layers' }).click();
    await page.getByRole('row', { name: /Card/ }).locator(`path[d="${iconPaths.star}"]`).waitFor();
    expect(await page.getByRole('row', { name: /As the app wrote it|First build/ }).count()).toBe(0);
    await canvasOf(page).getByText('First build').click();
    // Evaluated as text in the browser, because Node has no such types.
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/html', '<h2>Pasted</h2>');
      const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.activeElement.dispatchEvent(paste);
    })()`);
    await canvasOf(page).getByRole('heading', { name: 'Pasted' }).waitFor();
    await saved(page);
    const [root] = await nodes('section');
    const [pasted] = await nodes('heading');
    expect(root.children).toEqual(['a', reference.id, pasted.id]);
    expect((await nodes('blockRef'))[0]).toEqual(reference);

    await canvasOf(page).getByText('First build').click();
    await page.keyboard.press('Delete');
    await canvasOf(page).getByText('First build').waitFor({ state: 'detached' });
    await saved(page);
    expect(await nodes('blockRef')).toEqual([]);
  });

  test('the editor itself has no barriers', async () => {
    await edit('Barriers', heading('Welcome'), text('a', 'One'));
    await canvasOf(ann.page).getByText('One').click();
    expect(await ann.findBarriers()).toEqual([]);
  });

  test('rules 2, 3 and 13: a trait opens all of its target on its slot; settings stay when an upgrade takes the control, and come back with it', async () => {
    const block = { id: 'b', type: 'blockRef', props: { specials: { appId: app.id, blockKey: 'card' } } };
    await edit('Settings', block);
    const { page } = ann;
    const canvas = canvasOf(page);
    await canvas.getByText('First build').click();
    await page.getByLabel('Text', { exact: true }).first().fill('As the merchant wrote it');
    await canvas.getByText('As the merchant wrote it').waitFor();
    // A key other than the one that the trait names.
    await page.getByRole('button', { name: /^Style: title/ }).click();
    await page.getByRole('button', { name: 'Effects' }).click();
    await page.getByRole('slider', { name: 'Opacity' }).fill('0.5');
    const opacity = () =>
      page.evaluate(`(() => {
        const { contentDocument } = document.querySelector('iframe[title="Page"]');
        return contentDocument.defaultView.getComputedStyle(contentDocument.querySelector('h3')).opacity;
      })()`);
    await eventually(async () => (await opacity()) === '0.5');
    await saved(page);
    const settings = {
      title: { specials: { text: 'As the merchant wrote it' }, style: { base: { opacity: 0.5 } } },
    };
    expect((await nodes('blockRef'))[0].props.settings).toEqual(settings);
    const { url } = expectStatus(await site.publish(pageId), 200).body.page;
    const live = async () => (await (await fetch(new URL(url, system.baseUrl))).text()) as string;
    expect(await live()).toContain('First build');

    // Rule 13: visible here at once, on the live page with the next publish.
    await app.approve(card('Second build', [lookTrait]));
    await eventually(async () => {
      await ann.visit(`/stores/${site.storeId}/pages/${pageId}/edit`);
      await canvas.locator('.wb-section').first().waitFor();
      return (await canvas.getByText('Second build').count()) > 0;
    });
    expect(await live()).toContain('First build');
    expect(await canvas.getByText('As the app wrote it').count()).toBe(1);
    await canvas.getByText('Second build').click();
    await page.getByText('Settings no longer in use').waitFor();
    expect((await nodes('blockRef'))[0].props.settings).toEqual(settings);

    await app.approve(card('Third build', [lookTrait, wordsTrait]));
    await eventually(async () => {
      await ann.visit(`/stores/${site.storeId}/pages/${pageId}/edit`);
      await canvas.locator('.wb-section').first().waitFor();
      return (await canvas.getByText('Third build').count()) > 0;
    });
    expect(await canvas.getByText('As the merchant wrote it').count()).toBe(1);
    await site.live('Something else', documentOf([heading('Published')]));
    await eventually(async () => (await live()).includes('Third build'));
  });

  test('rule 12: islands neither run nor are marked on the canvas, and are on the live page', async () => {
    const canvas = canvasOf(ann.page);
    expect(await canvas.locator('[data-wb-island], [data-ran], script').count()).toBe(0);
    const { page } = expectStatus(await site.api('GET', `/api/v1/pages/${pageId}`), 200).body;
    const live = await (await fetch(new URL(page.url, system.baseUrl))).text();
    expect(live).toContain(`data-wb-island="app.${app.id}.card"`);
  });

  test('two people on one page: what does not touch is merged, what both wrote is asked', async () => {
    await edit('Together', heading('Welcome'), text('a', 'One'), text('b', 'Two'));
    const { page } = ann;
    const other = async (words: string) => {
      const { document } = expectStatus(await site.edit('GET', `/pages/${pageId}/draft`), 200).body;
      const [root, ...rest] = document.nodes;
      await site.save(pageId, {
        ...document,
        nodes: [root, ...rest.map((node: { id: string }) => (node.id === 'b' ? text('b', words) : node))],
      });
    };
    failures = ['412'];
    await other('Theirs');
    await retype(page, 'One', 'Mine');
    await canvasOf(page).getByText('Theirs').waitFor();
    await saved(page);
    expect((await nodes('text')).map((node: never) => node)).toMatchObject([
      text('a', 'Mine'),
      text('b', 'Theirs'),
    ]);

    await other('Theirs again');
    await retype(page, 'Theirs', 'Mine again');
    const dialog = page.getByRole('alertdialog', { name: 'Someone else changed this too' });
    await dialog.getByText('Theirs again').waitFor();
    await dialog.getByText('Mine again').waitFor();
    await dialog
      .locator('label')
      .filter({ hasText: /^Theirs/ })
      .click();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await canvasOf(page).getByText('Theirs again').waitFor();
    await saved(page);
    expect(await nodes('text')).toMatchObject([text('a', 'Mine'), text('b', 'Theirs again')]);
  });

  test('two people on an article that has no document yet: the first save of the second loses nothing of the first', async () => {
    const created = await site.edit('POST', '/articles', { title: 'News' });
    const { id } = expectStatus(created, 201).body.article;
    const { page } = ann;
    failures = ['404', '412'];
    await ann.visit(`/stores/${site.storeId}/blog/${id}/edit`);
    await canvasOf(page).locator('.wb-section').first().waitFor({ state: 'attached' });
    const theirs = { document: documentOf([text('a', 'Theirs')]) };
    expectStatus(await site.edit('PUT', `/articles/${id}/document`, theirs), 200);
    while ((await page.evaluate('document.activeElement.dataset.pane')) !== 'canvas')
      await page.keyboard.press('F6');
    await page.keyboard.press('/');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('heading');
    await page
      .getByRole('option', { name: /Heading/ })
      .first()
      .waitFor();
    for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key);
    await canvasOf(page).getByText('Theirs').waitFor();
    await saved(page);
    const { document } = expectStatus(await site.edit('GET', `/articles/${id}/document`), 200).body;
    const types = document.nodes.map(({ type }: { type: string }) => type).sort();
    expect(types).toEqual(['heading', 'section', 'text']);
  });

  test('a picture is pasted or uploaded where it stands, into the library; one that is refused is said', async () => {
    await edit('Pictures', text('a', 'One'));
    const { page } = ann;
    await canvasOf(page).getByText('One').click();
    const bytes = picture('screen').buffer.toString('base64');
    const paste = (type: string) =>
      page.evaluate(`{
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File([Uint8Array.fromBase64('${bytes}')], 'screen.png', { type: '${type}' }));
        const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
        document.querySelector('[data-pane=canvas]').dispatchEvent(event);
      }`);
    await paste('text/x-unknown');
    await page.getByText('There’s nothing to paste here.').first().waitFor();
    await paste('image/png');
    await page.getByRole('heading', { level: 2, name: 'Image' }).waitFor();
    await saved(page);
    const pasted = (await nodes('image'))[0].props.specials.src;
    const { media } = expectStatus(await site.edit('GET', '/media'), 200).body;
    expect(media).toMatchObject([{ id: pasted, name: 'screen.png' }]);

    const choose = async () => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Upload' }).click();
      await (await chooser).setFiles(picture('other'));
    };
    failures = ['413'];
    const tooLarge = { status: 413, json: { code: 'file_too_large', error: 'x' } };
    await page.route(/\/media$/, (route) => route.fulfill(tooLarge));
    await choose();
    await page.getByText('This file is larger than 25 MB.').first().waitFor();
    await page.unroute(/\/media$/);
    await choose();
    await eventually(async () => (await nodes('image'))[0].props.specials.src !== pasted);
    await saved(page);
  });

  test('without a network, or with a server that fails, what is typed waits and is saved when they are back', async () => {
    await edit('Offline', text('a', 'One'));
    const { page, context } = ann;
    failures = ['ERR_INTERNET_DISCONNECTED', '503'];
    await context.setOffline(true);
    await retype(page, 'One', 'Two');
    await page.getByText('Not saved: no connection.', { exact: false }).waitFor();
    await context.setOffline(false);
    await saved(page);
    await page.route(/\/draft$/, (route) =>
      route.fulfill({ status: 503, json: { code: 'unavailable', error: 'x' } }),
    );
    await retype(page, 'Two', 'Three');
    await page.getByText('Not saved: no connection.', { exact: false }).waitFor();
    await page.unroute(/\/draft$/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await saved(page);
    expect(await nodes('text')).toMatchObject([text('a', 'Three')]);
  });

  test('a role that was taken away is what is said, without another try that would not help', async () => {
    await edit('Demoted', text('a', 'One'));
    const { page } = ann;
    failures = ['403'];
    await page.route(/\/draft$/, (route) =>
      route.fulfill({ status: 403, json: { code: 'insufficient_role', error: 'x' } }),
    );
    await retype(page, 'One', 'Two');
    await page.getByText('Not saved: your role no longer allows it.', { exact: false }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.unroute(/\/draft$/);
    // After the connection is back, it is saved with the next edit.
    await retype(page, 'Two', 'Three');
    await saved(page);
    expect(await nodes('text')).toMatchObject([text('a', 'Three')]);
  });

  test('an answer that is late overwrites nothing that was typed since', async () => {
    await edit('Late', text('a', 'One'));
    const { page } = ann;
    const gate = Promise.withResolvers<void>();
    let writes = 0;
    await page.route(/\/draft$/, async (route) => {
      if (route.request().method() === 'PUT' && writes++ === 0) await gate.promise;
      await route.continue();
    });
    await retype(page, 'One', 'Two');
    await page.getByText('Saving…').waitFor();
    await retype(page, 'Two', 'Three');
    gate.resolve();
    await eventually(async () => (await nodes('text'))[0].props.specials.text === 'Three');
    await saved(page);
    await canvasOf(page).getByText('Three').waitFor();
    await page.unroute(/\/draft$/);
    expect(writes).toBe(2);
  });

  test('a session that ends is renewed over the page, and nothing typed is lost', async () => {
    await edit('Signed out', text('a', 'One'));
    const { page } = ann;
    failures = ['401'];
    const refuse = { status: 401, json: { code: 'invalid_token', error: 'x' } };
    await page.route(/\/draft$|\/auth\/refresh$/, (route) => route.fulfill(refuse));
    await retype(page, 'One', 'Two');
    const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'));
    await dialog.getByLabel('Password').waitFor();
    await page.unroute(/\/draft$|\/auth\/refresh$/);
    await dialog.getByLabel('Password').fill(site.owner.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await saved(page);
    expect(await nodes('text')).toMatchObject([text('a', 'Two')]);
  });

  test('a session that ends while somebody types leaves them the focus: letters go on into the text, and are saved', async () => {
    await edit('Typed on', text('a', 'One'));
    const { page } = ann;
    failures = ['401'];
    const refuse = { status: 401, json: { code: 'invalid_token', error: 'x' } };
    await page.route(/\/draft$|\/auth\/refresh$/, (route) => route.fulfill(refuse));
    await canvasOf(page).getByText('One', { exact: true }).dblclick();
    await canvasOf(page).locator('[contenteditable]').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Two');
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByText('Nothing is lost', { exact: false }).waitFor();
    await page.keyboard.type(' and thirty-six letters more, typed on');
    expect(await dialog.getByLabel('Password').inputValue()).toBe('');
    await canvasOf(page).getByText('Two and thirty-six letters more, typed on').waitFor();
    await page.unroute(/\/draft$|\/auth\/refresh$/);
    await dialog.getByLabel('Password').fill(site.owner.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await saved(page);
    expect(await nodes('text')).toMatchObject([text('a', 'Two and thirty-six letters more, typed on')]);
  });

  test('a tab that is killed loses nothing: the next one offers it', async () => {
    await edit('Killed', text('a', 'One'));
    const { context } = ann;
    const doomed = await context.newPage();
    await doomed.goto(`${system.baseUrl}/console/stores/${site.storeId}/pages/${pageId}/edit`);
    await canvasOf(doomed).getByText('One').waitFor();
    await doomed.route(/\/draft$/, (route) => route.abort());
    await retype(doomed, 'One', 'Typed and lost?');
    await doomed.close();
    const { page } = ann;
    await page.reload();
    await page.getByText('Restore 1 unsaved change?').waitFor();
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    await canvasOf(page).getByText('Typed and lost?').waitFor();
    await saved(page);
    expect(await nodes('text')).toMatchObject([text('a', 'Typed and lost?')]);
  });

  test('by keyboard alone: elements are put in, written, moved, copied, deleted and all of it taken back', async () => {
    await edit('Keys', text('a', 'One'));
    const { page } = ann;
    const canvas = canvasOf(page);
    const order = async () => {
      await saved(page);
      const document = await stored();
      const byId = new Map(document.nodes.map((node: { id: string }) => [node.id, node]));
      const [root] = document.nodes;
      return root.children.map(
        (id: string) => (byId.get(id) as never as ReturnType<typeof text>).props.specials.text,
      );
    };
    const pane = 'document.activeElement.dataset.pane';
    while ((await page.evaluate(pane)) !== 'canvas') await page.keyboard.press('F6');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { level: 2, name: 'Text: One' }).waitFor();
    await page.keyboard.press('Enter');
    await canvas.locator('[contenteditable]').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('First');
    await page.keyboard.press('Escape');
    await canvas.getByText('First').waitFor();
    await page.keyboard.press('Control+d');
    await page.keyboard.press('Enter');
    await canvas.locator('[contenteditable]').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Second');
    await page.keyboard.press('Escape');
    expect(await order()).toEqual(['First', 'Second']);
    await page.keyboard.press('Alt+ArrowUp');
    await eventually(async () => String(await order()) === 'Second,First');
    await page.keyboard.press('Delete');
    await eventually(async () => String(await order()) === 'First');
    for (let i = 0; i < 12; i++) await page.keyboard.press('Control+z');
    await eventually(async () => String(await order()) === 'One');
  });

  test('what visitors would stumble over is listed, and leads to its place', async () => {
    await edit('Checked', {
      id: 'i',
      type: 'image',
      props: { specials: { src: 'https://x.example/a.png' } },
    });
    const { page } = ann;
    failures = ['x.example'];
    await page.getByRole('tab', { name: /^Problems/ }).click();
    await page.getByText('The picture has no alt text', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Go there' }).first().click();
    await page.getByRole('heading', { level: 2, name: 'Image' }).waitFor();
  });

  test('a table and a picture that are pasted into an open rich text come between what stands before and after the caret', async () => {
    const say = (words: string) => ({ type: 'paragraph', content: [{ type: 'text', text: words }] });
    const doc = { type: 'doc', content: [say('Before'), say('After')] };
    await edit('Divided', { id: 'r', type: 'richText', props: { specials: { doc } } });
    const { page } = ann;
    failures = ['x.example'];
    await canvasOf(page).getByText('Before').dblclick();
    await canvasOf(page).locator('[contenteditable]').waitFor();
    // Keys that are pressed before the text has its caret are lost.
    const findCaret = `{
      const { anchorNode, anchorOffset } = document.querySelector('iframe[title="Page"]').contentDocument.getSelection();
      anchorNode?.textContent.slice(0, anchorOffset);
    }`;
    await eventually(
      async () => {
        await page.keyboard.press('Control+Home');
        await page.keyboard.press('End');
        return (await page.evaluate(findCaret)) === 'Before';
      },
      { what: 'the caret after the first word' },
    );
    const html =
      '<p>Our <b>prices</b></p><table><tr><td>Assam</td><td>9 €</td></tr></table>' +
      '<p><img src="https://x.example/tea.png" alt="Tea"></p>';
    await page.evaluate(`{
      const { contentDocument } = document.querySelector('iframe[title="Page"]');
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/html', ${JSON.stringify(html)});
      const { ClipboardEvent } = contentDocument.defaultView;
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      contentDocument.querySelector('[contenteditable]').dispatchEvent(event);
    }`);
    await canvasOf(page).getByText('9 €').waitFor();
    await saved(page);
    const [root, ...others] = (await stored()).nodes;
    const kinds = root.children.map(
      (child: string) => others.find(({ id }: { id: string }) => id === child).type,
    );
    expect([kinds[0], kinds.at(-1)]).toEqual(['richText', 'richText']);
    expect(kinds).toEqual(expect.arrayContaining(['grid', 'image']));
    const texts = JSON.stringify((await nodes('richText')).map((node: { props: object }) => node.props));
    expect(texts).toMatch(/Before.*After/);
    expect(JSON.stringify(await nodes('image'))).toContain('https://x.example/tea.png');
    await page.keyboard.press('Control+z');
    await canvasOf(page).getByText('9 €').waitFor({ state: 'detached' });
    expect((await nodes('richText')).length).toBeGreaterThan(0);
  });

  test('a block looks as its app named it, and a problem inside it names the app and what the merchant can do', async () => {
    // The block’s heading is of level 3, right after a main heading.
    const main = {
      id: 'm',
      type: 'heading',
      props: { specials: { text: 'Welcome', level: 1 } },
    };
    const specials = { appId: app.id, blockKey: 'card' };
    await edit('Blamed', main, { id: 'b', type: 'blockRef', props: { specials } });
    const { page } = ann;
    await page.getByRole('tab', { name: /^Problems \(/ }).click();
    const problem = page.getByRole('listitem').filter({ hasText: 'skips from level 1 to level 3' });
    await problem.getByText(/This is inside a block by Cards \d+, and only the app can fix it/).waitFor();
    await problem.getByRole('button', { name: 'Go there' }).click();
    await page.getByRole('heading', { level: 2, name: 'Card' }).waitFor();
    await page.getByText(/^App block by Cards/).waitFor();
    // The same before publishing.
    await page.getByRole('button', { name: 'Publish' }).click();
    await page
      .getByRole('dialog')
      .getByText(/only the app can fix it/)
      .waitFor();
    await page.keyboard.press('Escape');
  });
});
