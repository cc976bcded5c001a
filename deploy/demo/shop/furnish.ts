import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { permissions } from '@waybill/contracts';
import got, { type Got, HTTPError } from 'got';
import { writePrivateFile } from '../../standalone/data-directory.ts';
import { articles } from './articles.ts';
import { categories } from './categories.ts';
import type { Maker } from './maker.ts';
import { pastOrders, type SoldProduct } from './orders.ts';
import {
  aboutGerman,
  aboutPage,
  articleGerman,
  articlePage,
  type German,
  homeGerman,
  homePage,
  reviewsGerman,
  shopPage,
  theme,
} from './pages.ts';
import { closeUp, landscape, productPicture } from './pictures.ts';
import { type DemoProduct, findOption, germanValue, parseUnit, products } from './products.ts';
import { addReviewsApp } from './reviews.ts';

/** The accounts and addresses for furnishing the demo store. */
export interface Furnishing {
  /** The address at which this process reaches the system. */
  url: string;
  ordersUrl: string;
  /** Without this the shop has no pictures. */
  storesFiles: boolean;
  serviceToken: string;
  storeId: string;
  merchant: { email: string; password: string };
  reviewer: { email: string; password: string };
  developer: { email: string; password: string };
}

/** The progress of furnishing, kept in a file so that a start after a kill continues where the last one ended. */
interface Progress {
  /** The key of the requests: a repetition under another key would be another request. */
  keySecret?: string;
  keyId?: string;
  /** The answers of requests, by their idempotency keys. */
  made: Record<string, unknown>;
  /** Everything is created; only the key and this file are left to delete. */
  isFurnished?: boolean;
}

// A starting machine is busy and may answer 503, and a user who tries the system meanwhile may use up a limit.
const retry = { limit: 8, methods: ['GET' as const, 'POST' as const, 'PUT' as const, 'PATCH' as const] };

/** Returns a client that sends this bearer token. */
const createClient = (url: string, token: string): Got =>
  got.extend({
    prefixUrl: url,
    headers: { authorization: `Bearer ${token}` },
    responseType: 'json',
    retry,
  });

export async function signIn(url: string, account: { email: string; password: string }): Promise<Got> {
  const login = got.post(`${url}/api/auth/login`, { json: account, retry });
  return createClient(url, (await login.json<{ accessToken: string }>()).accessToken);
}

const green = '#3f6f5c';

/** Draws the icon of the demo shop. */
const icon = () => productPicture('cup', green, '#9db9a4', '#f6efe4');

/** Uploads a drawing. Returns the id of the asset. */
async function uploadDrawing(api: Got, name: string, svg: string): Promise<string> {
  const body = new FormData();
  body.set('file', new Blob([svg], { type: 'image/svg+xml' }), `${name}.svg`);
  const headers = { 'idempotency-key': `demo-picture-${name}` };
  const { media } = await api.post('api/v1/media', { body, headers }).json<{ media: { id: string } }>();
  return media.id;
}

/** The connections and texts that the steps of furnishing share. */
interface DemoShop {
  furnishing: Furnishing;
  /** The path of the routes of the store's members. */
  store: string;
  /** The merchant, signed in. */
  member: Got;
  /** Sends requests by an API key, and repeats none that was answered before a kill. */
  key: Maker;
  createMaker(api: Got): Maker;
  /** Uploads a drawing. Returns the id of the asset; null if the installation stores no files. */
  upload(name: string, svg: string): Promise<string | null>;
  /** The German texts that are still to be saved. */
  german: object[];
}

/** Opens the file of the progress; each change of it is saved before the next one. */
async function openProgress(file: string) {
  const progress: Progress = existsSync(file)
    ? { made: {}, ...JSON.parse(await readFile(file, 'utf8')) }
    : { made: {} };
  let saved = Promise.resolve();
  /** Saves one after the other: two writes at once would mix. */
  const save = () => {
    saved = saved.then(() => writePrivateFile(file, JSON.stringify(progress)));
    return saved;
  };
  return { progress, save };
}

/**
 * Furnishes the demo store as a small shop, through the public routes; only its past orders use a route of their own.
 * `file` exists until that is done: a start that finds it continues where the last one ended.
 */
