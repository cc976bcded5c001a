import { createClient } from '@waybill/sdk';
import { hasChromium } from '@waybill/testing';
import type { Browser } from 'playwright-core';
import { topologies } from '../e2e/topologies.ts';
import { launchChromium, newVisitor, type Visitor } from './browser.ts';
import { picture } from './pictures.ts';

const describeWithChromium = hasChromium('the console') ? describe : describe.skip;

// The console is the same in every topology. Other suites use it on the other one, and its API is tested on each.
describeWithChromium.each(topologies.slice(-1))('the console on $name', ({ share }) => {
  let browser: Browser;
  let ann: Visitor;
  const email = `ann-${Date.now()}-${process.pid}@example.com`;
  const password = 'three small words';

  beforeAll(async () => {
    browser = await launchChromium();
    ann = await newVisitor(browser, await share());
  });
  afterAll(() => browser?.close());
  afterEach(() => expect(ann.complaints()).toEqual([]));

  /** Holds the next save until the returned function is called; with a status, it is then refused. */
  async function holdSave(status?: number): Promise<() => Promise<void>> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const isThrough = Promise.withResolvers<void>();
    const details = [{ pointer: '/name', message: 'is refused here' }];
    await ann.page.route(
      '**/products/*',
      async (route) => {
        if (route.request().method() !== 'PATCH') return route.fallback();
        await promise;
        if (status) await route.fulfill({ status, json: { error: 'No.', code: 'invalid_body', details } });
        else await route.continue();
        isThrough.resolve();
      },
      { times: 1 },
    );
    return () => {
      resolve();
      return isThrough.promise;
    };
  }

  test('a new user registers, opens a store and adds a product with a picture, without a manual', async () => {
    const { page } = ann;
    await ann.visit('/');
    expect(await ann.findBarriers()).toEqual([]);
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Your name').fill('Ann');
    await page.getByLabel('E-mail').fill(email);
    const create = page.getByRole('button', { name: 'Create an account' });
    await page.getByLabel('Password').fill('short');
    await create.click();
    await page.getByText('10 characters or more').waitFor();
    // The message disappears as soon as the error is fixed: if it disappeared when the field loses focus, the button
    // would move away from the click.
    await page.getByLabel('Password').fill(password);
    await page.getByText('10 characters or more').waitFor({ state: 'detached' });
    await create.click();

    await page.getByRole('heading', { name: 'Create your store' }).waitFor();
    expect(await ann.findBarriers()).toEqual([]);
    await page.getByLabel('Store name').fill("Ann's teas");
    await page.getByRole('button', { name: 'Create store' }).click();

    await page.getByRole('link', { name: 'Add product' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Earl Grey');
    await page.getByLabel('Price').fill('8.90');
    await page.getByLabel('Stock').fill('12');
    await page.locator('input[type=file]').setInputFiles(picture('tea'));
    await page.getByRole('button', { name: 'Remove image 1' }).waitFor();
    await page.getByText('Active', { exact: true }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Earl Grey' }).waitFor();
    expect(await ann.findBarriers()).toEqual([]);

    await page.getByRole('link', { name: 'Products', exact: true }).click();
    const row = page.getByRole('row', { name: /Earl Grey/ });
    await row.waitFor();
    expect(await row.textContent()).toMatch(/Active.*€8\.90.*12/);
    expect(await ann.findBarriers()).toEqual([]);
  });

  test('a reload keeps who is signed in, and no script can read why', async () => {
    const { page } = ann;
    await page.reload();
    await page.getByRole('row', { name: /Earl Grey/ }).waitFor();
    const held = await page.evaluate<string>('[document.cookie, JSON.stringify(localStorage)].join()');
    expect(held).not.toMatch(/wbr_|eyJ|refresh/i);
  });

  test('somebody who saves in between is not overwritten unasked', async () => {
    const { page } = ann;
    await page.getByRole('row', { name: /Earl Grey/ }).click();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Earl Grey, fine');
    const other = await ann.context.newPage();
    await other.goto(page.url());
    await other.getByLabel('Name', { exact: true }).fill('Earl Grey, loose');
    await other.getByRole('button', { name: 'Save' }).click();
    await other.getByText('Product saved').waitFor();
    await other.close();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alertdialog', { name: 'Someone else changed this' }).waitFor();
    // The browser reports the refusal itself.
    expect(ann.complaints().join()).toContain('412');
    await page.getByRole('button', { name: 'Overwrite with mine' }).click();
    await page.getByRole('heading', { level: 1, name: 'Earl Grey, fine' }).waitFor();
  });

  test('what is typed while a save is on its way stays, and is saved with the next', async () => {
    const { page } = ann;
    const letGo = await holdSave();
    const description = page.getByLabel('Description', { exact: true });
    await page.getByLabel('Name', { exact: true }).fill('Earl Grey, very fine');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await description.fill('With oil of bergamot.');
    await letGo();
    await page.getByRole('heading', { level: 1, name: 'Earl Grey, very fine' }).waitFor();
    expect(await description.textContent()).toBe('With oil of bergamot.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Product saved').last().waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Earl Grey, very fine' }).waitFor();
    expect(await description.textContent()).toBe('With oil of bergamot.');
  });

  test('who leaves while it is being saved is asked until it is stored, and loses nothing that is refused', async () => {
    const { page } = ann;
    const name = page.getByLabel('Name', { exact: true });
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    const leave = async () => {
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('link', { name: 'Back to Products' }).click();
      await question.waitFor();
    };
    let letGo = await holdSave(400);
    await name.fill('Earl Grey, refused');
    await leave();
    await letGo();
    await question.getByRole('button', { name: 'Stay' }).click();
    await page.getByText('is refused here').waitFor();
    expect(await name.inputValue()).toBe('Earl Grey, refused');
    expect(ann.complaints().join()).toContain('400');

    letGo = await holdSave();
    await name.fill('Earl Grey, fine');
    await leave();
    await letGo();
    await page.getByRole('row', { name: /Earl Grey, fine/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Earl Grey, fine' }).waitFor();
  });

  test('what is not saved is not left unasked', async () => {
    const { page } = ann;
    await page.getByLabel('Name', { exact: true }).fill('Half a name');
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Stay' }).click();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Half a name');
    // A step back and one forward end where they began: without a question, and above all without a reload.
    await page.goBack();
    await question.waitFor();
    await page.goForward();
    await question.waitFor({ state: 'hidden' });
    await page.goBack();
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Half a name');
    await page.getByRole('link', { name: 'Back to Products' }).click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('row', { name: /Earl Grey, fine/ }).waitFor();
  });

  test('by keyboard alone: the palette, a row, a product and back', async () => {
    const { page } = ann;
    await page.keyboard.press('Control+k');
    await page.keyboard.type('prod');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Products', exact: true }).waitFor();
    await page.getByRole('row', { name: /Earl Grey, fine/ }).waitFor();
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate<boolean>("document.activeElement.closest('[role=grid]') !== null");
      if (at) break;
    }
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Earl Grey, fine' }).waitFor();
  });

  test('signing out ends it in every tab, and who signs in next sees nothing of it', async () => {
    const { page } = ann;
    const other = await ann.context.newPage();
    await other.goto(page.url());
    await other.getByRole('heading', { level: 1, name: 'Earl Grey, fine' }).waitFor();
    await page.getByRole('button', { name: /^Switch store/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await other.getByRole('alertdialog', { name: 'Sign in again' }).waitFor();
    const { baseUrl } = await share();
    const ben = { email: `ben-${email}`, password };
    await createClient({ baseUrl }).post('/api/auth/register', { body: { ...ben, name: 'Ben' } });
    await page.getByLabel('E-mail').fill(ben.email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.getByRole('heading', { level: 1, name: 'Earl Grey, fine' }).waitFor({ state: 'detached' });
    await other.close();
  });
});
