import { readFile } from 'node:fs/promises';
import { createClient } from '@waybill/sdk';
import { eventually, hasChromium } from '@waybill/testing';
import type { Browser, Page } from 'playwright-core';
import { vouchFor } from '../../testing/operators.ts';
import { oneTopology } from '../e2e/topologies.ts';
import { launchChromium, newVisitor, type Visitor } from './browser.ts';
import { picture } from './pictures.ts';

const describeWithChromium = hasChromium('the console') ? describe : describe.skip;

// The other topology runs the journeys of the shell and of other features: each of these takes a minute.
describeWithChromium.each(oneTopology)('selling in the console on $name', ({ share }) => {
  let browser: Browser;
  let ben: Visitor;
  let page: Page;
  let api: ReturnType<typeof createClient>;
  let storeId: string;
  const account = {
    email: `ben-${Date.now()}-${process.pid}@example.com`,
    password: 'three small words',
  };
  const variantOf: Record<string, string> = {};
  const at = (...path: string[]) => ['/stores', storeId, ...path].join('/');
  const heading = (name: string | RegExp) =>
    page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

  beforeAll(async () => {
    const { baseUrl } = await share();
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
  /** Picks a result of a search field with the keyboard. */
  const find = async (field: string, text: string) => {
    await page.getByRole('combobox', { name: field }).fill(text);
    await page
      .getByRole('option', { name: new RegExp(text) })
      .first()
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  };

  /** Selects a row by its checkbox with the mouse: with the keyboard, the table moves the focus to its first row. */
  const tick = async (name: RegExp) => {
    const row = page.getByRole('row', { name });
    if (!(await row.getByRole('checkbox').isChecked())) await row.locator('label').click();
  };

  test('an order is placed for a new customer, and what is not left is named at its line', async () => {
    await ben.visit(at('orders'));
    await page.getByText('No orders yet').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByRole('link', { name: 'New order' }).first().click();
    await heading('New order');
    await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
    await page.getByLabel('E-mail').fill('ada@');
    await find('Add product', 'Earl');
    await find('Add product', 'Darj');
    await buyOne('Darjeeling');
    await page.getByText('Add a shipping address').click();
    await page.getByRole('textbox', { name: 'City' }).fill('London');
    expect(await ben.findBarriers()).toEqual([]);
    const place = page.getByRole('button', { name: 'Place order' });
    await place.click();
    // The browser checks an address by the same rule as the server.
    await page.getByText('Please enter a part following').waitFor();
    // A refused field gets the focus once, not with every letter that is typed elsewhere.
    const city = page.getByRole('textbox', { name: 'City' });
    await city.press('End');
    await page.keyboard.type(', EC1');
    expect(await city.inputValue()).toBe('London, EC1');
    await page.getByLabel('E-mail').fill('ada@example.com');
    await place.click();
    await page.getByText('Sold out. Remove it').waitFor();
    expect(ben.complaints().join()).toContain('409');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
    await page.getByRole('button', { name: /^Remove Darjeeling/ }).click();
    await place.click();
    await heading('Order #2');
    expect(await stockOf('Earl')).toBe(11);
    expect(await ben.findBarriers()).toEqual([]);
  });

  test('an order is placed as it was sent: nothing that would not be in it can be typed meanwhile', async () => {
    const posts = await ben.holdPosts(`/api/stores/${storeId}/orders`);
    await ben.visit(at('orders', 'new'));
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Ada Lovelace');
    await page.getByLabel('E-mail').fill('ada@example.com');
    await find('Add product', 'Earl');
    await name.focus();
    await page.keyboard.press('Enter');
    await posts.areSent;
    await page.keyboard.type(' Byron');
    await page.keyboard.press('Enter');
    expect(await name.inputValue()).toBe('Ada Lovelace');
    const quantity = page.getByLabel('Quantity');
    await quantity.focus();
    await page.keyboard.type('3');
    await page.getByText('Add a shipping address').click();
    expect(await page.getByRole('textbox', { name: 'City' }).isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: /^Remove Earl Grey/ }).isDisabled()).toBe(true);
    expect(await page.getByRole('combobox', { name: 'Add product' }).isEditable()).toBe(false);
    posts.letGo();
    await heading(/^Order #/);
    await page.unrouteAll();
    expect(posts.count()).toBe(1);
    const { order } = await api.get('/api/stores/{storeId}/orders/{id}', {
      params: { path: { storeId, id: page.url().split('/').at(-1)! } },
    });
    expect(order.customer.name).toBe('Ada Lovelace');
    expect(order.lineItems).toMatchObject([{ quantity: 1 }]);
    await api.patch('/api/stores/{storeId}/orders/{id}', {
      params: { path: { storeId, id: order.id } },
      body: { status: 'cancelled' },
    });
    await ben.visit(at('orders'));
    await page.getByRole('row', { name: /#2/ }).click();
    await heading('Order #2');
  });

  test('by keyboard alone an order is paid, cancelled with its stock put back, and noted as refunded', async () => {
    const { keys } = ben;
    await keys.at('Order #2');
    await keys.act(/Payment$/);
    await page.getByRole('option', { name: 'Paid', exact: true }).waitFor();
    await keys.act('Paid', 'ArrowDown');
    await keys.act('Save');
    await page.getByText('Order updated').waitFor();
    await keys.act(/Payment$/);
    await page.getByRole('option', { name: 'Refunded', exact: true }).waitFor();
    await keys.act('Refunded', 'ArrowDown');
    await keys.act('Actions for Order #2');
    await ben.opened('menu', 'Actions for Order #2');
    await keys.act('Cancel order', 'ArrowDown');
    const question = await ben.opened('alertdialog', 'Cancel order #2?');
    await question.getByText('This order has been paid.').waitFor();
    await keys.act('Cancel order');
    await page.getByText('You can’t reopen a cancelled order').waitFor();
    await eventually(async () => (await stockOf('Earl')) === 12, { what: 'the stock' });
    // The choice made before the order was cancelled is still there, to be saved.
    await keys.act('Save');
    const params = { path: { storeId, id: new URL(page.url()).pathname.split('/').at(-1)! } };
    const stored = async () => (await api.get('/api/stores/{storeId}/orders/{id}', { params })).order;
    await eventually(async () => (await stored()).payment === 'refunded', { what: 'the payment' });
  });

  test('a bank transfer is offered to shoppers, and money that came by it is recorded with its order', async () => {
    await ben.visit(at('payment-methods'));
    await page.getByText('No payment methods yet').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByRole('link', { name: 'Add payment method' }).first().click();
    await page.getByRole('button', { name: 'Add Bank transfer' }).click();
    await page.getByLabel('Instructions').fill('To DE02 1203 0000 0000 2020 51');
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Payment method added').waitFor();
    await ben.visit(at('payment-methods'));
    await page.getByRole('link', { name: 'Bank transfer' }).waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    // Switched off again: shoppers of this store order without one.
    await page.getByText('On', { exact: true }).click();
    await page.getByText('No method is switched on').waitFor();

    const { order } = await buyOne('Earl Grey');
    await ben.visit(at('orders', order.id));
    await page.getByRole('button', { name: 'Record payment' }).click();
    await page.getByLabel('Amount').fill('9000');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Record payment' }).click();
    await eventually(() => ben.complaints().join().includes('409'), { what: 'the refusal' });
    await page.getByLabel('Amount').fill('8.90');
    await dialog.getByLabel('Reference').fill('RF 1042');
    expect(await ben.findBarriers()).toEqual([]);
    await dialog.getByRole('button', { name: 'Record payment' }).click();
    await page.getByText('Payment recorded').waitFor();
    await page.getByText('RF 1042').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await ben.visit(at('payments'));
    await page.getByRole('grid').getByText('8.90').first().waitFor();
    expect(await ben.findBarriers()).toEqual([]);
  });

  test('by keyboard alone a mail to customers is written anew, tried with an order, and taken back', async () => {
    const { keys } = ben;
    const { order } = await buyOne('Earl Grey');
    await ben.visit(at('settings', 'mails'));
    await page.getByText('Each exists in six languages').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await keys.act('Order sent');
    await keys.at('Order sent');
    const preview = page.frameLocator('iframe[title=Preview]');
    await preview.getByText('Hello Ada Lovelace,').waitFor();
    expect(await ben.findBarriers()).toEqual([]);

    const body = page.getByRole('textbox', { name: 'Text in HTML' });
    await body.focus();
    await keys.press('ControlOrMeta+Home');
    await page.keyboard.insertText('<p>{{ order.number | nope }} has left us.</p>\n');
    await page.getByText('Line 1, column 4: undefined filter: nope').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    expect(await page.getByRole('button', { name: 'Send a test to me' }).isDisabled()).toBe(true);
    await keys.act('Save');
    await eventually(() => ben.complaints().join().includes('400'), { what: 'the refusal' });
    await keys.act('Go there');
    const focused = `document.activeElement?.shadowRoot?.activeElement?.getAttribute('aria-label')`;
    await eventually(async () => (await page.evaluate(focused)) === 'Text in HTML', {
      what: 'the place of the mistake',
    });
    for (let i = 0; i < '{{ order.number | '.length; i++) await keys.press('ArrowRight');
    for (let i = 0; i < 'nope'.length; i++) await keys.press('Delete');
    await page.keyboard.insertText('plus: 1000');
    await page.getByText('The text has a mistake').waitFor({ state: 'detached' });
    ben.complaints();
    await preview.getByText('2042 has left us.').waitFor();
    await keys.fill('Use one of your orders', `#${order.number}`);
    await page.getByRole('option', { name: `Order #${order.number}` }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await preview.getByText(`${1000 + order.number} has left us.`).waitFor();
    await keys.act('Save');
    await page.getByText('E-mail saved').waitFor();
    const stored = () =>
      api.get('/api/stores/{storeId}/mail-templates/{kind}', {
        params: { path: { storeId, kind: 'orderShipped' } },
      });
    expect((await stored()).mailTemplate).toMatchObject({ isDefault: false, locale: 'en' });
    await vouchFor((await share()).baseUrl, account);
    await keys.act('Send a test to me');
    await page.getByText(/^Test sent to ben-/).waitFor();

    await keys.act('Back to default');
    await ben.opened('alertdialog', 'Go back to the default text?');
    await keys.act('Back to default');
    await page.getByText('Back to the default text', { exact: true }).waitFor();
    expect((await stored()).mailTemplate.isDefault).toBe(true);

    await ben.visit(at('settings', 'mails'));
    await keys.at('Customer e-mails');
    await page.getByText('Each exists in six languages').waitFor();
    await keys.to('Send “Order delivered”');
    await keys.press('Space');
    await page.getByText('E-mail switched off in all languages').waitFor();
    await keys.fill('Sender name', 'Ben & Daughters');
    await keys.fill('Reply-to address', 'hello@example.com');
    await keys.press('Enter');
    await page.getByText('E-mail settings saved').waitFor();
    const { mailSettings } = await api.get('/api/stores/{storeId}/mail-settings', {
      params: { path: { storeId } },
    });
    expect(mailSettings).toEqual({ senderName: 'Ben & Daughters', replyTo: 'hello@example.com' });
    const { mailTemplates } = await api.get('/api/stores/{storeId}/mail-templates', {
      params: { path: { storeId } },
    });
    const off = mailTemplates.filter(({ kind, isEnabled }) => kind === 'orderDelivered' && !isEnabled);
    expect(off).toHaveLength(6);
    await api.patch('/api/stores/{storeId}/orders/{id}', {
      params: { path: { storeId, id: order.id } },
      body: { status: 'cancelled' },
    });
  });

  test('by keyboard alone the language is chosen of documents whose order has none', async () => {
    await ben.visit(at('settings', 'documents'));
    const language = page.getByRole('button', { name: /^Language|Language$/ });
    await language.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'German' }).waitFor();
    expect(await page.getByRole('option').allTextContents()).toEqual([
      'English',
      'German',
      'French',
      'Spanish',
      'Italian',
      'Dutch',
    ]);
    await page.keyboard.type('Ger');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save' }).focus();
    await page.keyboard.press('Enter');
    const settingsOf = () =>
      api.get('/api/stores/{storeId}/documents/settings', { params: { path: { storeId } } });
    await eventually(async () => (await settingsOf()).settings.locale === 'de');
    expect(await ben.findBarriers()).toEqual([]);
  });

  test('whoever chose German reads in German what is refused, also of a field that the screen does not have', async () => {
    const { order } = await buyOne('Earl Grey');
    await page.evaluate("localStorage.setItem('waybill.language', 'de')");
    await ben.visit(at('orders', order.id));
    await page.getByRole('button', { name: 'Rechnung ausstellen' }).click();
    await page.getByText('Ihre Verkäuferdaten sind unvollständig.').waitFor();

    await ben.visit(at('settings', 'documents'));
    await page.getByLabel('Rechnungsnummern').fill('RE');
    await page.getByRole('button', { name: 'Speichern', exact: true }).click();
    await page.getByText('Der Text muss {number} enthalten.').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Verwerfen' }).click();

    await ben.visit(at('settings', 'domains'));
    const hostname = page.getByLabel('Domain', { exact: true });
    await hostname.fill('laden');
    await page.getByRole('button', { name: 'Domain hinzufügen' }).click();
    await page.getByText('Geben Sie eine Domain wie shop.example.com ein.').waitFor();
    const details = [{ pointer: '/locales/1', message: 'is not a BCP 47 tag' }];
    await page.route(
      '**/domains',
      (route) => route.fulfill({ status: 400, json: { error: 'No.', code: 'invalid_body', details } }),
      { times: 1 },
    );
    await hostname.fill('laden.example.com');
    await page.getByRole('button', { name: 'Domain hinzufügen' }).click();
    await page.getByText('Sprachen 2: Diese Sprache ist nicht bekannt.', { exact: true }).waitFor();
    expect(ben.complaints().filter((each) => !/status of 4(?:00|09)/.test(each))).toEqual([]);
    await page.evaluate("localStorage.setItem('waybill.language', 'en')");
    await api.patch('/api/stores/{storeId}/orders/{id}', {
      params: { path: { storeId, id: order.id } },
      body: { status: 'cancelled' },
    });
  });

  test('by keyboard alone an order is sent and refunded in part, and its timeline says what happened and who did it', async () => {
    const { keys } = ben;
    // Without this, the mails of a new store wait.
    await vouchFor((await share()).baseUrl, account);
    const { order } = await api.post('/api/stores/{storeId}/orders', {
      params: { path: { storeId } },
      body: {
        items: [{ variantId: variantOf['Earl Grey']!, quantity: 2 }],
        customer: { name: 'Zoe', email: 'zoe@example.com' },
      },
    });
    const params = { path: { storeId, id: order.id } };
    await api.post('/api/stores/{storeId}/orders/{id}/payments', { params, body: {} });
    await ben.visit(at('orders', order.id));
    await keys.at(`Order #${order.number}`);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('Payment: Captured, €17.80').waitFor();
    await keys.act('Send items');
    await ben.opened('dialog', 'Send items');
    await keys.fill('Quantity', '1');
    await keys.act('Send items');
    await timeline.getByText('Sent: 1 × Earl Grey 100 g').waitFor();
    await keys.act('Refund');
    const dialog = await ben.opened('dialog', 'Refund');
    await keys.fill('Quantity', '1');
    await keys.fill('Refund another amount', '5');
    await keys.fill('Reason', 'Dented tin');
    // The listed amounts add up to the refund.
    await dialog.getByText('Adjustment').waitFor();
    await dialog.getByText('-€3.90').waitFor();
    await dialog.getByText('€12.80 of what was paid stays with you.').waitFor();
    await keys.act('Refund');
    const refunded = timeline.getByRole('listitem').filter({ hasText: 'Refund of €5.00' });
    await refunded.getByText('Dented tin').waitFor();
    await refunded.getByText(/ · Ben$/).waitFor();
    await keys.fill('New note', 'Sends a photo.');
    await keys.act('Add note');
    await timeline
      .getByRole('listitem')
      .filter({ hasText: 'Note: Sends a photo.' })
      .getByText(/ · Ben$/)
      .waitFor();
    await keys.act('Make packing slip');
    await timeline
      .getByRole('listitem')
      .filter({ hasText: 'Packing slip' })
      .getByText(/ · Ben$/)
      .waitFor();
    await timeline.getByRole('listitem').last().getByText('Order placed').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await eventually(async () => {
      const { orderMails } = await api.get('/api/stores/{storeId}/order-mails/{orderId}', {
        params: { path: { storeId, orderId: order.id } },
      });
      return orderMails.some(({ kind, state }) => kind === 'orderShipped' && state === 'sent');
    });
    await ben.visit(at('orders', order.id));
    await keys.at(`Order #${order.number}`);
    await timeline.getByText('E-mail to the customer: Order sent').waitFor();
    await keys.act(/^Previous order/);
    await keys.at(`Order #${order.number - 1}`);
    await keys.act(/^Next order/);
    await keys.at(`Order #${order.number}`);
    await api.patch('/api/stores/{storeId}/orders/{id}', { params, body: { status: 'cancelled' } });
  });

  test('each line of a refund says whether its items go back on stock', async () => {
    const { keys } = ben;
    const { products } = await api.get('/api/stores/{storeId}/products', {
      params: { path: { storeId }, query: { q: 'Darjeeling' } },
    });
    await api.patch('/api/stores/{storeId}/products/{id}/variants/{variantId}', {
      params: { path: { storeId, id: products[0]!.id, variantId: variantOf.Darjeeling! } },
      body: { stock: 1 },
    });
    const { order } = await api.post('/api/stores/{storeId}/orders', {
      params: { path: { storeId } },
      body: {
        items: ['Earl Grey', 'Darjeeling'].map((name) => ({ variantId: variantOf[name]!, quantity: 1 })),
        customer: { name: 'Zoe', email: 'zoe@example.com' },
      },
    });
    const params = { path: { storeId, id: order.id } };
    await api.post('/api/stores/{storeId}/orders/{id}/payments', { params, body: {} });
    await ben.visit(at('orders', order.id));
    await keys.at(`Order #${order.number}`);
    await keys.act('Refund');
    const dialog = await ben.opened('dialog', 'Refund');
    const quantities = dialog.getByRole('textbox', { name: 'Quantity' });
    await quantities.nth(0).fill('1');
    await quantities.nth(1).fill('1');
    await keys.press('Tab');
    await dialog.getByRole('switch', { name: 'Restock 1 × Darjeeling 100 g' }).waitFor();
    await keys.to('Restock 1 × Earl Grey 100 g');
    await keys.press('Space');
    await keys.act('Refund');
    await page.getByRole('region', { name: 'Timeline' }).getByText('Refund of €17.80').waitFor();
    const { refunds } = await api.get('/api/stores/{storeId}/orders/{id}/refunds', { params });
    expect(refunds[0]!.lines.map(({ restock }) => restock)).toEqual([false, true]);
    await api.patch('/api/stores/{storeId}/orders/{id}', { params, body: { status: 'cancelled' } });
  });

  test('what is to be done with orders is said at home; returns are listed, orders sent from a file, slips printed', async () => {
    const [first, second, third] = [
      await buyOne('Earl Grey'),
      await buyOne('Earl Grey'),
      await buyOne('Earl Grey'),
    ].map(({ order }) => order);
    const params = (order: typeof first) => ({ path: { storeId, id: order!.id } });
    await api.patch('/api/stores/{storeId}/orders/{id}', {
      params: params(third),
      body: { status: 'cancelled' },
    });
    const { return: made } = await api.post('/api/stores/{storeId}/orders/{id}/returns', {
      params: params(first),
      body: {
        kind: 'return',
        lines: [{ variantId: variantOf['Earl Grey']!, quantity: 1, reason: 'Too strong' }],
      },
    });
    await api.patch('/api/stores/{storeId}/orders/{id}/returns/{returnId}', {
      params: { path: { ...params(first).path, returnId: made.id } },
      body: { state: 'received' },
    });
    await ben.visit(at());
    await page.getByRole('link', { name: /orders? to send$/ }).waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByRole('link', { name: '1 returned parcel to refund or close' }).click();
    await heading('Returns');
    const back = page.getByRole('row').filter({ hasText: 'Too strong' }).filter({ hasText: 'Received' });
    await back.getByText(`#${first!.number}`).waitFor();
    expect(await ben.findBarriers()).toEqual([]);

    await ben.visit(at('orders'));
    await page.getByRole('button', { name: 'Actions for Orders' }).click();
    await page.getByRole('menuitem', { name: 'Mark as sent from a CSV' }).click();
    await heading('Mark orders as sent');
    const file = [
      'Order number;Carrier;Tracking number',
      `#${first!.number};DHL;00340434161094042557`,
      `${second!.number};Royal Mail;RM 1`,
      `${second!.number};ups;1Z 2`,
      `${third!.number};;`,
      '99999;;',
      'x;;',
    ].join('\r\n');
    const take = async () => {
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'parcels.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
      await page.getByRole('heading', { level: 2, name: 'parcels.csv' }).waitFor();
    };
    const said = () => page.getByRole('row').locator('td:last-child').allTextContents();
    const faults = ['Order is in the file twice', 'Order is cancelled', 'No such order', 'No order number'];
    await take();
    expect(await said()).toEqual(['Will be sent', 'Will be sent', ...faults]);
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Mark 2 orders as sent' }).click();
    await page.getByText('2 orders were marked as sent.').waitFor();
    expect(await said()).toEqual(['Sent', 'Sent', ...faults]);
    const parcels = async (order: typeof first) =>
      (await api.get('/api/stores/{storeId}/orders/{id}/fulfillments', { params: params(order) }))
        .fulfillments;
    expect(await parcels(second)).toMatchObject([{ carrier: 'royal-mail', trackingNumber: 'RM 1' }]);
    // The same file sends nothing a second time.
    await take();
    await page.getByText('Nothing to send: see the status of each line.').waitFor();
    expect(await said()).toEqual(['Sent already', 'Sent already', ...faults]);
    expect(await parcels(first)).toHaveLength(1);

    await ben.visit(at('orders'));
    for (const { number } of [first!, second!]) await tick(new RegExp(`#${number}\\b`));
    await page.getByText('2 selected').waitFor();
    await page.getByRole('link', { name: 'Print packing slips' }).click();
    await heading('Packing slips');
    await page.getByText(`Packing slip · Order ${second!.number}`).waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    await page.emulateMedia({ media: 'screen' });
    for (const order of [first, second])
      await api.patch('/api/stores/{storeId}/orders/{id}', {
        params: params(order),
        body: { status: 'cancelled' },
      });
  });

  test('payments are reported by day and method, and compared with their providers', async () => {
    await ben.visit(at('payments'));
    await page.getByRole('link', { name: 'Report' }).click();
    await heading('Report');
    await page.getByRole('row').filter({ hasText: 'Recorded by hand' }).first().waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByLabel('To').fill('2020-01-31');
    await page.getByLabel('From').fill('2020-01-01');
    await page.getByText('Nothing in this period').waitFor();
    await ben.visit(at('payments'));
    await page.getByRole('link', { name: 'Reconciliation' }).click();
    await page.getByText('Everything matches').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    // A difference leads to its order.
    const { payments } = await api.get('/api/stores/{storeId}/payments', { params: { path: { storeId } } });
    const [{ id, orderId }] = payments as [(typeof payments)[number]];
    const { order } = await api.get('/api/stores/{storeId}/orders/{id}', {
      params: { path: { storeId, id: orderId } },
    });
    const checkedAt = new Date().toISOString();
    await page.route('**/payment-reconciliation', (route) =>
      route.fulfill({
        json: {
          checkedAt,
          differences: [{ paymentId: id, reference: 'pi_1', hereCents: 890, thereCents: 1000, checkedAt }],
        },
      }),
    );
    await page.getByRole('button', { name: 'Compare again' }).click();
    await page.getByText('1 payment differs.').waitFor();
    const row = page.getByRole('row').filter({ hasText: /pi_1€8\.90€10\.00€1\.10/ });
    expect(await ben.findBarriers()).toEqual([]);
    await row.getByRole('link', { name: `Order #${order.number}` }).click();
    await heading(`Order #${order.number}`);
    await page.unroute('**/payment-reconciliation');
  });

  test('an order that somebody else has marked as paid meanwhile is fulfilled, and stays paid', async () => {
    const { order } = await buyOne('Earl Grey');
    await ben.visit(at('orders', order.id));
    await page.getByRole('button', { name: /Fulfilment/ }).click();
    await page.getByRole('option', { name: 'Fulfilled', exact: true }).click();
    const params = { path: { storeId, id: order.id } };
    await api.patch('/api/stores/{storeId}/orders/{id}', { params, body: { payment: 'paid' } });
    await ben.lookBack();
    await page.getByText('Paid', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const question = page.getByRole('alertdialog', { name: 'Someone else changed this' });
    await question.getByRole('button', { name: 'Overwrite with mine' }).click();
    await page.getByText('Order updated').waitFor();
    const { order: stored } = await api.get('/api/stores/{storeId}/orders/{id}', { params });
    expect(stored).toMatchObject({ payment: 'paid', fulfillment: 'fulfilled' });
    expect(ben.complaints().join()).toContain('412');
    await api.patch('/api/stores/{storeId}/orders/{id}', { params, body: { status: 'cancelled' } });
  });

  test('several products get a tag beside those that somebody else gives meanwhile; what fails is said, and stays chosen', async () => {
    const { products } = await api.get('/api/stores/{storeId}/products', { params: { path: { storeId } } });
    const [one, other] = ['Earl Grey', 'Darjeeling'].map(
      (name) => products.find((each) => each.name === name)!,
    );
    const params = (id: string) => ({ path: { storeId, id } });
    await ben.visit(at('products'));
    for (const { name } of [one!, other!]) await tick(new RegExp(name));
    await api.patch('/api/stores/{storeId}/products/{id}', {
      params: params(one!.id),
      body: { tags: ['new'] },
    });
    await page.route(`**/products/${other!.id}`, (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 429, json: { error: 'Slowly.', code: 'rate_limited' } })
        : route.fallback(),
    );
    await page.getByRole('button', { name: 'Add tag…' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Tag' }).fill('black, loose');
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page
      .getByText('Couldn’t change one product: Too many attempts. Wait a moment and try again.')
      .waitFor();
    await page.getByText('1 selected').waitFor();
    await page.unroute(`**/products/${other!.id}`);
    const read = await api.get('/api/stores/{storeId}/products/{id}', { params: params(one!.id) });
    expect(read.product.tags).toEqual(['new', 'black', 'loose']);
    expect(ben.complaints().join()).toContain('429');

    // A slip loses nothing that was typed: a click outside does nothing, and Escape asks, even before the next frame.
    await page.evaluate('window.draw = requestAnimationFrame, window.requestAnimationFrame = () => 0');
    await page.mouse.click(5, 5);
    await page.keyboard.press('Escape');
    await page.evaluate('window.requestAnimationFrame = draw');
    await page
      .getByRole('alertdialog', { name: 'Discard what you typed?' })
      .getByRole('button', { name: 'Discard' })
      .click();

    // If no answer comes for one, the others are not tried, each of which would have its own retries.
    const asked = new Set<string>();
    await page.route('**/products/prd_*', (route) => {
      asked.add(route.request().url());
      return route.abort();
    });
    // If the focus is in the table by now, Escape has also cleared the choice of the other one.
    for (const { name } of [one!, other!]) await tick(new RegExp(name));
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByText(/^Couldn’t change 2 products/).waitFor();
    await page.unroute('**/products/prd_*');
    expect(asked.size).toBe(1);
    expect(ben.complaints().join()).toContain('ERR_FAILED');
    for (const { id } of [one!, other!])
      await api.patch('/api/stores/{storeId}/products/{id}', { params: params(id), body: { tags: [] } });
  });

  test('orders of a period are listed, and written into a file that a spreadsheet adds up', async () => {
    await ben.visit(at('orders'));
    await page.getByRole('row', { name: '#1', exact: true }).waitFor();
    await page.getByLabel('To').fill('2020-01-31');
    await page.getByText('No results').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await page.getByLabel('From').fill('2020-01-31');
    await page.getByRole('row', { name: '#1', exact: true }).waitFor();
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
    expect(titles).toMatch(/^\uFEFF?order,placed,.*,total,/);
    expect(titles).toMatch(/,paid,refunded,due,.*,ship to country$/);
    expect(first).toMatch(new RegExp(`^${number},.*,${customer.email},.*,${lineItems[0]!.name},`));
    expect(first).toMatch(new RegExp(`,${(totalCents / 100).toFixed(2)},`));
    await page.getByRole('button', { name: 'Close' }).last().click();
  });

  test('a customer has a note that is saved by itself, a file of all about them, and can be erased', async () => {
    await ben.visit(at('customers'));
    await page.getByRole('row', { name: /Ada Lovelace/ }).waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByRole('row', { name: /Ada Lovelace/ }).click();
    await heading('Ada Lovelace');
    await page.getByRole('textbox', { name: 'Private note' }).fill('Likes it strong.');
    await page.getByRole('button', { name: 'Save note' }).click();
    await page.getByText('Note saved').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    const menu = page.getByRole('button', { name: 'Actions for Ada Lovelace' });
    await menu.click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export customer data' }).click(),
    ]);
    const file = JSON.parse(await readFile(await download.path(), 'utf8'));
    expect(file).toMatchObject({ customer: { email: 'ada@example.com' }, note: 'Likes it strong.' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Erase personal data…' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Erase the personal data of Ada Lovelace?' });
    expect(await dialog.getByRole('button', { name: 'Erase personal data' }).isDisabled()).toBe(true);
    await dialog.getByLabel(/^Type ada/).fill('ada@example.com');
    await dialog.getByRole('button', { name: 'Erase personal data' }).click();
    await heading('Customers');
    await page.getByRole('row', { name: /Zoe/ }).waitFor();
    expect(await page.getByText('Ada Lovelace').count()).toBe(0);
  });

  test('by keyboard alone a customer is written down, found, and deleted', async () => {
    const { keys } = ben;
    await ben.visit(at('customers'));
    await keys.at('Customers');
    await keys.act('New customer');
    await keys.at('New customer');
    await keys.fill('Name', 'Mary Somerville');
    await keys.fill('E-mail', 'mary@example.com');
    await keys.act('Add address');
    await keys.fill('City', 'Jedburgh');
    await keys.act('Create');
    await keys.at('Mary Somerville');
    await keys.act('Back to Customers');
    await keys.at('Customers');
    await keys.fill('Search', 'somer');
    await page.getByRole('row', { name: /Zoe/ }).waitFor({ state: 'detached' });
    await keys.row(/^Mary Somerville/);
    await keys.press('Enter');
    await keys.at('Mary Somerville');
    await keys.act('Actions for Mary Somerville');
    await ben.opened('menu', 'Actions for Mary Somerville');
    await keys.act('Delete…', 'ArrowDown');
    await ben.opened('alertdialog', 'Delete Mary Somerville?');
    await keys.act('Delete customer');
    await keys.at('Customers');
  });

  /** Adds a form to a page, and lets visitors submit it. */
  async function haveSent(name: string, values: readonly object[]): Promise<void> {
    const field = (id: string) => ({ id, type: 'field', props: { specials: { label: id, name: id } } });
    const nodes = [
      { id: 'root', type: 'section', children: ['form'] },
      { id: 'form', type: 'form', children: ['name', 'question'] },
      ...['name', 'question'].map(field),
    ];
    const { page: made } = await api.post('/api/stores/{storeId}/pages', {
      params: { path: { storeId } },
      body: { name },
    });
    await api.put('/api/stores/{storeId}/pages/{pageId}/draft', {
      params: { path: { storeId, pageId: made.id } },
      body: { document: { rootId: 'root', nodes } as never },
    });
    const path = { storeId, id: made.id };
    const live = await api.post('/api/stores/{storeId}/pages/{id}/publish', { params: { path } });
    const html = await (await fetch(live.page.url!)).text();
    const action = /action="(\/storefront\/[^"]+)"/.exec(html)![1]!;
    for (const each of values) {
      const sent = await fetch(new URL(action, live.page.url!), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(each),
      });
      expect(sent.status).toBe(201);
    }
  }

  test('what visitors send with forms is read by form, written into a file, and leads to its page', async () => {
    await ben.visit(at('forms'));
    await page.getByText('No submissions yet').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await haveSent('Contact', [{ name: 'Mary', question: 'Do you sell oolong?' }, { name: '=1+1' }]);
    await haveSent('Wishes', [{ name: 'Grace', question: 'More pots' }]);
    await ben.visit(at('forms'));
    const rows = page.getByRole('row');
    await rows
      .filter({ hasText: /Grace.*More pots/ })
      .filter({ hasText: 'Wishes' })
      .waitFor();
    await rows.filter({ hasText: 'Contact' }).first().waitFor();
    await page.getByRole('button', { name: /Form$/ }).click();
    await page.getByRole('option', { name: 'Contact' }).click();
    await rows.filter({ hasText: 'Grace' }).waitFor({ state: 'detached' });
    expect(await ben.findBarriers()).toEqual([]);

    // An aborted export can be resumed.
    await page.route('**/form-submissions?*dir=asc*', (route) => route.abort());
    await page.getByRole('button', { name: 'Actions for Forms' }).click();
    await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
    const resume = page.getByRole('button', { name: 'Resume' });
    await resume.waitFor();
    await page.unroute('**/form-submissions?*dir=asc*');
    const [download] = await Promise.all([page.waitForEvent('download'), resume.click()]);
    const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');
    expect(lines[0]).toMatch(/^\uFEFF?id,sent,form,page,name,question$/);
    expect(lines[1]).toMatch(/^fsb_\w+,[^,]+,pag_[^,]+,Contact,Mary,Do you sell oolong\?$/);
    expect(lines[2]).toMatch(/,"?'=1\+1"?,$/);
    await page.getByRole('button', { name: 'Close' }).last().click();
    expect(ben.complaints().join()).toContain('ERR_FAILED');

    await page.getByRole('row', { name: /Mary/ }).click();
    await heading('Submission from Contact');
    await page.getByText('Do you sell oolong?').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByRole('link', { name: 'Contact', exact: true }).click();
    await heading('Contact');
  });

  test('by keyboard alone a submission is deleted, and mails of orders are turned off', async () => {
    const { keys } = ben;
    await ben.visit(at('forms'));
    await keys.at('Forms');
    await keys.row(/Grace/);
    await keys.press('Enter');
    await keys.at('Submission from Wishes');
    await keys.act('Actions for Submission from Wishes');
    await ben.opened('menu', 'Actions for Submission from Wishes');
    await keys.act('Delete…', 'ArrowDown');
    await ben.opened('alertdialog', 'Delete this submission?');
    await keys.act('Delete submission');
    await keys.at('Forms');
    await page.getByRole('row', { name: /Mary/ }).waitFor();
    expect(await page.getByText('Grace').count()).toBe(0);

    const isMailed = async () =>
      (await api.get('/api/me/notifications', { params: { query: { storeId } } })).notifications;
    expect(await isMailed()).toEqual([{ storeId, orderCreated: true }]);
    await ben.visit(at('settings', 'notifications'));
    await keys.at('Notifications');
    await page.getByText('E-mail me about each new order').waitFor();
    await keys.to('E-mail me about each new order');
    await keys.press('Space');
    await page.getByText('Settings saved').waitFor();
    expect(await isMailed()).toEqual([{ storeId, orderCreated: false }]);
    expect(await page.getByRole('switch', { name: 'E-mail me about each new order' }).isChecked()).toBe(
      false,
    );
  });

  test('by keyboard alone a product gets variants and pictures, which are put in order', async () => {
    const { keys } = ben;
    await ben.visit(at('products'));
    await keys.at('Products');
    await keys.act('New product');
    await keys.at('New product');
    await keys.fill('Name', 'Rooibos');
    await keys.fill('Variant', '100 g');
    await keys.fill('SKU', 'RB-1');
    await keys.fill('Price', '4.50');
    await keys.fill('Stock', '7');
    await keys.act('Add variant');
    await keys.fill('Variant', '250 g');
    await keys.fill('SKU', 'RB-2');
    await keys.fill('Price', '9.90');
    // Cells go into the column that has the cursor, also beside the checkbox of one of several variants.
    const row = page.getByRole('group', { name: '250 g' });
    await row.getByLabel('Price').evaluate((field) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', '9.50\t5');
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    await eventually(async () => (await row.getByLabel('Stock').inputValue()) === '5');
    await keys.act('Actions for 250 g');
    await ben.opened('menu', 'Actions for 250 g');
    await keys.press('Escape');
    await keys.act('Add variant');
    await keys.act('Actions for Variant 3');
    await keys.act('Remove Variant 3', 'ArrowDown');
    const chooser = page.waitForEvent('filechooser');
    await keys.act('Add images');
    await (await chooser).setFiles([picture('one'), picture('two')]);
    await page.getByRole('button', { name: 'Remove image 2' }).waitFor();
    const first = () => page.getByRole('row', { name: 'Image 1' }).locator('img').getAttribute('src');
    const was = await first();
    await keys.act('Image 2', 'Shift+Tab');
    await ben.opened('menu', 'Image 2');
    await keys.act('Move to the front', 'ArrowDown');
    expect(await first()).not.toBe(was);
    await keys.act('Create');
    await keys.at('Rooibos');
    await keys.act('Actions for Rooibos');
    await keys.act('Delete', 'ArrowDown');
    await ben.opened('alertdialog', 'Delete this product?');
    await keys.act('Delete');
    await keys.at('Products');
  });

  test('categories are made, filled and nested, by keys too; a rule shows what it finds', async () => {
    const { keys } = ben;
    await ben.visit(at('categories'));
    await keys.at('Categories');
    await keys.act('New category');
    await keys.at('New category');
    await keys.fill('Name', 'Black teas');
    await keys.act('Create');
    await keys.at('Black teas');
    await find('Add a product', 'Darj');
    await page.getByRole('row', { name: /Darjeeling/ }).waitFor();
    await find('Add a product', 'Earl');
    await page.getByRole('row', { name: /Earl Grey/ }).waitFor();
    await page.getByRole('button', { name: 'Actions for Earl Grey' }).click();
    await page.getByRole('menuitem', { name: 'Move to the front' }).click();
    const categories = async () =>
      (await api.get('/api/stores/{storeId}/categories', { params: { path: { storeId } } })).categories;
    const [black] = await categories();
    const memberNames = async () => {
      const params = { path: { storeId, id: black!.id } };
      const { products } = await api.get('/api/stores/{storeId}/categories/{id}/products', { params });
      return products.map(({ name }) => name);
    };
    await eventually(async () => (await memberNames()).join() === 'Earl Grey,Darjeeling');
    // A change waits for the one before it: an order that is sent in full would undo a simultaneous one.
    const held = Promise.withResolvers<void>();
    const products = new RegExp(`/categories/${black!.id}/products$`);
    const methods: string[] = [];
    await page.route(products, async (route) => {
      methods.push(route.request().method());
      if (methods.at(-1) === 'PUT') await held.promise;
      await route.fallback();
    });
    const sent = page.waitForRequest((req) => req.method() === 'PUT' && products.test(req.url()));
    const moveToFront = async (name: string) => {
      await page.getByRole('button', { name: `Actions for ${name}` }).click();
      await page.getByRole('menuitem', { name: 'Move to the front' }).click();
    };
    await moveToFront('Darjeeling');
    await sent;
    await page.getByRole('button', { name: 'Remove Earl Grey' }).click();
    // A later request of the page is answered, so an earlier one would have been seen.
    await page.evaluate('fetch(location.href).then(() => null)');
    expect(methods).toEqual(['PUT']);
    held.resolve();
    await eventually(async () => (await memberNames()).join() === 'Darjeeling');
    await page.unroute(products);
    // Products of the list are not offered.
    await page.getByRole('button', { name: 'Remove Earl Grey' }).waitFor({ state: 'detached' });
    await find('Add a product', 'Earl');
    await eventually(async () => (await memberNames()).join() === 'Darjeeling,Earl Grey');

    await ben.visit(at('categories', 'new'));
    await page.getByLabel('Name', { exact: true }).fill('Cheap teas');
    await page.getByText('Found by a rule').click();
    await page.getByText('Enter a value to see').waitFor();
    const value = page.locator('[name="/rule/conditions/0/value"]');
    await value.fill('nothing');
    await page.getByText('No product matches now.').waitFor();
    await page.getByRole('button', { name: /Field$/ }).click();
    await page.getByRole('option', { name: 'Name' }).click();
    await page.getByRole('button', { name: /Condition$/ }).click();
    await page.getByRole('option', { name: 'contains' }).click();
    await value.fill('grey');
    await page.getByText('1 product matches now.').waitFor();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page
      .getByRole('button', { name: /Field$/ })
      .last()
      .click();
    await page.getByRole('option', { name: 'Category' }).click();
    await page.getByRole('combobox', { name: 'Value' }).fill('Black');
    await page.getByRole('option', { name: 'Black teas' }).click();
    await page
      .getByRole('button', { name: /Condition$/ })
      .last()
      .click();
    await page.getByRole('option', { name: 'is not' }).click();
    await page.getByText('No product matches now.').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByLabel('URL').fill('black-teas');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page
      .getByText('This URL is already in use')
      .or(page.locator('[aria-invalid=true]'))
      .first()
      .waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('/slug');
    expect(ben.complaints().join()).toContain('409');
    await page.getByLabel('URL').fill('cheap');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await heading('Cheap teas');

    await ben.visit(at('categories'));
    const row = (name: RegExp) => page.getByRole('row', { name });
    await row(/Cheap teas/).focus();
    await keys.press('Alt+ArrowRight');
    const placed = async () =>
      (await categories()).map(({ name, parentId, position }) =>
        [name, parentId === black!.id, position].join(),
      );
    await eventually(async () => (await placed()).includes('Cheap teas,true,0'));
    await keys.press('Alt+ArrowLeft');
    await eventually(async () => (await placed()).includes('Cheap teas,false,1'));
    await keys.press('Alt+ArrowUp');
    await eventually(async () => (await placed()).includes('Cheap teas,false,0'));
    await row(/Cheap teas/).dragTo(row(/Black teas/), {
      sourcePosition: { x: 60, y: 24 },
      targetPosition: { x: 300, y: 24 },
    });
    await eventually(async () => (await placed()).includes('Cheap teas,true,0'));

    // A category below itself is no valid place.
    await ben.visit(at('categories', black!.id));
    await page.getByRole('combobox', { name: 'Parent category' }).fill('Cheap');
    await page.getByRole('option', { name: /Cheap teas/ }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('A category can’t be placed below itself.').waitFor();
    expect(ben.complaints().join()).toContain('409');
    await page.getByRole('button', { name: 'Discard' }).click();
    // Of many rows, only those in view exist, and the keys move those.
    for (let number = 0; number < 70; number++)
      await api.post('/api/stores/{storeId}/categories', {
        params: { path: { storeId } },
        body: { name: `Shelf ${String(number).padStart(2, '0')}` },
      });
    await ben.visit(at('categories'));
    await row(/Shelf 00/).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    expect(await ben.findBarriers()).toEqual([]);
    await row(/Shelf 01/).focus();
    await keys.press('Alt+ArrowRight');
    const parentOf = async (name: string) => {
      const all = await api.get('/api/stores/{storeId}/categories', {
        params: { path: { storeId }, query: { limit: 200 } },
      });
      const { parentId } = all.categories.find((each) => each.name === name)!;
      return all.categories.find(({ id }) => id === parentId)?.name;
    };
    await eventually(async () => (await parentOf('Shelf 01')) === 'Shelf 00');
    expect(await row(/Shelf 01/).getAttribute('aria-level')).toBe('2');
    await row(/Shelf 03/).dragTo(row(/Shelf 02/), {
      sourcePosition: { x: 60, y: 24 },
      targetPosition: { x: 300, y: 24 },
    });
    await eventually(async () => (await parentOf('Shelf 03')) === 'Shelf 02');
    await row(/Shelf 00/).focus();
    await keys.press('End');
    await row(/Shelf 69/).waitFor();

    for (;;) {
      const all = await categories();
      if (all.length === 0) break;
      for (const { id } of all)
        await api.delete('/api/stores/{storeId}/categories/{id}', { params: { path: { storeId, id } } });
    }
  });

  test('variants are made of options and changed at once; renaming keeps the variants that there are', async () => {
    await ben.visit(at('products', 'new'));
    await page.getByLabel('Name', { exact: true }).fill('Linen shirt');
    await page.getByLabel('Price').fill('39');
    for (const [name, values] of [
      ['Size', 'S, M, L'],
      ['Colour', 'Red, Sky blue'],
    ] as const) {
      await page.getByRole('button', { name: 'Add option' }).click();
      await page.getByLabel('Name of the option').fill(name);
      await page.getByLabel('Add values').fill(values);
      await ben.opened('dialog', 'Add option');
      await page.getByRole('button', { name: 'Done' }).click();
    }
    await page.getByRole('button', { name: 'Create 5 missing variants' }).click();
    await page.getByText('Select all 6 variants').click();
    await page.getByRole('button', { name: 'Edit selected' }).click();
    await page.getByRole('button', { name: /What to change$/ }).click();
    await page.getByRole('option', { name: 'SKU' }).click();
    await page.getByText('Linen-shirt-S-Red, Linen-shirt-S-Sky-blue').waitFor();
    await ben.opened('dialog', 'Edit 6 variants');
    await page.getByRole('button', { name: 'Change 6 variants' }).click();
    await page.getByRole('button', { name: 'Actions for M / Red' }).click();
    await page.getByRole('menuitem', { name: 'Details' }).click();
    await page.getByLabel('Barcode').fill('4006381333932');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('This isn’t a valid GTIN').waitFor();
    await page.getByLabel('Barcode').fill('4006381333931');
    await page.getByLabel('Compare-at price').fill('49');
    await ben.opened('dialog', 'Details of M / Red');
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await heading('Linen shirt');
    const id = page.url().split('/').at(-1)!;
    const params = { path: { storeId, id } };
    const read = async () => (await api.get('/api/stores/{storeId}/products/{id}', { params })).product;
    const made = await read();
    expect(made.variants.map(({ sku, priceCents }) => `${sku} ${priceCents}`)).toEqual([
      'Linen-shirt-S-Red 3900',
      'Linen-shirt-S-Sky-blue 3900',
      'Linen-shirt-M-Red 3900',
      'Linen-shirt-M-Sky-blue 3900',
      'Linen-shirt-L-Red 3900',
      'Linen-shirt-L-Sky-blue 3900',
    ]);
    expect(made.variants[2]).toMatchObject({ barcode: '4006381333931', compareAtCents: 4_900 });
    await page.getByRole('button', { name: 'Edit option Size' }).click();
    await page.getByLabel('Name of the option').fill('Fit');
    await page.getByLabel('Value 1').fill('Small');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Product saved').waitFor();
    const renamed = await read();
    expect(renamed.variants.map((variant) => variant.id)).toEqual(made.variants.map((variant) => variant.id));
    expect(renamed.variants[0]!.options).toEqual({ Fit: 'Small', Colour: 'Red' });

    // Only the changed variants are sent; a refusal is shown at its row.
    await page.evaluate(() => {
      const { fetch } = globalThis;
      const patches: string[] = [];
      async function noted(request: Request) {
        if (request.method === 'PATCH') patches.push(await request.clone().text());
        return fetch(request);
      }
      Object.assign(globalThis, { patches, fetch: noted });
    });
    const sku = (at: number) => page.getByLabel('SKU').nth(at);
    await sku(4).fill('Linen-shirt-M-Red');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('group', { name: 'L / Red' }).getByText('appears twice').waitFor();
    expect(ben.complaints()).toEqual([expect.stringContaining('409')]);
    await sku(4).fill('L-Red');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Product saved').last().waitFor();
    await eventually(async () => (await read()).variants[4]!.sku === 'L-Red');
    const patches = await page.evaluate(() => (globalThis as unknown as { patches: string[] }).patches);
    const sent = patches.map((body) => JSON.parse(body).variants.map((each: { sku: string }) => each.sku));
    expect(sent).toEqual([['Linen-shirt-M-Red', 'Linen-shirt-M-Red'], ['L-Red']]);
    // A variant between others is inserted there.
    await page.getByRole('button', { name: 'Actions for Small / Sky blue' }).click();
    await page.getByRole('menuitem', { name: 'Remove Small / Sky blue' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await eventually(async () => (await read()).variants.length === 5);
    await page.getByRole('button', { name: 'Create the missing variant' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await eventually(async () => (await read()).variants.length === 6);
    expect((await read()).variants[1]!.options).toEqual({ Fit: 'Small', Colour: 'Sky blue' });
    await api.delete('/api/stores/{storeId}/products/{id}', { params });
  });

  test('variants that are typed on while their product is being made are the ones that are made', async () => {
    const posts = await ben.holdPosts(`/api/stores/${storeId}/products`);
    await ben.visit(at('products', 'new'));
    await page.getByLabel('Name', { exact: true }).fill('Oolong');
    await page.getByLabel('SKU').fill('OO-1');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await posts.areSent;
    await page.getByLabel('SKU').fill('OO-2');
    await page.getByLabel('Stock').fill('5');
    await page.getByRole('button', { name: 'Add variant' }).click();
    await page.getByLabel('SKU').last().fill('OO-3');
    posts.letGo();
    await heading('Oolong');
    await page.unrouteAll();
    const id = page.url().split('/').at(-1)!;
    const read = async () => {
      const params = { path: { storeId, id } };
      return (await api.get('/api/stores/{storeId}/products/{id}', { params })).product.variants;
    };
    const [made] = await read();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Product saved').waitFor();
    expect(await read()).toMatchObject([{ id: made!.id, sku: 'OO-2', stock: 5 }, { sku: 'OO-3' }]);
    expect(await page.getByLabel('SKU').first().inputValue()).toBe('OO-2');
    await api.delete('/api/stores/{storeId}/products/{id}', { params: { path: { storeId, id } } });
  });

  test('stock that is sold while a product is changed stays sold, and nobody is asked about it', async () => {
    await ben.visit(at('products'));
    await page.getByRole('row', { name: /Earl Grey/ }).click();
    await heading('Earl Grey');
    await page.getByLabel('SKU').fill('EG-1');
    await buyOne('Earl Grey');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Product saved').waitFor();
    // The browser reports the refusal that precedes the second attempt.
    expect(ben.complaints().join()).toContain('412');
    expect(await stockOf('Earl')).toBe(10);
    // On the same screen, an invalid address is explained in words.
    await page.getByLabel('URL').fill('Bad Slug!');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Use up to 120 lowercase letters').waitFor();
    expect(ben.complaints()).toEqual([expect.stringContaining('400')]);
    await page.getByLabel('URL').fill('earl-grey');
  });

  test('rows of a spreadsheet are pasted, and one that cannot be read is named', async () => {
    await page.getByRole('button', { name: 'Paste rows…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Paste rows…' });
    await dialog.getByRole('textbox').fill('250 g\tEG-2\tfree\t7');
    await dialog.getByRole('button', { name: 'Add rows' }).click();
    await dialog.getByText('Row 1, price: “free” isn’t valid.').waitFor();
    await dialog.getByRole('textbox').fill('250 g\tEG-2\t19,90\t7');
    await dialog.getByRole('button', { name: 'Add rows' }).click();
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok());
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saved;
    expect(await stockOf('Earl')).toBe(17);
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
    await page.getByText('“free” isn’t a price.').waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    // If the user leaves during the import, it stops after the current request.
    const posts = await ben.holdPosts('/products');
    await page.getByRole('button', { name: 'Import 20 products' }).click();
    await posts.areSent;
    await page.getByRole('link', { name: 'Back to Products' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
    await heading('Products');
    posts.letGo();
    await page.getByRole('button', { name: 'Actions for Products' }).click();
    await page.getByRole('menuitem', { name: 'Import products' }).click();
    await page.getByText('The import of tea.csv didn’t finish').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Resume' }).click();
    // The network fails during the import.
    let written = 0;
    await page.route('**/products', async (route) => {
      if (route.request().method() === 'POST' && ++written > 5) return route.abort();
      return route.continue();
    });
    await page.getByRole('button', { name: 'Import 17 products' }).click();
    await page.getByRole('alert').waitFor();
    await page.unroute('**/products');
    ben.complaints();
    // While another tab runs it, this one offers nothing to resume.
    const other = await ben.context.newPage();
    await other.goto(page.url());
    await other.evaluate(
      (name) =>
        new Promise<void>((isHeld) => {
          void navigator.locks.request(name, () => {
            isHeld();
            return new Promise(() => {});
          });
        }),
      `waybill.import.${storeId}`,
    );
    await page.reload();
    await page.getByText('Another tab is importing into this store.').waitFor();
    expect(await page.getByText('The import of tea.csv didn’t finish').count()).toBe(0);
    await other.close();
    await page.reload();
    await page.getByText('The import of tea.csv didn’t finish').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Import 12 products' }).click();
    await page.getByRole('heading', { name: 'Import finished' }).waitFor();
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
    await page.getByText('Your products already match the file.').waitFor();
  });

  test('on a bad day: a page that loads while the server is away says so, and asks nobody to sign in', async () => {
    await page.route('**/api/auth/refresh', (route) => route.abort());
    await page.reload();
    await page.getByRole('heading', { name: 'Couldn’t load this' }).first().waitFor();
    expect(await page.getByLabel('Password').count()).toBe(0);
    expect(await ben.findBarriers()).toEqual([]);
    await page.unroute('**/api/auth/refresh');
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading('Import products');
    expect(ben.complaints().join()).toContain('ERR_FAILED');
  });

  test('on a bad day: who presses again after an answer was lost makes no second one', async () => {
    await ben.visit(at('products', 'new'));
    await page.getByLabel('Name', { exact: true }).first().fill('Lapsang');
    const foundAgain = await ben.loseAnswers('/products');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Check your connection and try again.').first().waitFor();
    await foundAgain();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await heading('Lapsang');
    const { total } = await api.get('/api/stores/{storeId}/products', {
      params: { path: { storeId }, query: { q: 'Lapsang' } },
    });
    expect(total).toBe(1);

    await ben.visit(at('media'));
    const told = await ben.loseAnswers('/media');
    await page.locator('input[type=file]').setInputFiles(picture('lost'));
    const again = page.getByRole('button', { name: 'Try again: lost.png' });
    await again.waitFor();
    await told();
    await again.click();
    await page.getByText('Done', { exact: true }).waitFor();
    const media = await api.get('/api/stores/{storeId}/media', {
      params: { path: { storeId }, query: { q: 'lost' } },
    });
    expect(media.total).toBe(1);
    expect(ben.complaints().join()).toContain('ERR_CONNECTION_RESET');
  });

  test('on a bad day: an upload whose session has ended goes on with another', async () => {
    await ben.visit(at('products', 'new'));
    let refused = 0;
    await page.route('**/media', (route) => {
      if (route.request().method() !== 'POST' || ++refused > 1) return route.continue();
      return route.fulfill({
        status: 401,
        json: { error: 'Session signed out', code: 'unauthenticated' },
      });
    });
    await page.locator('input[type=file]').setInputFiles(picture('late'));
    await page.getByRole('button', { name: 'Remove image 1' }).waitFor();
    await page.unroute('**/media');
    expect(refused).toBe(2);
    expect(ben.complaints().join()).toContain('401');
    await page.getByRole('button', { name: 'Remove image 1' }).click();
  });

  test('a shopper’s code in the cart stands at the checkout, and a way to pay that is chosen right after a field stays', async () => {
    const { baseUrl } = await share();
    const params = { path: { storeId } };
    for (const name of ['By transfer', 'On delivery'])
      await api.post('/api/stores/{storeId}/payment-methods', {
        params,
        body: { provider: 'manual', name, isEnabled: true },
      });
    const { discount } = await api.post('/api/stores/{storeId}/discounts', {
      params,
      body: { title: 'Spring', kind: 'amount', amountCents: 200, code: 'SPRING' },
    });
    const { store } = await api.get('/api/stores/{storeId}', { params });
    const context = await browser.newContext();
    const shopper = await context.newPage();
    await shopper.goto(`http://${store.slug}.localhost:${new URL(baseUrl).port}/products/earl-grey`);
    await shopper.getByRole('button', { name: 'Add to cart' }).click();
    await shopper.getByText('Added to the cart:').waitFor();
    await shopper.goto(new URL('/cart', shopper.url()).href);
    await shopper.getByLabel('Discount code').fill('spring');
    await shopper.keyboard.press('Enter');
    await shopper.getByText('−€2.00').waitFor();
    await shopper.getByRole('button', { name: 'Checkout' }).click();
    await shopper.getByRole('heading', { name: 'Checkout' }).waitFor();
    await shopper.getByText('−€2.00').waitFor();
    const fields = {
      Name: 'Zoe',
      'E-mail': 'zoe@example.com',
      'Street and number': '1 High Street',
      City: 'London',
    };
    for (const [name, text] of Object.entries(fields))
      await shopper.getByLabel(name, { exact: true }).fill(text);
    // A button that is replaced while it is pressed gets no click.
    const getNewPrice = async (change: () => Promise<unknown>) => {
      const summary = await shopper.locator('.wb-summary').elementHandle();
      await change();
      await shopper.waitForFunction('(part) => !part.isConnected', summary);
    };
    await getNewPrice(() => shopper.getByLabel('Country').selectOption('GB'));
    // The code is changed last: leaving its field for the choice of a payment requests the price first.
    await shopper.getByLabel('Discount code').fill('SPRING');
    const { promise: isChosen, resolve } = Promise.withResolvers<void>();
    await shopper.route(
      '**/checkout',
      async (route) => {
        await isChosen;
        await route.continue();
      },
      { times: 1 },
    );
    await getNewPrice(async () => {
      await shopper.getByLabel('On delivery').click();
      resolve();
    });
    expect(await shopper.getByLabel('On delivery').isChecked()).toBe(true);
    await shopper.getByRole('button', { name: 'Place order' }).click();
    await shopper.getByRole('heading', { name: 'Thank you' }).waitFor();
    await shopper.getByText('On delivery').first().waitFor();
    await context.close();
    await api.delete('/api/stores/{storeId}/discounts/{id}', {
      params: { path: { storeId, id: discount.id } },
    });
  });

  test('a discount says what it would have cost before it is created', async () => {
    await ben.visit(at('discounts', 'new'));
    await page.getByLabel('Title').fill('Autumn');
    await page.getByLabel('Percent off').fill('10');
    await page.getByLabel('Code').fill('AUTUMN');
    // A slip in a date does not cost the form.
    await page.getByLabel('Starts').fill('202611-11-20T09:30');
    await page.getByLabel('Starts').fill('');
    await page.getByRole('button', { name: 'Estimate' }).click();
    await page.getByText(/orders? of \d+ would have got it: €[\d.,]+ less/).waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByLabel('Percent off').fill('20');
    await page.getByText('would have got it').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /What it applies to/ }).click();
    await page.getByRole('option', { name: 'Products', exact: true }).click();
    await find('Products', 'Earl');
    await page.getByRole('button', { name: 'Remove Earl Grey' }).waitFor();
    expect(await ben.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await heading('Autumn');
    await page.getByRole('button', { name: 'Remove Earl Grey' }).waitFor();
    await ben.visit(at('discounts'));
    expect(await page.getByRole('row', { name: /Autumn/ }).textContent()).toContain('AUTUMN');
  });

  test('the palette asks once for a word that is typed', async () => {
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/search')) asked.push(searchParams.get('q')!);
    });
    await page.keyboard.press('Control+k');
    await ben.opened('dialog', 'Search or go to…');
    await page.keyboard.type('darjeeling');
    await page.getByRole('option', { name: 'Darjeeling' }).waitFor();
    expect(asked).toEqual(['darjeeling']);
    await page.keyboard.press('Escape');
  });
});
