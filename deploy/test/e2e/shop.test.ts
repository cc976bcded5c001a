import { hasChromium, launchChromium } from '@waybill/testing';
import { runAxe } from '../console/browser.ts';
import { expectStatus } from './accounts.ts';
import { type Reply, send } from './client.ts';
import { naughtyStrings } from './naughty-strings.ts';
import { documentOf, heading, Site } from './site.ts';
import { type SharedSystem, topologies } from './topologies.ts';

const inChromium = hasChromium('shopping on live pages') ? test : test.skip;

const variants = [
  { name: '50 g', sku: 'S-50', priceCents: 900, stock: 5 },
  { name: '100 g', sku: 'S-100', priceCents: 1650, stock: 5 },
  { name: 'Tin', sku: 'S-T', priceCents: 2900, stock: 0 },
];
const customer = {
  ...{ name: 'Ada Lovelace', email: 'ada@example.com', phone: '' },
  ...{
    line1: '12 St James’s Square',
    line2: '',
    postalCode: 'SW1Y 4JH',
    city: 'London',
    region: '',
    country: 'GB',
  },
};

/** Ways out of where a text stands: an attribute, a script, a style sheet, a comment, a header. */
const escapes = [
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  '</textarea></title></script><script>alert(1)</script>',
  '--><script>alert(1)</script><!--',
  ']]></style><script>alert(1)</script>',
  'javascript:alert(1)',
  '//evil.example/x',
  '\\\\evil.example\\x',
  '%0d%0aSet-Cookie:%20a=b',
  'x\u0000<script>alert(1)</script>',
  '\u2028</script><script>alert(1)</script>',
  '\ud83d<script>alert(1)</script>',
];

/** Somebody without scripts: forms, a cookie, and what a page shows. */
class Shopper {
  readonly #ask: (method: string, path: string, sent: object) => Promise<Reply>;
  #cookie = '';

  constructor(ask: (method: string, path: string, sent: object) => Promise<Reply>) {
    this.#ask = ask;
  }

  async #send(method: string, path: string, fields?: Record<string, string>): Promise<Reply> {
    const headers = {
      accept: 'text/html',
      ...(this.#cookie && { cookie: this.#cookie }),
      ...(fields && { 'content-type': 'application/x-www-form-urlencoded' }),
    };
    const body = fields && new URLSearchParams(fields).toString();
    const reply = await this.#ask(method, path, { headers, ...(body !== undefined && { body }) });
    const [set] = reply.headers['set-cookie'] ?? [];
    if (set) this.#cookie = set.split(';', 1)[0]!;
    return reply;
  }

  read = (path: string) => this.#send('GET', path);
  /** Sends a form; where that leads on, goes there as a browser does. */
  async post(path: string, fields: Record<string, string>): Promise<Reply & { at: string }> {
    let reply = await this.#send('POST', path, fields);
    let at = path;
    while (reply.status === 303) {
      at = new URL(reply.headers.location!, `http://store${at}`).pathname;
      const { search } = new URL(reply.headers.location!, `http://store${at}`);
      reply = await this.#send('GET', at + search);
    }
    return { ...reply, at };
  }
}

/** The hidden fields of the checkout's form, and others in their place. */
function checkoutForm(text: string, fields: Record<string, string>): Record<string, string> {
  const hidden = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  return { ...Object.fromEntries(hidden.map(([, name, value]) => [name!, value!])), ...fields };
}

