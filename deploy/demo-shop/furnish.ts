import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { permissions } from '@waybill/contracts';
import got, { type Got, HTTPError } from 'got';
import { writePrivateFile } from '../standalone/data-directory.ts';
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
import { type DemoProduct, germanValue, optionOf, products, unitOf } from './products.ts';
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
const clientOf = (url: string, token: string): Got =>
  got.extend({
    prefixUrl: url,
    headers: { authorization: `Bearer ${token}` },
    responseType: 'json',
    retry,
  });

export async function signIn(url: string, account: { email: string; password: string }): Promise<Got> {
  const login = got.post(`${url}/api/auth/login`, { json: account, retry });
  return clientOf(url, (await login.json<{ accessToken: string }>()).accessToken);
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

/**
 * Furnishes the demo store as a small shop, through the public routes; only its past orders use a route of their own.
 * `file` exists until that is done: a start that finds it continues where the last one ended.
 */
export async function furnishDemo(file: string, furnishing: Furnishing): Promise<void> {
  const { url, storeId, merchant } = furnishing;
  const progress: Progress = existsSync(file)
    ? { made: {}, ...JSON.parse(await readFile(file, 'utf8')) }
    : { made: {} };
  let saved = Promise.resolve();
  /** Saves one after the other: two writes at once would mix. */
  const save = () => {
    saved = saved.then(() => writePrivateFile(file, JSON.stringify(progress)));
    return saved;
  };
  const member = await signIn(url, merchant);
  const store = `api/stores/${storeId}`;
  const finish = async () => {
    await member.delete(`${store}/api-keys/${progress.keyId}`).catch(unlessGone);
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
  const makerOf = (api: Got): Maker => ({
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
  const key = makerOf(clientOf(url, progress.keySecret!));
  const picture = async (name: string, svg: string): Promise<string | null> => {
    if (!furnishing.storesFiles) return null;
    progress.made[`picture-${name}`] ??= await uploadDrawing(key.api, name, svg);
    return progress.made[`picture-${name}`] as string;
  };

  const german: object[] = [];
  const translate = (entityType: string, entityId: string, fields: Record<string, string>) => {
    for (const [field, value] of Object.entries(fields))
      german.push({ locale: 'de', entityType, entityId, field, value });
  };
  const translateNodes = (ownerId: string, texts: German) => {
    for (const [id, text] of Object.entries(texts)) translate('node', `${ownerId}:${id}`, { text });
  };
  const publish = async (path: string, document: object, publishPath: string) => {
    await member.put(path, { json: { document } });
    await key.api.post(publishPath, { json: {} }).catch(unlessPublished);
  };

  const [hero, dusk, mist] = await Promise.all([
    picture('hills', landscape('#f6e3c9', '#e2934f', ['#a9bfa4', '#6d9079', '#3f6f5c'])),
    picture('dusk', landscape('#ead3d3', '#c9695a', ['#b79aa6', '#80637a', '#54405a'])),
    picture('mist', landscape('#dde9ec', '#f4ead2', ['#b6cbd0', '#7f9fab', '#4a6f80'])),
  ]);
  const faviconMediaId = await picture('icon', icon());
  await member.patch(store, { json: { locales: ['en', 'de'], faviconMediaId } });
  await member.put(`${store}/theme`, { json: { theme } });
  await member.post(`${store}/theme/publish`, { json: {} }).catch(unlessPublished);

  // Everything runs at once where the order does not matter, because a first start should finish soon.
  const shown = new Map<string, (string | null)[]>();
  for (let n = 0; n < products.length; n += 6) {
    const some = products.slice(n, n + 6).map(async (each, i) => {
      const drawn = picturesOf(each, n + i);
      const ids = drawn.map((svg, side) => picture(side === 0 ? each.slug : `${each.slug}-closely`, svg));
      shown.set(each.slug, await Promise.all(ids));
    });
    await Promise.all(some);
  }
  const sold: Record<string, SoldProduct> = {};
  for (const [n, each] of products.entries()) {
    const option = optionOf(each);
    const made = await key.post<{ product: SoldProduct }>('api/v1/products', `product-${each.slug}`, {
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
        unit: unitOf(name),
        sku: `${each.slug.toUpperCase().slice(0, 12)}-${i + 1}`,
        priceCents,
        stock: n === soldOut ? 0 : 12 + ((n * 7 + i * 5) % 60),
      })),
    });
    sold[each.slug] = made.product;
    translate('product', made.product.id, {
      name: each.german,
      description: `<p>${each.germanText}</p>`,
      ...(option && { 'options.0.name': option.german }),
    });
    if (option)
      for (const [i, [name]] of each.sizes.entries()) {
        const value = germanValue(name);
        if (value !== undefined) translate('product', made.product.id, { [`options.0.values.${i}`]: value });
      }
  }
  const categoryIds = new Map<string, string>();
  for (const { slug, parent, name, german, text, germanText, products: chosen } of categories) {
    const conditions = 'tag' in chosen ? [{ field: 'tag', op: 'is', value: chosen.tag }] : [];
    const { category } = await key.post<{ category: { id: string } }>(
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
      await key.api.put(`api/v1/categories/${category.id}/products`, { json: { productIds } });
    }
    translate('category', category.id, { name: german, description: `<p>${germanText}</p>` });
  }
  await addPastOrders(furnishing, Object.values(sold));

  const page = async (name: string, germanName: string, title: string, description: string) => {
    const settings = { seo: { title, description } };
    const made = await key.post<{ page: { id: string } }>('api/v1/pages', `page-${name}`, { name, settings });
    translate('node', made.page.id, { name: germanName });
    return made.page.id;
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
  const drafts = (id: string) => [`${store}/pages/${id}/draft`, `api/v1/pages/${id}/publish`] as const;
  const publishPage = (id: string, document: object) => {
    const [draft, publishing] = drafts(id);
    return publish(draft, document, publishing);
  };
  const featuredId = sold['mountain-oolong']!.id;
  await publishPage(shopId, shopPage);
  await publishPage(aboutId, aboutPage(dusk));
  const home = { hero, shopId, featuredId, categories: [...categoryIds] };
  await publishPage(homeId, homePage(home));
  translateNodes(homeId, homeGerman);
  translateNodes(shopId, { 'shop-title': 'Laden' });
  translateNodes(aboutId, aboutGerman);

  const covers = [mist, hero, dusk];
  for (const [n, each] of articles.entries()) {
    const { slug, title, excerpt } = each;
    const json = { slug, title, excerpt, status: 'draft', coverMediaId: covers[n] };
    const { article } = await key.post<{ article: { id: string } }>(
      'api/v1/articles',
      `article-${slug}`,
      json,
    );
    const productId = sold[each.product]!.id;
    await publish(
      `${store}/articles/${article.id}/document`,
      articlePage(each.text, { cover: covers[n] ?? null, title, productId }),
      `api/v1/articles/${article.id}/publish`,
    );
    translate('article', article.id, { title: each.german, excerpt: each.germanExcerpt });
    translateNodes(article.id, articleGerman(each.german, each.germanText));
  }
  for (let i = 0; i < german.length; i += 50)
    await key.api.put('api/v1/translations', { json: { entries: german.slice(i, i + 50) } });

  const [developer, reviewer] = await Promise.all(
    [furnishing.developer, furnishing.reviewer].map((account) => signIn(url, account)),
  );
  const appId = await addReviewsApp({
    url,
    storeId,
    developer: makerOf(developer!),
    reviewer: makerOf(reviewer!),
    merchant: makerOf(member),
    verifier: verifierOf(progress),
    productIds: Object.values(sold).map(({ id }) => id),
  });
  await publishPage(homeId, homePage({ ...home, appId }));
  german.length = 0;
  translateNodes(homeId, reviewsGerman);
  await key.api.put('api/v1/translations', { json: { entries: german } });
  progress.isFurnished = true;
  await save();
  await finish();
}

/** The index of the product that is sold out. */
const soldOut = 9;

const picturesOf = ({ picture }: DemoProduct, n: number): string[] => {
  const [, main, light, ground] = picture;
  return [productPicture(...picture), closeUp(main, light, ground, n + 1)];
};

/** Returns the proof that the app's installation was begun here; the same after a kill. */
function verifierOf({ made }: Progress): { verifier: string; challenge: string } {
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
export function unlessPublished(error: unknown): void {
  if (!(error instanceof HTTPError) || error.response.statusCode !== 409) throw error;
}

/** Ignores that an aborted start has already deleted it. */
function unlessGone(error: unknown): void {
  if (!(error instanceof HTTPError) || error.response.statusCode !== 404) throw error;
}