export async function furnishDemo(file: string, furnishing: Furnishing): Promise<void> {
  const { url, storeId, merchant } = furnishing;
  const { progress, save } = await openProgress(file);
  const member = await signIn(url, merchant);
  const store = `api/stores/${storeId}`;
  const finish = async () => {
    await member.delete(`${store}/api-keys/${progress.keyId}`).catch(ignoreMissing);
    await rm(file, { force: true });
  };
  if (progress.isFurnished) return finish();
  // It uses neither the printed key nor the merchant, so that their limits are left to users who try them at this
  // moment.
  if (!progress.keySecret) {
    const json = { name: 'Demo set-up', scopes: permissions };
    const { apiKey, secret } = await member
      .post(`${store}/api-keys`, { json, headers: { 'idempotency-key': 'demo-set-up-key' } })
      .json<{ apiKey: { id: string }; secret: string }>();
    Object.assign(progress, { keyId: apiKey.id, keySecret: secret });
    await save();
  }
  const createMaker = (api: Got): Maker => ({
    api,
    async post<Answer>(path: string, name: string, json: object) {
      if (progress.made[name] === undefined) {
        const headers = { 'idempotency-key': `demo-${name}` };
        progress.made[name] = await api.post(path, { json, headers }).json();
        await save();
      }
      return progress.made[name] as Answer;
    },
  });
  const key = createMaker(createClient(url, progress.keySecret!));
  const upload = async (name: string, svg: string): Promise<string | null> => {
    if (!furnishing.storesFiles) return null;
    progress.made[`picture-${name}`] ??= await uploadDrawing(key.api, name, svg);
    return progress.made[`picture-${name}`] as string;
  };
  await createShop(
    { furnishing, store, member, key, createMaker, upload, german: [] },
    getVerifier(progress),
  );
  progress.isFurnished = true;
  await save();
  await finish();
}

/** Creates everything that the shop has, in the order in which one thing needs another. */
async function createShop(shop: DemoShop, verifier: ReturnType<typeof getVerifier>): Promise<void> {
  const { furnishing, member, store, upload, createMaker } = shop;
  const [hero = null, dusk = null, mist = null] = await Promise.all([
    upload('hills', landscape('#f6e3c9', '#e2934f', ['#a9bfa4', '#6d9079', '#3f6f5c'])),
    upload('dusk', landscape('#ead3d3', '#c9695a', ['#b79aa6', '#80637a', '#54405a'])),
    upload('mist', landscape('#dde9ec', '#f4ead2', ['#b6cbd0', '#7f9fab', '#4a6f80'])),
  ]);
  const faviconMediaId = await upload('icon', icon());
  await member.patch(store, { json: { locales: ['en', 'de'], faviconMediaId } });
  await member.put(`${store}/theme`, { json: { theme } });
  await member.post(`${store}/theme/publish`, { json: {} }).catch(ignorePublished);

  const sold = await createProducts(shop, await uploadPictures(shop));
  const categoryIds = await createCategories(shop, sold);
  await addPastOrders(furnishing, Object.values(sold));
  const featuredId = sold['mountain-oolong']!.id;
  const { homeId, home } = await createPages(shop, { hero, dusk, featuredId, categories: [...categoryIds] });
  await createArticles(shop, sold, [mist, hero, dusk]);
  await saveTranslations(shop);

  const [developer, reviewer] = await Promise.all(
    [furnishing.developer, furnishing.reviewer].map((account) => signIn(furnishing.url, account)),
  );
  const appId = await addReviewsApp({
    url: furnishing.url,
    storeId: furnishing.storeId,
    developer: createMaker(developer!),
    reviewer: createMaker(reviewer!),
    merchant: createMaker(member),
    verifier,
    productIds: Object.values(sold).map(({ id }) => id),
  });
  await publishPage(shop, homeId, homePage({ ...home, appId }));
  translateNodes(shop, homeId, reviewsGerman);
  await saveTranslations(shop);
}

function translate(
  { german }: DemoShop,
  entityType: string,
  entityId: string,
  fields: Record<string, string>,
): void {
  for (const [field, value] of Object.entries(fields))
    german.push({ locale: 'de', entityType, entityId, field, value });
}

