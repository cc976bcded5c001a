import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchChromium } from '@waybill/testing';
import type { Page } from 'playwright-core';
import type { Demo } from '../../demo/demo.ts';
import { findRunning } from '../../standalone/data-directory.ts';

/**
 * Takes screenshots of the console for its README: `npm run console:shots [-- <data directory>]`, next to `npm start`.
 */
const { path: dataDir, baseUrl } = await findRunning(process.argv[2] ?? '.waybill');
const demo: Demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
const folder = fileURLToPath(new URL('../../../packages/console/screens', import.meta.url));

async function api<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const reply = await fetch(`${baseUrl}/api/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${demo.apiKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return (await reply.json()) as Answer;
}

const teas = [
  ['Earl Grey', 890, 42],
  ['Darjeeling First Flush', 1490, 3],
  ['Sencha', 990, 0],
  ['Genmaicha', 950, 18],
  ['Assam Broken', 690, 120],
  ['Peppermint', 590, 64],
] as const;

/** Creates the content of a shop that is a few weeks old, once. */
async function furnish(): Promise<void> {
  const { total } = await api<{ total: number }>('GET', 'products?limit=1');
  if (total > 2) return;
  const products = [];
  for (const [name, priceCents, stock] of teas) {
    const sku = name.split(' ')[0]!.slice(0, 4).toUpperCase();
    const variants = [
      { name: '100 g', sku: `${sku}-1`, priceCents, stock },
      { name: '250 g', sku: `${sku}-2`, priceCents: Math.round(priceCents * 2.2), stock },
    ];
    const body = { name, status: 'active', tags: ['tea'], variants, description: `<p>${name}, loose.</p>` };
    products.push(
      (await api<{ product: { id: string; variants: { id: string }[] } }>('POST', 'products', body)).product,
    );
  }
  for (const [position, name] of ['Ada Lovelace', 'Grace Hopper', 'Alan Turing'].entries()) {
    const product = products[position === 1 ? 4 : 0]!;
    const reply = await fetch(`${baseUrl}/storefront/${demo.storeId}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `shots-${position}` },
      body: JSON.stringify({
        items: [{ variantId: product.variants[0]!.id, quantity: position + 1 }],
        customer: { name, email: `${name.split(' ')[0]!.toLowerCase()}@example.com` },
      }),
    });
    if (!reply.ok) throw new Error(`order: ${reply.status} ${await reply.text()}`);
  }
  await api('POST', 'webhooks', {
    url: 'https://example.com/waybill',
    events: ['order.created', 'product.updated'],
  });
}

/** Sends a request as the merchant does in the console, in the merchant's own session. */
async function asMerchant<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const { email, password } = demo.merchant;
  const login = await fetch(`${baseUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const { accessToken } = (await login.json()) as { accessToken: string };
  const reply = await fetch(`${baseUrl}/api/stores/${demo.storeId}/${path}`, {
    method,
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return (await reply.json()) as Answer;
}

/** Creates a page to edit, with a global section and a list, once. Returns its id. */
async function furnishPage(): Promise<string> {
  const name = 'Summer teas';
  const { pages } = await asMerchant<{ pages: { id: string; name: string }[] }>('GET', 'pages?limit=200');
  const known = pages.find((page) => page.name === name);
  if (known) return known.id;
  const node = (id: string, type: string, specials: object, children?: string[]) => ({
    id,
    type,
    props: { specials },
    ...(children && { children }),
  });
  const banner = [
    node('top', 'section', {}, ['say']),
    node('say', 'text', { text: 'Free delivery from 40 € until the end of August.' }),
  ];
  const made = await asMerchant<{ section: { id: string } }>('POST', 'sections', {
    name: 'Announcement',
    document: { rootId: 'top', nodes: banner },
  });
  const { page } = await asMerchant<{ page: { id: string } }>('POST', 'pages', { name });
  const nodes = [
    node('root', 'container', {}, ['banner', 'hero', 'shop']),
    node('banner', 'sectionRef', { sectionId: made.section.id }),
    node('hero', 'section', {}, ['title', 'lead', 'go']),
    node('title', 'heading', { text: 'Summer teas', level: 1 }),
    node('lead', 'text', { text: 'Cold or hot, from small gardens, picked this spring.' }),
    node('go', 'button', { text: 'See all', href: '/' }),
    node('shop', 'section', {}, ['list']),
    node('list', 'productList', { source: { kind: 'all' }, limit: 3 }, ['card']),
    node('card', 'stack', {}, ['name', 'price', 'buy']),
    node('name', 'productTitle', { level: 2 }),
    node('price', 'price', {}),
    node('buy', 'addToCart', { text: 'Add to cart' }),
  ];
  await asMerchant('PUT', `pages/${page.id}/draft`, { document: { rootId: 'root', nodes } });
  return page.id;
}

await furnish();
const pageId = await furnishPage();
const browser = await launchChromium();
const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: 'en-GB' });
const page = await context.newPage();
await page.goto(`${baseUrl}/console/sign-in`);
await shoot(page, 'sign-in');
await page.getByLabel('E-mail').fill(demo.merchant.email);
await page.getByLabel('Password').fill(demo.merchant.password);
await page.getByRole('button', { name: 'Sign in', exact: true }).click();
await page.getByRole('navigation', { name: 'Navigation' }).waitFor();

const inStore = `/console/stores/${demo.storeId}`;
const screens: readonly (readonly [name: string, path: string])[] = [
  ['home', inStore],
  ['products', `${inStore}/products`],
  [
    'product',
    `${inStore}/products/${(await api<{ products: { id: string }[] }>('GET', 'products?limit=1')).products[0]!.id}`,
  ],
  ['orders', `${inStore}/orders`],
  ['customers', `${inStore}/customers`],
  ['forms', `${inStore}/forms`],
  ['pages', `${inStore}/pages`],
  ['media', `${inStore}/media`],
  ['blog', `${inStore}/blog`],
  ['translations', `${inStore}/translations`],
  ['apps', `${inStore}/apps`],
  ['webhooks', `${inStore}/webhooks`],
  ['events', `${inStore}/events`],
  ['api-keys', `${inStore}/api-keys`],
  ['members', `${inStore}/members`],
  ['audit', `${inStore}/audit`],
  ['settings', `${inStore}/settings`],
  ['account', '/console/account'],
];
for (const [name, path] of screens) {
  await page.goto(baseUrl + path);
  await shoot(page, name);
}
const canvas = page.frameLocator('iframe[title="Page"]');
await page.goto(`${baseUrl}${inStore}/pages/${pageId}/edit`);
await canvas.getByText('Add to cart').first().click();
await shoot(page, 'editor');
await canvas.getByText('Free delivery').dblclick();
await page.getByRole('button', { name: 'Back to the page' }).waitFor();
await shoot(page, 'editor-section');
await page.emulateMedia({ colorScheme: 'dark' });
await page.goto(baseUrl + inStore);
await shoot(page, 'home-dark');
await page.setViewportSize({ width: 390, height: 844 });
await page.goto(`${baseUrl}${inStore}/products`);
await shoot(page, 'products-phone-dark');
await page.goto(`${baseUrl}${inStore}/pages/${pageId}/edit`);
await canvas.getByText('Summer teas').waitFor();
await shoot(page, 'editor-phone-dark');
await browser.close();

async function shoot(page: Page, name: string): Promise<void> {
  await page.locator('[data-screen-title]').first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(folder, `${name}.png`) });
  process.stdout.write(`${name}\n`);
}
