import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { buildConsole, type Chunks } from '@waybill/console';
import { compileCatalogue } from '@waybill/console/catalogues';
import { eventually, hasChromium } from '@waybill/testing';
import type { Browser, Page } from 'playwright-core';
import { newPerson, newStore } from '../../testing/accounts.ts';
import { send } from '../../testing/client.ts';
import { oneTopology } from '../e2e/topologies.ts';
import { launchChromium, newVisitor, type Visitor } from './browser.ts';

const describeWithChromium = hasChromium('the console for everybody') ? describe : describe.skip;

/** Texts that `Intl` and React Aria produce themselves in the chosen language, and texts that are the same in all. */
const spoken = [
  'English',
  'German',
  'Germany',
  'EUR – Euro',
  'Select',
  'Select All',
  'Show suggestions',
  'Expand',
  'Collapse',
  'ID',
];

/**
 * Routes that other suites look at: before the sign-in, the pages of apps, the editor, and those that need an upload, an
 * app or a delivery.
 */
const lookedAtElsewhere = [
  'forgot',
  'forms/:submissionId',
  'invitation',
  'login-code',
  'media/:mediaId',
  'oauth/authorize',
  'pages/:pageId/preview',
  'register',
  'reset',
  'review/:versionId',
  'sections/:sectionId/preview',
  'sign-in',
  'verify',
  'webhooks/:webhookId/deliveries/:deliveryId',
];

const consoleFolder = join(import.meta.dirname, '../../../packages/console');

/** Lists the paths of the console's screens as its features declare them. */
async function listRoutes(): Promise<string[]> {
  const features = join(consoleFolder, 'src/features');
  const files = (await readdir(features)).map((name) => join(features, name, 'routes.ts'));
  const sources = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return sources.flatMap((source) => [...source.matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path!));
}

/** Widths in CSS pixels: the narrowest phone, and a desktop of 1280 at 200 %. */
const widths = [320, 640];

