import { readFile } from 'node:fs/promises';
import { createClient } from '@waybill/sdk';
import { hasChromium } from '@waybill/testing';
import type { Browser, Page } from 'playwright-core';
import { topologies } from '../e2e/topologies.ts';
import { launchChromium, newVisitor, type Visitor } from './browser.ts';

const describeWithChromium = hasChromium('the console') ? describe : describe.skip;

// The other topology has the journeys of the shell and of other rooms: each of these takes a minute.
describeWithChromium.each(topologies.slice(0, 1))('selling in the console on $name', ({ share }) => {
  let browser: Browser;
  let ben: Visitor;
  let page: Page;
  let api: ReturnType<typeof createClient>;
  let storeId: string;
  const variantOf: Record<string, string> = {};
  const at = (...path: string[]) => ['/stores', storeId, ...path].join('/');
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();

  beforeAll(async () => {
    const { baseUrl } = await share();
    const account = {
      email: `ben-${Date.now()}-${process.pid}@example.com`,
      password: 'three small words',
    };
    const anonymous = createClient({ baseUrl });
    const { accessToken } = (await anonymous.post('/api/auth/register', {
      body: { ...account, name: 'Ben' },
    })) as { accessToken: string };
    api = createClient({ baseUrl, credential: accessToken });
    const { store } = await api.post('/api/stores', { body: { name: "Ben's teas" } });
    storeId = store.id;
    for (const [name, stock] of [
      ['Earl Grey', 12],
      ['Darjeeling', 1],
    ] as const) {
      const { product } = await api.post('/api/stores/{storeId}/products', {
        params: { path: { storeId } },
        body: {
          name,
          status: 'active',
          variants: [{ name: '100 g', sku: `${name.slice(0, 2)}-1`, priceCents: 890, stock }],
        },
      });
      variantOf[name] = product.variants[0]!.id;
    }
    browser = await launchChromium();
    ben = await newVisitor(browser, await share());
    page = ben.page;
    await ben.signIn(account);
  });
  afterAll(() => browser?.close());
  afterEach(() => expect(ben.complaints()).toEqual([]));

  const stockOf = async (name: string) => {
    const { products } = await api.get('/api/stores/{storeId}/products', {
      params: { path: { storeId }, query: { q: name } },
    });
    return products[0]!.totalStock;
  };
  const buyOne = (name: string) =>
    api.post('/api/stores/{storeId}/orders', {
      params: { path: { storeId } },
      body: {
        items: [{ variantId: variantOf[name]!, quantity: 1 }],
        customer: { name: 'Zoe', email: 'zoe@example.com' },
      },
    });
  /** Takes what a search field finds, by keys. */
  const find = async (field: string, text: string) => {
    await page.getByRole('combobox', { name: field }).fill(text);
    await page
      .getByRole('option', { name: new RegExp(text) })
      .first()
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  };

  test('an order is placed for a new customer, and what is not left is named at its line', async () => {
    await ben.visit(at('orders'));
    await page.getByText('No orders yet').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByRole('link', { name: 'New order' }).first().click();
    await heading('New order');
    await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
    await page.getByLabel('E-mail').fill('ada@example.com');
    await find('Add a product', 'Earl');
    await find('Add a product', 'Darj');
    await buyOne('Darjeeling');
    await page.getByText('Has a delivery address').click();
    await page.getByRole('textbox', { name: 'City' }).fill('London');
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Place the order' }).click();
    await page.getByText('Sold out: remove it').waitFor();
    expect(ben.complaints().join()).toContain('409');
    await page.getByRole('button', { name: /^Remove Darjeeling/ }).click();
    await page.getByRole('button', { name: 'Place the order' }).click();
    await heading('Order #2');
    expect(await stockOf('Earl')).toBe(11);
    expect(await ben.findBarriers()).toEqual([]);
  });

  test('by keyboard alone an order is paid, and cancelled with its stock put back', async () => {
    const payment = page.getByRole('button', { name: /Payment/ });
    await payment.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Paid', exact: true }).waitFor();
    await page.keyboard.type('Paid');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('The order is changed.').waitFor();
    await page.getByRole('button', { name: 'Actions for Order #2' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Cancel the order' }).waitFor();
    await page.keyboard.press('Enter');
    const question = page.getByRole('alertdialog', { name: 'Cancel order #2?' });
    await question.getByText('It is paid.').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('A cancelled order stays cancelled.').waitFor();
    expect(await stockOf('Earl')).toBe(12);
  });

  test('orders of a period are listed, and written into a file that a spreadsheet adds up', async () => {
    await ben.visit(at('orders'));
    await page.getByRole('row', { name: /#1/ }).waitFor();
    await page.getByLabel('Up to and including').fill('2020-01-31');
    await page.getByText('Nothing matches').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await page.getByLabel('From').fill('2020-01-31');
    await page.getByRole('row', { name: /#1/ }).waitFor();
    await page.getByRole('button', { name: 'Actions for Orders' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as CSV' }).click(),
    ]);
    const [titles, first] = (await readFile(await download.path(), 'utf8')).split('\r\n');
    const { orders } = await api.get('/api/stores/{storeId}/orders', {
      params: { path: { storeId }, query: { limit: 1, sort: 'created' } },
    });
    const { number, customer, lineItems, totalCents } = orders[0]!;
    expect(titles).toMatch(/^\uFEFF?order,placed,.*,total$/);
    expect(first).toMatch(new RegExp(`^${number},.*,${customer.email},.*,${lineItems[0]!.name},`));
    expect(first).toMatch(new RegExp(`,${(totalCents / 100).toFixed(2)}$`));
    await page.getByRole('button', { name: 'Close' }).last().click();
  });

  test('a customer has a note that is saved by itself, a file of all about them, and can be erased', async () => {
    await ben.visit(at('customers'));
    await page.getByRole('row', { name: /Ada Lovelace/ }).waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByRole('row', { name: /Ada Lovelace/ }).click();
    await heading('Ada Lovelace');
    await page.getByRole('textbox', { name: 'Private note' }).fill('Likes it strong.');
    await page.getByRole('button', { name: 'Save the note' }).click();
    await page.getByText('The note is saved.').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    const menu = page.getByRole('button', { name: 'Actions for Ada Lovelace' });
    await menu.click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download everything about them' }).click(),
    ]);
    const file = JSON.parse(await readFile(await download.path(), 'utf8'));
    expect(file).toMatchObject({ customer: { email: 'ada@example.com' }, note: 'Likes it strong.' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Erase the person…' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Erase Ada Lovelace for good?' });
    expect(await dialog.getByRole('button', { name: 'Erase the person' }).isDisabled()).toBe(true);
    await dialog.getByLabel(/^Type ada/).fill('ada@example.com');
    await dialog.getByRole('button', { name: 'Erase the person' }).click();
    await heading('Customers');
    await page.getByRole('row', { name: /Zoe/ }).waitFor();
    expect(await page.getByText('Ada Lovelace').count()).toBe(0);
  });

  test('stock that is sold while a product is changed stays sold, and nobody is asked about it', async () => {
    await ben.visit(at('products'));
    await page.getByRole('row', { name: /Earl Grey/ }).click();
    await heading('Earl Grey');
    await page.getByLabel('SKU').fill('EG-1');
    await buyOne('Earl Grey');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    // The browser tells of the refusal that the second try follows.
    expect(ben.complaints().join()).toContain('412');
    expect(await stockOf('Earl')).toBe(11);
  });

  test('rows of a spreadsheet are pasted, and one that cannot be read is named', async () => {
    await page.getByRole('button', { name: 'Paste rows…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Paste rows…' });
    await dialog.getByRole('textbox').fill('250 g\tEG-2\tfree\t7');
    await dialog.getByRole('button', { name: 'Add the rows' }).click();
    await dialog.getByText('Row 1, price: “free” cannot be read.').waitFor();
    await dialog.getByRole('textbox').fill('250 g\tEG-2\t19,90\t7');
    await dialog.getByRole('button', { name: 'Add the rows' }).click();
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok());
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saved;
    expect(await stockOf('Earl')).toBe(18);
    expect(await ben.findBarriers()).toEqual([]);
  });

  test('a file is shown before it is written, and one that broke off goes on', async () => {
    await ben.visit(at('products', 'import'));
    expect(await ben.findBarriers()).toEqual([]);
    const rows = Array.from({ length: 20 }, (_, at) => `tea-${at},Tea ${at},1.50,${at}`);
    const take = async (text: string) => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Choose a file' }).click();
      await (await chooser).setFiles({ name: 'tea.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    };
    await take(['slug,name,price,stock', ...rows, 'bad,Bad,free,1'].join('\n'));
    await page.getByText('“free” is no price.').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    // The network goes while it is written.
    let written = 0;
    await page.route('**/products', async (route) => {
      if (route.request().method() === 'POST' && ++written > 5) return route.abort();
      return route.continue();
    });
    await page.getByRole('button', { name: 'Write 20 products' }).click();
    await page.getByRole('alert').waitFor();
    await page.unroute('**/products');
    ben.complaints();
    await page.reload();
    await page.getByText('The import of tea.csv did not come to its end').waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('button', { name: 'Write 15 products' }).click();
    await page.getByRole('heading', { name: 'The import is through' }).waitFor();
    const { total } = await api.get('/api/stores/{storeId}/products', {
      params: { path: { storeId }, query: { q: 'tea', limit: 1 } },
    });
    expect(total).toBe(20);
  });

  test('an export that is imported again changes nothing', async () => {
    await ben.visit(at('products'));
    await page.getByRole('button', { name: 'Actions for Products' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as CSV' }).click(),
    ]);
    const file = await download.path();
    await ben.visit(at('products', 'import'));
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a file' }).click();
    await (await chooser).setFiles({
      name: 'products.csv',
      mimeType: 'text/csv',
      buffer: await readFile(file),
    });
    await page.getByText('Your products are already as the file has them.').waitFor();
  });
});
