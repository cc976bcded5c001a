import { hasChromium } from '@waybill/testing';
import type { Browser, Page } from 'playwright-core';
import { newPerson, newStore } from '../../testing/accounts.ts';
import { oneTopology, type SharedSystem } from '../e2e/topologies.ts';
import { launchChromium, newVisitor, type Visitor } from './browser.ts';

const describeWithChromium = hasChromium('apps in the console') ? describe : describe.skip;

const words = { widget: 'text', slot: '$root', target: 'specials', writeKey: 'text' };
const manifest = (type: string) =>
  JSON.stringify({
    blocks: [
      {
        key: 'timer',
        name: 'Timer',
        rootId: 'root',
        nodes: [{ id: 'root', type, props: { specials: { text: 'Three minutes' } } }],
        slots: [],
        traits: [{ key: 'words', label: 'Words', attributes: [words] }],
      },
    ],
  });

// The other topology runs the journeys of the shell and of other features: each of these takes a minute.
describeWithChromium.each(oneTopology)('apps in the console of $name', ({ share }) => {
  let system: SharedSystem;
  let browser: Browser;
  let developer: Visitor;
  let reviewer: Visitor;
  let merchant: Visitor;
  let storeId: string;
  const appName = `Timer ${Date.now()}-${process.pid}`;

  beforeAll(async () => {
    system = await share();
    browser = await launchChromium();
    [developer, reviewer, merchant] = await Promise.all([
      newVisitor(browser, system),
      newVisitor(browser, system),
      newVisitor(browser, system),
    ]);
    const [maker, owner] = [await newPerson(system.baseUrl), await newPerson(system.baseUrl)];
    storeId = await newStore(owner);
    await developer.signIn(maker);
    await reviewer.signIn(system.demo.reviewer);
    await merchant.signIn(owner);
  });
  afterAll(() => browser?.close());
  afterEach(() => {
    for (const visitor of [developer, reviewer, merchant]) expect(visitor.complaints()).toEqual([]);
  });

  test('a developer makes an organisation and an app, and sees its secret once', async () => {
    const { page } = developer;
    await developer.visit('/orgs');
    await page.getByText('No organisations yet').waitFor();
    expect(await developer.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'New organisation' }).click();
    await page.getByLabel('Name').fill('Kettle works');
    await page.getByRole('button', { name: 'Create' }).click();
    await title(page, 'Kettle works');
    expect(await developer.findBarriers()).toEqual([]);

    await page.getByRole('tab', { name: 'Audit log' }).click();
    await page.getByRole('row', { name: /Created an organisation/ }).waitFor();
    expect(await developer.findBarriers()).toEqual([]);
    await page.getByRole('tab', { name: 'Apps' }).click();

    await page.getByRole('button', { name: 'New app' }).click();
    await page.getByLabel('Name').fill(appName);
    await page.getByRole('button', { name: 'Create' }).click();
    const shown = page.getByRole('alertdialog', { name: 'Client secret' });
    expect((await shown.locator('code').textContent())?.length).toBeGreaterThan(20);
    await shown.getByRole('button', { name: 'I’ve saved it' }).click();
    await title(page, appName);

    await page.getByRole('tab', { name: 'Connection' }).click();
    await page.getByText('Create a secret to receive webhooks').waitFor();
    expect(await developer.findBarriers()).toEqual([]);
    await page.getByRole('tab', { name: 'Listing' }).click();
    await page.getByText('List in the app directory').click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Changes saved').waitFor();
    expect(await developer.findBarriers()).toEqual([]);
  });

  test('problems of a manifest stand at their lines until they are mended; then it is tried and submitted', async () => {
    const { page } = developer;
    await page.getByRole('link', { name: 'New version' }).click();
    await title(page, 'New version');
    await page.getByText('See all products and stock').click();
    expect(await developer.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await title(page, 'Version 1');
    const versionUrl = page.url();

    await write(page, manifest('no-such-element'));
    const problem = page.getByRole('button', { name: '/blocks/0/nodes/0/type' });
    await problem.waitFor();
    const refused = page.waitForResponse((reply) => reply.status() === 400);
    await page.getByRole('button', { name: 'Save blocks' }).click();
    await refused;
    await problem.click();
    expect(await page.locator('.cm-lintRange-error').textContent()).toBe('"no-such-element"');
    expect(await page.locator('.cm-content').evaluate((content) => content.matches(':focus'))).toBe(true);
    // The browser reports the refusal itself.
    expect(developer.complaints().join()).toContain('400');
    expect(await developer.findBarriers()).toEqual([]);
    await write(page, manifest('text'));
    await problem.waitFor({ state: 'detached' });
    const preview = page.frameLocator('iframe[title="Preview: Timer"]');
    await preview.getByText('Three minutes').waitFor();
    await page.keyboard.type('}');
    await page.getByText('Showing the last valid version.', { exact: false }).waitFor();
    await preview.getByText('Three minutes').waitFor();
    await page.keyboard.press('Backspace');
    await page.getByLabel('Text: text').fill('Four minutes');
    await preview.getByText('Four minutes').waitFor();
    expect(await developer.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Save blocks' }).click();
    await page.getByText('Blocks saved').waitFor();

    await page.getByRole('link', { name: 'New development store' }).click();
    await page.getByRole('button', { name: 'New development store' }).click();
    await page.getByLabel('Name').fill('Test kitchen');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('row', { name: /Test kitchen/ }).waitFor();
    expect(await developer.findBarriers()).toEqual([]);
    await page.goto(versionUrl);
    await page.getByRole('button', { name: 'Install in Test kitchen' }).click();
    await page.getByText('Installed in Test kitchen').waitFor();

    await page.getByRole('button', { name: 'Submit for review' }).click();
    await page.getByText('In review', { exact: true }).waitFor();
  });

  test('a reviewer sees what an app asks for and how its blocks look, and approves it', async () => {
    const { page } = reviewer;
    await reviewer.visit('/review');
    const row = page.getByRole('row', { name: new RegExp(appName) });
    await row.waitFor();
    expect(await reviewer.findBarriers()).toEqual([]);
    await row.click();
    await title(page, `${appName}, version 1`);
    const looks = page.frameLocator('iframe[title="Timer, after"]');
    await looks.getByText('Three minutes').waitFor();
    expect(await reviewer.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved', { exact: true }).waitFor();
  });

  test('a merchant finds the app, reads what it asks for, installs it, and takes its access away', async () => {
    const { page } = merchant;
    await merchant.visit(`/stores/${storeId}/apps`);
    await page.getByText('No apps yet').waitFor();
    expect(await merchant.findBarriers()).toEqual([]);
    await page.getByRole('link', { name: 'Browse apps' }).click();
    await page.getByRole('searchbox', { name: 'Search' }).fill(appName);
    const app = page.getByRole('link', { name: appName });
    await app.waitFor();
    expect(await merchant.findBarriers()).toEqual([]);
    await app.click();
    await title(page, appName);
    await page.getByText('See all products and stock').waitFor();
    expect(await merchant.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Install app' }).click();
    await page.getByText('You aren’t using any of its blocks.').waitFor();
    expect(await merchant.findBarriers()).toEqual([]);

    await page.getByRole('button', { name: `Actions for ${appName}` }).click();
    await page.getByRole('menuitem', { name: 'Disable…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('This app is disabled.').waitFor();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('This app is disabled.').waitFor({ state: 'detached' });
  });

  test('by keyboard alone: an app is uninstalled, found again and installed', async () => {
    const { page, keys } = merchant;
    await keys.act(`Actions for ${appName}`);
    await merchant.opened('menu', `Actions for ${appName}`);
    await keys.act('Uninstall…', 'ArrowDown');
    await merchant.opened('alertdialog', /^Uninstall/);
    await keys.act('Uninstall');
    await page.getByRole('button', { name: 'Reinstall app' }).waitFor();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await keys.act('Reinstall app');
    await page.getByText('You aren’t using any of its blocks.').waitFor();
  });

  test('by keyboard alone: a version is copied and submitted, and a reviewer rejects it', async () => {
    const { page, keys } = developer;
    await developer.visit('/orgs');
    await keys.at('Developer');
    await keys.act('New organisation');
    await developer.opened('dialog', 'New organisation');
    await keys.press('Escape');
    await keys.row(/^Kettle works/);
    await keys.press('Enter');
    await keys.at('Kettle works');
    await keys.act('New app');
    await developer.opened('dialog', 'New app');
    await keys.press('Escape');
    await keys.row(new RegExp(`^${appName}`));
    await keys.press('Enter');
    await keys.at(appName);
    await keys.act('New version');
    await keys.at('New version');
    await keys.act(/Start from$/);
    await keys.act(/^Version 1/, 'ArrowDown');
    await keys.act('Create');
    await keys.at('Version 2');
    // Leaves the editor of the manifest, which handles Tab itself until Escape is pressed.
    await keys.act('Submit for review');
    await page.getByText('In review', { exact: true }).waitFor();

    await reviewer.visit('/review');
    await reviewer.keys.at('App review');
    await reviewer.keys.row(new RegExp(`^${appName}`));
    await reviewer.keys.press('Enter');
    await reviewer.keys.at(`${appName}, version 2`);
    await reviewer.keys.act('Reject…');
    await reviewer.opened('dialog', `Reject ${appName}, version 2`);
    await reviewer.keys.fill('Reason', 'Nothing is new.');
    await reviewer.keys.act('Reject');
    await reviewer.page.getByText('Rejected', { exact: true }).waitFor();
  });
});

const title = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** Replaces the content of the JSON editor by a text, as pasting does. */
async function write(page: Page, text: string): Promise<void> {
  const content = page.locator('.cm-content');
  await content.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}