// The tests look at the console, which is the same in every topology.
describeWithChromium.each(oneTopology)('every screen of the console on $name', ({ share }) => {
  let browser: Browser;
  let ann: Visitor;
  let page: Page;
  let baseUrl: string;
  /** All texts in answers of the API: a screen shows them, but they are not texts of the console. */
  const answered = new Set<string>();
  let screens: string[];
  let orderPath: string;

  beforeAll(async () => {
    const system = await share();
    ({ baseUrl } = system);
    const person = await newPerson(baseUrl, 'Zoë');
    const storeId = await newStore(person);
    const api = `/api/stores/${storeId}`;
    const make = async (path: string, body: object) => {
      const reply = await person.call('POST', path.startsWith('/api') ? path : `${api}${path}`, body);
      if (reply.status >= 300) throw new Error(`${path}: ${reply.text}`);
      return reply.body;
    };
    await person.call('PATCH', api, { locales: ['en', 'de'] });
    const unbroken = 'Ceylon'.repeat(33);
    const [sold, { paymentMethod }, { discount }] = await Promise.all([
      make('/products', { name: unbroken, status: 'active', variants: [{ priceCents: 890, stock: 1 }] }),
      make('/payment-methods', {
        provider: 'manual',
        name: `Transfer ${unbroken}`.slice(0, 60),
        instructions: 'To IBAN DE02 1203.',
        isEnabled: true,
      }),
      make('/discounts', {
        title: unbroken.slice(0, 100),
        kind: 'percentage',
        percent: '10',
        code: 'CEYLON',
      }),
      make('/media-folders', { name: unbroken }),
      make('/blog-categories', { name: unbroken, slug: 'ceylon' }),
      make('/custom-fields', { entity: 'product', key: 'origin', name: unbroken.slice(0, 60), type: 'text' }),
    ]);
    const { status, text } = await send(baseUrl, 'POST', `/storefront/${storeId}/orders`, {
      headers: { 'idempotency-key': `everybody-${storeId}` },
      json: {
        items: [{ variantId: sold.product.variants[0].id, quantity: 1 }],
        customer: { name: 'Bob', email: 'bob@example.com' },
        paymentMethodId: paymentMethod.id,
      },
    });
    if (status !== 201) throw new Error(text);
    const { product } = await make('/products', {
      name: 'Earl Grey of an unusually long name, which has to wrap somewhere',
      status: 'active',
      variants: [
        { name: '100 g', sku: 'EG-1', priceCents: 890, stock: 3 },
        { name: '250 g', sku: 'EG-2', priceCents: 1990, stock: 0 },
      ],
    });
    const { category } = await make('/categories', { name: unbroken, slug: 'teas' });
    const { category: ruled } = await make('/categories', {
      name: 'Found',
      parentId: category.id,
      kind: 'rule',
      rule: { match: 'any', conditions: [{ field: 'name', op: 'contains', value: 'grey' }] },
    });
    await person.call('PUT', `${api}/categories/${category.id}/products`, { productIds: [product.id] });
    const [{ order }, { page: site }, { section }, { article }, { webhook }, { org }] = await Promise.all([
      make('/orders', {
        items: [{ variantId: product.variants[0].id, quantity: 2 }],
        customer: { name: 'Ada', email: 'ada@example.com' },
      }),
      make('/pages', { name: 'Imprint' }),
      make('/sections', {
        name: 'Footer',
        document: { rootId: 'r', nodes: [{ id: 'r', type: 'section', children: [] }] },
      }),
      make('/articles', { title: 'We are open', content: '<p>Come in.</p>' }),
      make('/webhooks', {
        url: 'https://example.com/hooks',
        description: unbroken,
        events: ['order.created'],
      }),
      make('/api/orgs', { name: 'Kettle works' }),
    ]);
    const { app } = await make(`/api/orgs/${org.id}/apps`, { name: `Timer ${Date.now()}` });
    const events = await eventually(async () => {
      const found = (await person.call('GET', `${api}/events`)).body.events;
      return found.length > 0 && found;
    });
    const { customers } = (await person.call('GET', `${api}/customers`)).body;
    const at = (...path: string[]) => ['/console/stores', storeId, ...path].join('/');
    orderPath = at('orders', order.id);
    screens = [
      at(),
      at('products'),
      at('products', product.id),
      at('products', 'import'),
      at('categories'),
      at('categories', 'new'),
      at('categories', category.id),
      at('categories', ruled.id),
      at('orders'),
      orderPath,
      at('orders', 'new'),
      at('orders', 'send'),
      at('orders', 'packing-slips'),
      at('returns'),
      at('payments'),
      at('payments', 'report'),
      at('payments', 'reconciliation'),
      at('payment-methods'),
      at('payment-methods', paymentMethod.id),
      at('discounts'),
      at('discounts', 'new'),
      at('discounts', discount.id),
      at('taxes'),
      at('shipping'),
      at('customers'),
      at('customers', customers[0].id),
      at('forms'),
      at('media'),
      at('pages'),
      at('pages', site.id),
      at('sections'),
      at('sections', section.id),
      at('design'),
      at('design', 'theme'),
      at('design', 'product'),
      at('blog'),
      at('blog', article.id),
      at('blog', 'categories'),
      at('translations'),
      at('translations', 'de', 'product', product.id),
      at('apps', 'directory'),
      at('webhooks'),
      at('webhooks', 'new'),
      at('webhooks', webhook.id),
      at('webhooks', webhook.id, 'edit'),
      at('events'),
      at('events', events[0].id),
      at('api-keys'),
      at('api-keys', 'new'),
      at('members'),
      at('audit'),
      at('settings'),
      at('settings', 'languages'),
      at('settings', 'domains'),
      at('settings', 'checkout'),
      at('settings', 'custom-fields'),
      at('settings', 'documents'),
      at('settings', 'notifications'),
      at('settings', 'mails'),
      at('settings', 'mails', 'orderShipped'),
      at('apps'),
      '/console/account',
      '/console/stores',
      '/console/stores/new',
      '/console/orgs',
      `/console/orgs/${org.id}`,
      `/console/orgs/${org.id}/apps/${app.id}`,
      `/console/orgs/${org.id}/apps/${app.id}/versions/new`,
      '/console/review',
    ];
    browser = await launchChromium();
    ann = await newVisitor(browser, system);
    ({ page } = ann);
    await speakPseudoLocale(page);
    page.on('response', async (reply) => {
      if (!reply.headers()['content-type']?.startsWith('application/json')) return;
      JSON.parse(await reply.text().catch(() => 'null'), (_, value) => {
        if (typeof value === 'string') answered.add(value);
        return value;
      });
    });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(`${baseUrl}/console/sign-in`);
    await page.locator('input[type=email]').fill(person.email);
    await page.locator('input[type=password]').fill(person.password);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation').first().waitFor();
  });
  afterAll(() => browser?.close());

  /** Whether a text consists only of texts of the API. */
  function isAnswered(text: string): boolean {
    const pieces = [...answered]
      .filter((each) => each.length > 1)
      .sort((one, other) => other.length - one.length);
    if (pieces.some((each) => each.includes(text))) return true;
    const rest = pieces.reduce((left, piece) => left.replaceAll(piece, ''), text);
    return !/\p{L}{2}/u.test(rest);
  }

  /** Follows a link within the console, without reloading it. */
  async function go(path: string): Promise<void> {
    const before = await page.title();
    const isThere = new URL(page.url()).pathname === path;
    await page.evaluate(`history.pushState({}, '', '${path}'), dispatchEvent(new PopStateEvent('popstate'))`);
    await eventually(async () => isThere || (await page.title()) !== before, { what: path });
    await page.locator('[role=status][aria-label], [aria-busy=true]').first().waitFor({ state: 'detached' });
  }

  test('is one of those that these tests look at', async () => {
    const patterns = await listRoutes();
    const patternOf = (path: string) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`);
    const inStore = screens.map((path) => path.replace(/^\/console\/(?:stores\/str_\w+\/?)?/, '') || '/');
    const missing = patterns.filter((path) => !inStore.some((each) => patternOf(path).test(each)));
    expect(missing.sort()).toEqual(lookedAtElsewhere);
  });

  /** The faults of all screens, which are opened one after the other, once for the tests that follow. */
  let seen: ReturnType<typeof lookAtAll> | undefined;
  const findFaults = () => (seen ??= lookAtAll());
  async function lookAtAll() {
    const texts: string[] = [];
    const places: string[] = [];
    const colors: string[] = [];
    for (const path of screens) {
      await go(path);
      for (const text of await page.evaluate<string[]>(unmarkedTexts))
        if (!spoken.includes(text) && !isAnswered(text))
          texts.push(`${path} says in every language: ${text}`);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 700 });
        for (const what of await page.evaluate<string[]>(overTheEdge))
          places.push(`${path} at ${width} is too wide: ${what}`);
      }
      await page.setViewportSize({ width: 1280, height: 900 });
      if (await page.evaluate<boolean>('document.getAnimations().length > 0')) places.push(`${path} moves`);
      await page.emulateMedia({ forcedColors: 'active' });
      for (const what of await page.evaluate<string[]>(unseenControls)) colors.push(`${path}: ${what}`);
      await page.emulateMedia({ forcedColors: 'none' });
    }
    return { texts, places, colors };
  }

  test('says all in the chosen language, two fifths longer too, and goes in no direction over the edge', async () => {
    const { texts, places } = await findFaults();
    expect([...texts, ...places]).toEqual([]);
    expect(ann.complaints()).toEqual([]);
  });

  test('shows in forced colours what can be pressed and where one is', async () => {
    expect((await findFaults()).colors).toEqual([]);
  });

  test('is shown where it was left when the user goes back', async () => {
    await page.setViewportSize({ width: 1280, height: 240 });
    const open = async (name: string) => {
      await page.locator(`nav a[href$="/${name}"]`).click();
      await page.waitForURL(new RegExp(`/${name}$`));
    };
    const isAt = (top: number) =>
      eventually(async () => Math.abs((await page.evaluate<number>('scrollY')) - top) < 2, {
        what: `${top}`,
      });
    await open('settings');
    await eventually(async () => (await page.evaluate<number>('document.body.scrollHeight')) > 400);
    await page.evaluate('scrollTo(0, 120)');
    await open('products');
    await isAt(0);
    await page.goBack();
    await isAt(120);
  });

  test('prints an order as a sheet of paper: what was bought, and nothing to press', async () => {
    await go(orderPath);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button').filter({ visible: true }).allTextContents()).toEqual([]);
    expect(await page.getByRole('navigation').filter({ visible: true }).count()).toBe(0);
    await page.getByText('Earl Grey of an unusually long name').first().waitFor();
    await page.getByText('€17.80').first().waitFor();
    await page.emulateMedia({ media: 'screen' });
  });
});

/** Shows the console in the pseudo-locale: a text without its marks does not come from a catalogue. */
async function speakPseudoLocale(page: Page): Promise<void> {
  const folder = await buildConsole();
  const { scripts }: Chunks = JSON.parse(await readFile(join(folder, 'chunks.json'), 'utf8'));
  const catalogueOf = (script: string) =>
    scripts[script]?.asked.find((module) => module.startsWith('src/texts/en/'));
  await page.route(/\/console\/assets\/[^?]+\.js$/, async (route) => {
    const catalogue = catalogueOf(basename(new URL(route.request().url()).pathname));
    if (!catalogue) return route.continue();
    const body = await compileCatalogue(join(consoleFolder, catalogue), { isPseudo: true });
    await route.fulfill({ contentType: 'text/javascript', body });
  });
}

/** Finds texts on the screen without a mark, except numbers, times, codes and names of languages. */
const unmarkedTexts = `(() => {
  const time = /\\b(Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec|(second|minute|hour)s? ago|now)\\b/;
  const isWord = (text) => /\\p{L}{2}/u.test(text) && !text.includes('⟦') && !time.test(text);
  const isExempt = (element) =>
    element.closest('code, pre, kbd, [lang]:not(html), [data-live-announcer], script, style, .cm-editor') !== null;
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.trim();
    const element = node.parentElement;
    if (isWord(text) && !isExempt(element) && element.checkVisibility()) found.add(text);
  }
  for (const element of document.querySelectorAll('[aria-label], [placeholder], [title], [alt]'))
    for (const name of ['aria-label', 'placeholder', 'title', 'alt']) {
      const text = element.getAttribute(name) ?? '';
      if (isWord(text) && !isExempt(element) && element.checkVisibility()) found.add(text);
    }
  return [...found];
})()`;

/**
 * Finds elements that make the page wider than its window, lists that are wider than their card, and other content that
 * a card cuts off.
 */
const overTheEdge = `(() => {
  const lists = [...document.querySelectorAll('[role=grid]')].map((list) => list.parentElement);
  const cut = lists.filter(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth + 1);
  if (cut.length > 0) return cut.map((list) => 'a list, ' + list.scrollWidth + ' in ' + list.clientWidth + ': ' + list.textContent.slice(0, 60));
  const hides = (element) => {
    const { overflowX, textOverflow } = getComputedStyle(element);
    return /hidden|clip/.test(overflowX) && textOverflow !== 'ellipsis' && element.checkVisibility();
  };
  // A value is longer than its field, and a page in a preview is drawn smaller than it is.
  const hidden = [...document.querySelectorAll('main :not(input, :has(iframe))')].filter(
    (element) => element.clientWidth > 2 && element.scrollWidth > element.clientWidth + 1 && hides(element),
  );
  if (hidden.length > 0) return hidden.map((element) => 'cut off in ' + element.className + ', ' + element.scrollWidth + ' in ' + element.clientWidth + ': ' + element.textContent.slice(0, 60));
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const wide = [...document.querySelectorAll('body *')].filter(
    (element) => element.getBoundingClientRect().right > clientWidth + 1 && element.checkVisibility(),
  );
  return wide.slice(0, 3).map((element) => element.tagName + ' ' + element.className + ' ' + element.textContent.slice(0, 60));
})()`;

/**
 * Finds controls without an edge in forced colours, and a current place in the navigation that looks like the others.
 */
const unseenControls = `(() => {
  const found = [];
  const hasEdge = (element) => {
    const { borderTopWidth, borderBottomWidth, borderTopStyle, outlineStyle } = getComputedStyle(element);
    return outlineStyle !== 'none' || (borderTopStyle !== 'none' && parseFloat(borderTopWidth) + parseFloat(borderBottomWidth) > 0);
  };
  for (const control of document.querySelectorAll('main :is(button, input, textarea)')) {
    const box = control.getBoundingClientRect();
    if (!control.checkVisibility() || box.width < 2 || control.closest('[hidden], [aria-hidden=true]')) continue;
    const isHiddenInput = getComputedStyle(control).clipPath !== 'none' || control.closest('label') || box.width < 3;
    const shown = control.closest('label') && isHiddenInput
      ? [...control.closest('label').querySelectorAll('*'), ...(control.closest('[role=radiogroup]') ? [control.closest('[role=radiogroup]')] : [])]
      : [control, control.parentElement, control.parentElement.parentElement];
    if (!control.querySelector('svg') && !shown.some(hasEdge)) found.push((control.getAttribute('aria-label') ?? control.textContent ?? '').slice(0, 60) + ' (' + control.tagName + ' ' + control.className + ')');
  }
  for (const box of document.querySelectorAll('input[type=checkbox]:not(:checked)')) {
    const tick = box.closest('label')?.querySelector('svg');
    if (tick?.checkVisibility({ visibilityProperty: true })) found.push('ticked, but not chosen: ' + box.closest('label').textContent);
  }
  const here = document.querySelector('nav [aria-current=page]');
  if (here && getComputedStyle(here).borderInlineStartStyle === 'none') found.push('the present place looks like others');
  return found;
})()`;