function translateNodes(shop: DemoShop, ownerId: string, texts: German): void {
  for (const [id, text] of Object.entries(texts)) translate(shop, 'node', `${ownerId}:${id}`, { text });
}

/** Saves the texts translated since the last time. */
async function saveTranslations({ german, key }: DemoShop): Promise<void> {
  const entries = german.splice(0);
  for (let i = 0; i < entries.length; i += 50)
    await key.api.put('api/v1/translations', { json: { entries: entries.slice(i, i + 50) } });
}

async function publish({ member, key }: DemoShop, path: string, document: object, publishPath: string) {
  await member.put(path, { json: { document } });
  await key.api.post(publishPath, { json: {} }).catch(ignorePublished);
}

const publishPage = (shop: DemoShop, id: string, document: object) =>
  publish(shop, `${shop.store}/pages/${id}/draft`, document, `api/v1/pages/${id}/publish`);

/** Uploads the pictures of all products. Returns the ids of each product's assets, by its slug. */
async function uploadPictures({ upload }: DemoShop): Promise<ReadonlyMap<string, (string | null)[]>> {
  // Everything runs at once where the order does not matter, because a first start should finish soon.
  const shown = new Map<string, (string | null)[]>();
  for (let n = 0; n < products.length; n += 6) {
    const some = products.slice(n, n + 6).map(async (each, i) => {
      const drawn = createPictures(each, n + i);
      const ids = drawn.map((svg, side) => upload(side === 0 ? each.slug : `${each.slug}-closely`, svg));
      shown.set(each.slug, await Promise.all(ids));
    });
    await Promise.all(some);
  }
  return shown;
}

/** Creates the products, with German texts. Returns them by their slugs. */
async function createProducts(
  shop: DemoShop,
  shown: ReadonlyMap<string, (string | null)[]>,
): Promise<Record<string, SoldProduct>> {
  const sold: Record<string, SoldProduct> = {};
  for (const [n, each] of products.entries()) {
    const option = findOption(each);
    const answer = await shop.key.post<{ product: SoldProduct }>('api/v1/products', `product-${each.slug}`, {
      name: each.name,
      slug: each.slug,
      status: 'active',
      tags: each.tags,
      mediaIds: shown.get(each.slug)!.filter((id) => id !== null),
      description: `<p>${each.text}</p>`,
      vendor: each.tags.includes('pantry') ? 'The beekeeper next door' : 'Linden & Leaf',
      options: option ? [{ name: option.name, values: each.sizes.map(([name]) => name) }] : [],
      variants: each.sizes.map(([name, priceCents], i) => ({
        name,
        options: option ? { [option.name]: name } : {},
        unit: parseUnit(name),
        sku: `${each.slug.toUpperCase().slice(0, 12)}-${i + 1}`,
        priceCents,
        stock: n === soldOut ? 0 : 12 + ((n * 7 + i * 5) % 60),
      })),
    });
    sold[each.slug] = answer.product;
    translate(shop, 'product', answer.product.id, {
      name: each.german,
      description: `<p>${each.germanText}</p>`,
      ...(option && { 'options.0.name': option.german }),
    });
    if (option)
      for (const [i, [name]] of each.sizes.entries()) {
        const value = germanValue(name);
        if (value !== undefined)
          translate(shop, 'product', answer.product.id, { [`options.0.values.${i}`]: value });
      }
  }
  return sold;
}

/** Creates the categories and puts the products into them. Returns the ids by slugs. */
async function createCategories(
  shop: DemoShop,
  sold: Readonly<Record<string, SoldProduct>>,
): Promise<ReadonlyMap<string, string>> {
  const categoryIds = new Map<string, string>();
  for (const { slug, parent, name, german, text, germanText, products: chosen } of categories) {
    const conditions = 'tag' in chosen ? [{ field: 'tag', op: 'is', value: chosen.tag }] : [];
    const { category } = await shop.key.post<{ category: { id: string } }>(
      'api/v1/categories',
      `category-${slug}`,
      {
        name,
        slug,
        description: `<p>${text}</p>`,
        ...(parent !== undefined && { parentId: categoryIds.get(parent) }),
        ...(conditions.length > 0 && { kind: 'rule', rule: { match: 'all', conditions } }),
      },
    );
    categoryIds.set(slug, category.id);
    if ('slugs' in chosen) {
      const productIds = chosen.slugs.map((each) => sold[each]!.id);
      await shop.key.api.put(`api/v1/categories/${category.id}/products`, { json: { productIds } });
    }
    translate(shop, 'category', category.id, { name: german, description: `<p>${germanText}</p>` });
  }
  return categoryIds;
}

