import { randomUUID } from 'node:crypto';
import { eventually, hasChromium, launchChromium, listMailsTo } from '@waybill/testing';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expectStatus, newKey, newPerson, newStore, type Person, verify } from '../../testing/accounts.ts';
import { type Caller, createCaller, send } from '../../testing/client.ts';
import { type AppInStore, type PayingApp, startPayingApp } from './paying-app.ts';
import { oneTopology, type SharedSystem } from './topologies.ts';

/** Waits until the first match is visible; a failure says what the page shows instead. */
async function isShown(found: Locator): Promise<void> {
  await found
    .first()
    .waitFor()
    .catch(async (error: Error) => {
      const said = await found.page().locator('body').ariaSnapshot();
      throw new Error(`${error.message}\n${found.page().url()} says:\n${said}`, { cause: error });
    });
}

const inChromium = hasChromium('bad endings of a checkout') ? describe : describe.skip;
const scopes = ['products.write', 'orders.read', 'orders.write'];
const fields = {
  name: 'Zoe',
  line1: '1 High Street',
  postalCode: 'SW1Y 4JH',
  city: 'London',
};

/**
 * Tests of checkouts that go wrong: the messages for the shopper, and the state of the order and the money. A browser
 * behaves the same in front of each topology.
 */
inChromium('bad endings of a checkout', () => {
  let system: SharedSystem;
  let browser: Browser;
  let app: PayingApp;
  let owner: Person;
  let storeId: string;
  let key: Caller;
  let host: string;
  let variantId: string;
  let card: string;
  let slowCard: string;
  let transfer: string;
  let examplePay: AppInStore;

  beforeAll(async () => {
    [system, browser] = await Promise.all([oneTopology[0].share(), launchChromium()]);
    [app, owner] = await Promise.all([startPayingApp(system), newPerson(system.baseUrl)]);
    await verify(owner);
    storeId = await newStore(owner);
    const { store } = expectStatus(await owner.call('GET', `/api/stores/${storeId}`), 200).body;
    host = `${store.slug}.localhost:${new URL(system.baseUrl).port}`;
    key = createCaller(system.baseUrl, (await newKey(owner, storeId, scopes)).secret);
    const tea = { name: 'Sencha', status: 'active', variants: [{ priceCents: 900, stock: 1_000 }] };
    const { product } = expectStatus(await key('POST', '/api/v1/products', tea), 201).body;
    variantId = product.variants[0].id;
    const add = async (method: object): Promise<string> => {
      const path = `/api/stores/${storeId}/payment-methods`;
      return expectStatus(await owner.call('POST', path, { isEnabled: true, ...method }), 201).body
        .paymentMethod.id;
    };
    card = await add({ provider: 'stripe', name: 'Card', secretKey: `sk_test_${randomUUID()}` });
    // Longer than a checkout waits for a session, and than services usually wait for each other.
    const slowKey = `sk_test_after_7000_${randomUUID()}`;
    slowCard = await add({ provider: 'stripe', name: 'Slow card', secretKey: slowKey });
    transfer = await add({ provider: 'manual', name: 'Bank transfer', instructions: 'To IBAN DE02 1203.' });
    examplePay = await app.addTo(owner, storeId);
  });
  afterAll(() => Promise.all([browser?.close(), app?.close()]));

  /** Opens a shopper's completed checkout, with a payment method chosen. */
  async function atCheckout(methodId: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    page.setDefaultTimeout(Number(process.env.PATIENCE_MS ?? 30_000));
    const email = `zoe-${randomUUID()}@example.com`;
    const value = `${variantId.slice('var_'.length)}.1`;
    await context.addCookies([{ name: 'wb-cart', value, url: `http://${host}/` }]);
    await page.goto(`http://${host}/checkout`);
    if (options.javaScriptEnabled !== false) await page.waitForFunction("localStorage.getItem('wb-cart')");
    for (const [field, text] of Object.entries({ ...fields, email }))
      await page.locator(`#wb-f-${field}`).fill(text);
    await page.locator('#wb-f-country').selectOption('GB');
    await page.locator(`#wb-${methodId}`).check();
    // Typing requests a new price, whose answer replaces the button.
    await page.waitForLoadState('networkidle');
    const press = (name: string | RegExp) => page.getByRole('button', { name }).last().click();
    const orders = async () =>
      expectStatus(await key('GET', `/api/v1/orders?q=${encodeURIComponent(email)}`), 200).body.orders;
    return {
      page,
      email,
      press,
      follow: (link: string) => page.getByRole('link', { name: link, exact: true }).click(),
      choose: (id: string) => page.locator(`#wb-${id}`).check(),
      /** Waits until the page shows a text; messages about money are in one place. */
      reads: (text: string | RegExp) => isShown(page.getByText(text)),
      notice: (): Locator => page.locator('.wb-payment'),
      /** Goes to the provider; on a busy machine, the page of the order may have to lead there. */
      async atProvider() {
        const provider = page.getByRole('heading', { name: 'Emulator of Stripe' });
        const link = page.getByRole('link', { name: 'Pay now' });
        await isShown(provider.or(link));
        if (await link.isVisible()) await link.click();
        await provider.waitFor();
      },
      atOrder: () => page.waitForURL(/\/orders\/[^/]+$/),
      /** Returns the only order of this shopper. */
      async order() {
        const [order, ...others] = await orders();
        expect(others).toEqual([]);
        return order;
      },
      orders,
      async cancel() {
        const [{ id }] = await orders();
        expectStatus(await key('PATCH', `/api/v1/orders/${id}`, { status: 'cancelled' }), 200);
      },
      /** Returns the state of each payment of the order, the earliest first. */
      async payments(): Promise<[status: string, capturedCents: number, refundedCents: number][]> {
        const [{ id }] = await orders();
        const { payments } = expectStatus(await key('GET', `/api/v1/orders/${id}/payments`), 200).body;
        return payments
          .sort((a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1))
          .map(({ status, capturedCents, refundedCents }: Record<string, never>) => [
            status,
            capturedCents,
            refundedCents,
          ]);
      },
      close: () => context.close(),
    };
  }
  type Shopper = Awaited<ReturnType<typeof atCheckout>>;

  const becomes = (shopper: Shopper, payments: unknown[]) =>
    eventually(async () => JSON.stringify(await shopper.payments()) === JSON.stringify(payments), {
      what: `the payments to be ${JSON.stringify(payments)}`,
    });

  async function withShopper(
    methodId: string,
    walk: (shopper: Shopper) => Promise<void>,
    options?: BrowserContextOptions,
  ): Promise<void> {
    const shopper = await atCheckout(methodId, options);
    try {
      await walk(shopper);
    } finally {
      await shopper.close();
    }
  }
  const withoutScripts = { javaScriptEnabled: false };

  test('double clicks on ordering and on paying make one order and one payment', () =>
    withShopper(card, async (shopper) => {
      const { page, order, payments } = shopper;
      await page.getByRole('button', { name: 'Place order' }).dblclick();
      await shopper.atProvider();
      await order();
      await shopper.follow('Back');
      await shopper.reads('Your order has not been paid yet.');
      await shopper.choose(transfer);
      await page.getByRole('button', { name: 'Pay now' }).dblclick();
      await shopper.reads('To IBAN DE02 1203.');
      await becomes(shopper, [
        ['failed', 0, 0],
        ['pending', 0, 0],
      ]);
      expect(await payments()).toHaveLength(2);
    }));

  test.each([
    ['with scripts', {}],
    ['without scripts', withoutScripts],
  ])('the back button at the provider leads to the order, which is paid another way, %s', (_, options) =>
    withShopper(
      card,
      async (shopper) => {
        await shopper.press('Place order');
        await shopper.atProvider();
        await shopper.page.goBack();
        await shopper.reads('We have received your order.');
        await shopper.follow('See your order');
        await shopper.reads('Your order has not been paid yet.');
        await shopper.choose(transfer);
        await shopper.press('Pay now');
        await shopper.reads('To IBAN DE02 1203.');
        // The session at the provider has ended: going back leads to no payment in it.
        await shopper.page.goBack();
        await shopper.page.goBack();
        await shopper.page.goBack();
        await becomes(shopper, [
          ['failed', 0, 0],
          ['pending', 0, 0],
        ]);
        await shopper.order();
      },
      options,
    ),
  );

  test('of two tabs that pay the same order one pays, and both show it', () =>
    withShopper(card, async (shopper) => {
      const { page } = shopper;
      await shopper.press('Place order');
      await shopper.atProvider();
      await shopper.follow('Back');
      await shopper.reads('Your order has not been paid yet.');
      const other = await page.context().newPage();
      await other.goto(page.url());
      await shopper.choose(examplePay.methodId);
      await shopper.press('Pay now');
      const { id } = await shopper.order();
      const session = await examplePay.called('payment.sessionRequested', id);
      // The other tab still leads to the place of the first payment.
      await other.getByText('Your payment is being prepared.').waitFor();
      expectStatus(await examplePay.report(session.id, { status: 'captured' }), 200);
      await shopper.atOrder();
      for (const tab of [page, other]) await tab.getByText('Paid', { exact: true }).waitFor();
      await becomes(shopper, [
        ['failed', 0, 0],
        ['captured', 900, 0],
      ]);
    }));

  test('a session that has expired at the provider takes no money, and the order is paid in another', () =>
    withShopper(card, async (shopper) => {
      const { page } = shopper;
      await shopper.press('Place order');
      await shopper.atProvider();
      const expired = page.url();
      await shopper.follow('Back');
      await shopper.reads('Your order has not been paid yet.');
      await shopper.choose(transfer);
      await shopper.press('Pay now');
      await becomes(shopper, [
        ['failed', 0, 0],
        ['pending', 0, 0],
      ]);
      const order = page.url();
      await page.goto(expired);
      await shopper.reads('This session has expired.');
      await page.goto(order);
      await shopper.choose(card);
      await shopper.press('Pay now');
      await shopper.press(/^Pay \d/);
      await shopper.atOrder();
      await shopper.reads(/^Paid$/);
      expect((await shopper.order()).paidCents).toBe(900);
    }));

  test('an order that is cancelled during its payment shows that nothing is due', () =>
    withShopper(card, async (shopper) => {
      await shopper.press('Place order');
      await shopper.atProvider();
      await shopper.cancel();
      await becomes(shopper, [['failed', 0, 0]]);
      await shopper.press(/^Pay \d/);
      await shopper.reads('This session has expired.');
      await shopper.page.goto(`http://${host}/cart`);
      await shopper.follow('See your order');
      await shopper.page.getByRole('heading', { name: 'Order cancelled' }).waitFor();
      expect(await shopper.notice().textContent()).toMatch(/^\s*There is nothing to pay any more\.\s*$/);
      expect(await shopper.page.getByText('Shipping address').count()).toBe(0);
    }));

  test('money that arrives after the order has ended is refunded automatically, and the shopper sees it', () =>
    withShopper(card, async (shopper) => {
      const { page } = shopper;
      await shopper.press('Place order');
      await shopper.atProvider();
      const provider = page.url();
      await shopper.press('Pay by bank debit');
      await shopper.atOrder();
      await shopper.reads('Your payment is under way.');
      await shopper.cancel();
      await shopper.page.reload();
      await shopper.reads('If a payment of yours still arrives, it is refunded.');
      const bank = await page.context().newPage();
      await bank.goto(provider);
      await bank.getByRole('button', { name: 'The bank pays' }).click();
      await shopper.reads('What you paid has been refunded.');
      expect(await shopper.payments()).toEqual([['refunded', 900, 900]]);
    }));

  test.each([
    ['with scripts', {}],
    ['without scripts', withoutScripts],
  ])('a declined card takes nothing, and another one pays, %s', (_, options) =>
    withShopper(
      card,
      async (shopper) => {
        await shopper.press('Place order');
        await shopper.atProvider();
        await shopper.press('Pay by a card that is declined');
        await shopper.reads('Your card has insufficient funds.');
        await shopper.follow('Back');
        await shopper.reads('Your last attempt was declined, and no money was taken.');
        await shopper.follow('Pay now');
        await shopper.press(/^Pay \d/);
        // A shopper who has just paid is not asked to pay.
        await shopper.reads(/^(?:Checking your payment\. This page updates by itself\.|Paid)$/);
        expect(await shopper.page.getByText('Your order has not been paid yet.').count()).toBe(0);
        await shopper.reads(/^Paid$/);
        expect(await shopper.payments()).toEqual([['captured', 900, 0]]);
      },
      options,
    ),
  );

  test.each([
    ['with scripts', {}],
    ['without scripts', withoutScripts],
  ])('a provider that gives no page in time is waited for, %s', (_, options) =>
    withShopper(
      examplePay.methodId,
      async (shopper) => {
        await shopper.press('Place order');
        await shopper.reads('Your payment is being prepared. This page updates by itself.');
        const { id } = await shopper.order();
        const session = await examplePay.called('payment.sessionRequested', id);
        const redirectUrl = examplePay.pageOf(session.id);
        expectStatus(await examplePay.report(session.id, { status: 'pending', redirectUrl }), 200);
        await shopper.follow('Pay now');
        await shopper.page.getByRole('heading', { name: 'Example Pay' }).waitFor();
        const failure = { code: 'declined', message: 'No.' };
        expectStatus(await examplePay.report(session.id, { status: 'failed', failure }), 200);
        await shopper.page.goBack();
        await shopper.reads('The payment was not completed, and no money was taken.');
      },
      options,
    ),
  );

  test('the link in the mail shows the amount due on another day, and pays it', () =>
    withShopper(card, async (shopper) => {
      await shopper.press('Place order');
      await shopper.atProvider();
      const link = await eventually(
        async () => {
          const [mail = ''] = await listMailsTo(system.dataDir, shopper.email);
          return /https?:\/\/\S+\/orders\/[\w-]+/.exec(
            mail.replaceAll('=\r\n', '').replaceAll('=\n', ''),
          )?.[0];
        },
        { what: 'the mail with the link' },
      );
      const context = await browser.newContext();
      try {
        const page: Page = await context.newPage();
        await page.goto(link);
        await page.getByText('Your order has not been paid yet.').waitFor();
        await page.getByRole('link', { name: 'Pay now' }).click();
        await page.getByRole('button', { name: /^Pay \d/ }).click();
        await page.getByText('Paid', { exact: true }).waitFor();
      } finally {
        await context.close();
      }
      expect(await shopper.payments()).toEqual([['captured', 900, 0]]);
    }));

  test('a slow provider delays no order, and its page redirects by itself', () =>
    withShopper(slowCard, async (shopper) => {
      await shopper.press('Place order');
      await shopper.reads('Your payment is being prepared. This page updates by itself.');
      await shopper.order();
      await shopper.follow('Pay now');
      await shopper.press(/^Pay \d/);
      await shopper.reads(/^Paid$/);
      expect(await shopper.payments()).toEqual([['captured', 900, 0]]);
    }));

  test('an order that is sent without a network stays on its page, and becomes one order', () =>
    withShopper(card, async (shopper) => {
      const { page } = shopper;
      let isAway = true;
      // The order reaches the store, and its answer gets lost.
      await page.route('**/checkout', async (route) => {
        if (!isAway) return route.continue();
        const body = route.request().postData() ?? '';
        if (body.includes('city=')) {
          const headers = { host, accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' };
          expectStatus(await send(system.baseUrl, 'POST', '/checkout', { headers, body }), 303);
        }
        return route.abort('internetdisconnected');
      });
      await shopper.press('Place order');
      await page.getByRole('alert').getByText('however often you try, it is one order').waitFor();
      expect(await page.getByLabel('City').inputValue()).toBe('London');
      isAway = false;
      await shopper.press('Place order');
      await shopper.atProvider();
      await shopper.press(/^Pay \d/);
      await shopper.reads(/^Paid$/);
      await shopper.order();
      expect(await shopper.payments()).toEqual([['captured', 900, 0]]);
    }));
});