describe.each(topologies)('$name', ({ name, share }) => {
  let system: SharedSystem;
  beforeAll(async () => {
    system = await share();
  });

  async function openShop(name: string) {
    const site = await Site.open(system.baseUrl, name);
    await site.live('Home', documentOf([heading('Welcome')]));
    const input = { name: 'Sencha', slug: 'sencha', status: 'active', variants };
    const { product } = expectStatus(await site.api('POST', '/api/v1/products', input), 201).body;
    const { port } = new URL(system.baseUrl);
    const host = `${site.slug}.localhost:${port}`;
    const atOrigin = (method: string, path: string, sent: { headers: Record<string, string> }) =>
      send(system.baseUrl, method, path, { ...sent, headers: { host, ...sent.headers } });
    const inPlace = (method: string, path: string, sent: object) =>
      send(system.baseUrl, method, `/s/${site.slug}${path}`, sent);
    return { site, product, host, port, atOrigin, inPlace };
  }

  test.each(['at its own origin', 'in place'])('somebody without scripts buys %s', async (where) => {
    const { site, product, atOrigin, inPlace } = await openShop(`Forms ${where}`);
    const shopper = new Shopper(where === 'in place' ? inPlace : (atOrigin as never));
    const [small, large] = product.variants;
    const page = expectStatus(await shopper.read('/products/sencha'), 200).text;
    expect(page).toContain(`name="buy" value="${product.id}.${small.id}"`);
    expect(page).toContain('formaction="../cart"');
    expect(page).toContain('<form id="wb-buy" method="post" hidden></form>');

    const buy = { buy: `${product.id}.${small.id}` };
    expectStatus(await shopper.post('/cart', buy), 200);
    const chosen = { ...buy, [`variant-${product.id}`]: large.id };
    const cart = expectStatus(await shopper.post('/cart', chosen), 200);
    expect(cart.text).toContain('€25.50');
    expect(cart.headers).toMatchObject({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' });
    const fields = { [`quantity-${small.id}`]: '2', [`quantity-${large.id}`]: '1', remove: large.id };
    expect((await shopper.post('/cart', fields)).text).toContain('€18.00');
    const soldOut = await shopper.post('/cart', { buy: `${product.id}.${product.variants[2].id}` });
    expect(soldOut.text).not.toContain('€29.00');

    const checkout = await shopper.post('/cart', { [`quantity-${small.id}`]: '2', next: 'checkout' });
    expect([checkout.status, checkout.at]).toEqual([200, '/checkout']);
    const typed = checkoutForm(checkout.text, { ...customer, email: 'ada@example', name: '' });
    const wrong = expectStatus(await shopper.post('/checkout', typed), 422).text;
    expect(wrong).toMatch(
      /<input id="wb-f-name"[^>]* aria-invalid="true" aria-describedby="wb-f-name-error"/,
    );
    expect(wrong).toMatch(/<input id="wb-f-email"[^>]* aria-invalid="true"[^>]* value="ada@example"/);
    expect(wrong).toContain('value="12 St James’s Square"');

    const form = checkoutForm(wrong, customer);
    const [thanks, again] = await Promise.all([
      shopper.post('/checkout', form),
      shopper.post('/checkout', form),
    ]);
    expect([thanks.status, again.status, again.at]).toEqual([200, 200, thanks.at]);
    expect(thanks.at).toMatch(/^\/orders\/[0-9a-z]{26}-[\w-]{22}$/);
    expect(thanks.text).toContain('Thank you</h1>');
    expect(thanks.text).toContain('12 St James’s Square');
    expect(thanks.headers).toMatchObject({
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
    });
    expect((await site.owner.call('GET', `/api/stores/${site.storeId}/orders`)).body.total).toBe(1);
    expect((await shopper.read('/cart')).text).toContain('Your cart is empty.');
    expectStatus(await shopper.read(`${thanks.at.slice(0, -1)}${thanks.at.endsWith('A') ? 'Q' : 'A'}`), 404);

    const [{ id }] = (await site.owner.call('GET', `/api/stores/${site.storeId}/orders`)).body.orders;
    const paymentUrl = 'https://pay.example/o/1';
    const order = `/api/stores/${site.storeId}/orders/${id}`;
    expectStatus(await site.owner.call('PATCH', order, { paymentUrl }), 200);
    expect((await shopper.read(thanks.at)).text).toContain(
      `href="${paymentUrl}" rel="noreferrer">Pay now</a>`,
    );
    expectStatus(await site.owner.call('PATCH', order, { payment: 'paid' }), 200);
    expect((await shopper.read(thanks.at)).text).not.toContain('Pay now');
  });

  test('what sold out meanwhile is named and taken out, and the rest can be ordered', async () => {
    const { site, product, atOrigin } = await openShop('Sold Out');
    const shopper = new Shopper(atOrigin as never);
    const [small, large] = product.variants;
    const lines = { [`quantity-${small.id}`]: '1', [`quantity-${large.id}`]: '4', next: 'checkout' };
    const checkout = await shopper.post('/cart', lines);
    const sell = (id: string, delta: number) =>
      site.api('POST', `/api/v1/products/${product.id}/variants/${id}/stock`, { delta });
    expectStatus(await sell(small.id, -5), 200);
    expectStatus(await sell(large.id, -2), 200);
    // The cart's own page says so; a form that was open before is refused.
    expect((await shopper.read('/cart')).text).toContain('Sold out');
    const refuse = async (text: string) =>
      expectStatus(await shopper.post('/checkout', checkoutForm(text, customer)), 409).text;
    const rest = await refuse(checkout.text);
    expect(rest).toContain('Sencha · 50 g is sold out');
    expect(rest).not.toContain(`quantity-${small.id}`);
    const refused = await refuse(rest);
    expect(refused).toMatch(new RegExp(`name="quantity-${large.id}"[^>]* aria-invalid="true"`));
    const fewer = checkoutForm(refused, { ...customer, [`quantity-${large.id}`]: '3' });
    expect((await shopper.post('/checkout', fewer)).text).toContain('3 × Sencha · 100 g');
  });

  test("no other site's page fills a cart or orders, and a cart's cookie is the store's alone", async () => {
    const { product, atOrigin, inPlace, host, site } = await openShop('Elsewhere');
    const sent = (headers: Record<string, string>) => ({
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ buy: `${product.id}.${product.variants[0].id}` }).toString(),
    });
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'null' },
    ]) {
      const refused = expectStatus(await atOrigin('POST', '/cart', sent(headers as never)), 403);
      expect(refused.headers['set-cookie']).toBeUndefined();
      expectStatus(await atOrigin('POST', '/checkout', sent(headers as never)), 403);
    }
    const [cookie] = (await atOrigin('POST', '/cart', sent({ origin: `http://${host}` }))).headers[
      'set-cookie'
    ]!;
    expect(cookie).toMatch(/^wb-cart=[0-9a-z]{26}\.1; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    const led = await inPlace('POST', '/cart', sent({ origin: 'null', 'sec-fetch-site': 'cross-site' }));
    expect(led.headers.location).toMatch(/^cart\?add=var_/);
    const there = await inPlace('GET', `/${led.headers.location}`, { headers: { accept: 'text/html' } });
    expect(there.headers['set-cookie']![0]).toContain(`; Path=/s/${site.slug}/;`);
    expectStatus(
      await inPlace('POST', '/cart', { body: '{}', headers: { 'content-type': 'application/json' } }),
      400,
    );
  });

  test('whatever a visitor types comes back as text: in no tag, no header and no cookie', async () => {
    const { site, product, host, atOrigin, inPlace } = await openShop('Hostile');
    const field = (id: string, inputType: string) => {
      return { id, type: 'field', props: { specials: { label: id, name: id, inputType } } };
    };
    const form = { id: 'f', type: 'form', children: ['line', 'mail'] };
    const asked = await site.live(
      'Ask',
      documentOf([form], [field('line', 'textarea'), field('mail', 'email')]),
    );
    const page = (await atOrigin('GET', `/${asked.slug}`, { headers: {} })).text;
    const action = /action="(\/storefront\/[^"]+)"/.exec(page)![1]!;
    const id = product.variants[0].id;
    const wrong: unknown[] = [];
    const texts = [...naughtyStrings.filter((text) => /[<"'&;\r\n\0%{]|\.\./.test(text)), ...escapes];
    for (const text of texts.map((each) => each.toWellFormed())) {
      const typed = encodeURIComponent(text);
      const posted = (fields: Record<string, string>, more: Record<string, string> = {}) => ({
        headers: {
          ...{ accept: 'text/html', origin: `http://${host}`, ...more },
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams(fields).toString(),
      });
      const everywhere = Object.fromEntries(Object.keys(customer).map((name) => [name, text]));
      const cookie = `wb-cart=${typed}~${id.slice(4)}.1~${typed}.2`;
      const lines = { [`quantity-${id}`]: '1', [`quantity-${text}`]: text, next: text, remove: text };
      for (const [what, allowed, reply] of [
        ['search', [200], await atOrigin('GET', `/search?q=${typed}&page=${typed}`, { headers: {} })],
        ['cookie', [200], await atOrigin('GET', '/cart', { headers: { cookie } })],
        ['cart', [200, 303], await atOrigin('POST', '/cart', posted(lines, { cookie }))],
        ['add', [200, 303], await inPlace('GET', `/cart?add=${typed}`, { headers: {} })],
        ['checkout', [422], await atOrigin('POST', '/checkout', posted({ ...everywhere, ...lines }))],
        ['token', [404], await atOrigin('GET', `/orders/${typed}`, { headers: {} })],
        ['form', [422], await atOrigin('POST', action, posted({ line: text, mail: `${text} no` }))],
        ['locale', [404, 422], await inPlace('GET', `/${typed}/`, { headers: {} })],
      ] as const) {
        const { status, headers } = reply;
        const cookies = (headers['set-cookie'] ?? []).filter((each) => !/^wb-cart=[\w.~]*; /.test(each));
        const isRaw = /[<>]/.test(text) && reply.text.includes(text);
        const leads = headers.location ?? '';
        const isAway = leads !== '' && new URL(leads, `http://${host}/`).host !== host;
        if (isRaw || isAway || cookies.length > 0 || !(allowed as readonly number[]).includes(status))
          wrong.push([what, text.slice(0, 60), status, isRaw, leads, cookies]);
      }
    }
    expect(wrong).toEqual([]);
  });

  // A browser behaves alike in front of both.
  const once = name === topologies[0]!.name ? inChromium : undefined;
  once?.('somebody buys by keys alone, once, though something sells out meanwhile', async () => {
    const { site, product, host } = await openShop('Browser');
    const browser = await launchChromium();
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      const wrong: string[] = [];
      page.on('pageerror', (error) => wrong.push(String(error.stack)));
      page.on('request', (req) => {
        if (new URL(req.url()).host !== host) wrong.push(`asked ${req.url()}`);
      });
      page.on('console', (message) => {
        // A refusal that is shown is told by the browser, too.
        const isRefusal = /status of (409|422)/.test(message.text());
        const isIcon = message.location().url.endsWith('/favicon.ico');
        if (message.type() === 'error' && !isRefusal && !isIcon) wrong.push(message.text());
      });
      const accessible = async () => {
        for (const width of [360, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          expect([page.url(), width, await runAxe(page)]).toEqual([page.url(), width, []]);
          const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
          expect([page.url(), width, overflow]).toEqual([page.url(), width, 0]);
        }
      };
      const press = async (role: 'link' | 'button', what: string | RegExp) => {
        await page.getByRole(role, { name: what }).first().focus();
        await page.keyboard.press('Enter');
      };
      const isFocused = (selector: string) => page.locator(`${selector}:focus`).waitFor();

      await page.goto(`http://${host}/search?q=sencha`);
      await press('link', 'Sencha');
      await page.getByRole('heading', { level: 1, name: 'Sencha' }).waitFor();
      await accessible();
      await press('button', 'Add to cart');
      await page.getByRole('link', { name: 'Cart (1)' }).waitFor();
      await page.getByLabel('Choose').focus();
      await page.keyboard.press('ArrowDown');
      await press('button', 'Add to cart');
      await page.getByRole('link', { name: 'Cart (2)' }).waitFor();
      await page.getByRole('status').getByText('Added to the cart: Sencha').waitFor();
      await page.getByRole('status').getByRole('link', { name: 'Cart' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('€25.50', { exact: true }).waitFor();
      await page.getByLabel('Quantity: Sencha · 100 g').focus();
      await page.keyboard.press('ArrowUp');
      await page.getByText('€42.00', { exact: true }).waitFor();
      await accessible();

      await press('button', 'Checkout');
      await page.getByRole('button', { name: 'Place order' }).waitFor();
      await page.getByText('2 × Sencha · 100 g').waitFor();
      await press('button', 'Place order');
      await isFocused('#wb-f-name');
      await accessible();
      for (const value of Object.values(customer).slice(0, -1)) {
        await page.keyboard.type(value);
        await page.keyboard.press('Tab');
      }
      await page.keyboard.type('United Kingdom');
      const [, large] = product.variants;
      const stock = `/api/v1/products/${product.id}/variants/${large.id}/stock`;
      expectStatus(await site.api('POST', stock, { delta: -5 }), 200);
      await press('button', 'Place order');
      await page.getByRole('alert').getByText('Sencha · 100 g is sold out').waitFor();
      expect(await page.getByLabel('City').inputValue()).toBe('London');
      await accessible();
      await page.getByRole('button', { name: 'Place order' }).focus();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Thank you' }).waitFor();
      expect(page.url()).toMatch(/\/orders\/[0-9a-z]{26}-[\w-]{22}$/);
      await page.getByText('1 × Sencha · 50 g').waitFor();
      await accessible();
      expect((await site.owner.call('GET', `/api/stores/${site.storeId}/orders`)).body.total).toBe(1);
      await page.getByRole('link', { name: 'Cart', exact: true }).waitFor();

      const plain = await browser.newPage({ javaScriptEnabled: false });
      await plain.goto(`http://${host}/products/sencha`);
      await plain.getByRole('button', { name: 'Add to cart' }).click();
      await plain.getByText('€9.00').first().waitFor();
      await plain.getByRole('button', { name: 'Checkout' }).click();
      await plain.getByText('1 × Sencha · 50 g').waitFor();
      expect(wrong).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