/** Creates and publishes the pages. Returns the start page's id and contents. */
async function createPages(
  shop: DemoShop,
  parts: { hero: string | null; dusk: string | null; featuredId: string; categories: [string, string][] },
) {
  const { hero, dusk, featuredId, categories } = parts;
  const page = async (name: string, germanName: string, title: string, description: string) => {
    const settings = { seo: { title, description } };
    const answer = await shop.key.post<{ page: { id: string } }>('api/v1/pages', `page-${name}`, {
      name,
      settings,
    });
    translate(shop, 'node', answer.page.id, { name: germanName });
    return answer.page.id;
  };
  const homeId = await page(
    'Home',
    'Start',
    'Linden & Leaf: tea that takes its time',
    'Tea from gardens that we know, and stoneware made to hold it.',
  );
  const shopId = await page(
    'Shop',
    'Laden',
    'Shop – Linden & Leaf',
    'All teas, cups and pots of Linden & Leaf.',
  );
  const aboutId = await page('About', 'Über uns', 'About Linden & Leaf', 'Who we are, and how to reach us.');
  await publishPage(shop, shopId, shopPage);
  await publishPage(shop, aboutId, aboutPage(dusk));
  const home = { hero, shopId, featuredId, categories };
  await publishPage(shop, homeId, homePage(home));
  translateNodes(shop, homeId, homeGerman);
  translateNodes(shop, shopId, { 'shop-title': 'Laden' });
  translateNodes(shop, aboutId, aboutGerman);
  return { homeId, home };
}

/** Creates and publishes the articles; `covers` are their pictures. */
async function createArticles(
  shop: DemoShop,
  sold: Readonly<Record<string, SoldProduct>>,
  covers: readonly (string | null)[],
): Promise<void> {
  for (const [n, each] of articles.entries()) {
    const { slug, title, excerpt } = each;
    const json = { slug, title, excerpt, status: 'draft', coverMediaId: covers[n] };
    const { article } = await shop.key.post<{ article: { id: string } }>(
      'api/v1/articles',
      `article-${slug}`,
      json,
    );
    const productId = sold[each.product]!.id;
    await publish(
      shop,
      `${shop.store}/articles/${article.id}/document`,
      articlePage(each.text, { cover: covers[n] ?? null, title, productId }),
      `api/v1/articles/${article.id}/publish`,
    );
    translate(shop, 'article', article.id, { title: each.german, excerpt: each.germanExcerpt });
    translateNodes(shop, article.id, articleGerman(each.german, each.germanText));
  }
}

/** The index of the product that is sold out. */
const soldOut = 9;

const createPictures = ({ picture }: DemoProduct, n: number): string[] => {
  const [, main, light, ground] = picture;
  return [productPicture(...picture), closeUp(main, light, ground, n + 1)];
};

/** Returns the proof that the app's installation was begun here; the same after a kill. */
function getVerifier({ made }: Progress): { verifier: string; challenge: string } {
  made.verifier ??= randomBytes(32).toString('base64url');
  const verifier = made.verifier as string;
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

async function addPastOrders(
  { ordersUrl, serviceToken, storeId }: Furnishing,
  sold: readonly SoldProduct[],
): Promise<void> {
  await got.post(`${ordersUrl}/internal/demo/orders`, {
    json: { storeId, orders: pastOrders(sold, new Date(), 'EUR') },
    headers: { authorization: `Bearer ${serviceToken}` },
    retry,
  });
}

/** Ignores that an aborted start has already published it. */
export function ignorePublished(error: unknown): void {
  if (!(error instanceof HTTPError) || error.response.statusCode !== 409) throw error;
}

/** Ignores that an aborted start has already deleted it. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof HTTPError) || error.response.statusCode !== 404) throw error;
}
