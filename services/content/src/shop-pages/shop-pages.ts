import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  ApiError,
  type CartVariant,
  type CheckoutOutcome,
  isSlug,
  type PageCheckout,
  type ShownReceipt,
} from '@waybill/contracts';
import { Answer, hostHeader } from '@waybill/kernel';
import type { Context } from '../config.ts';
import type { Frames } from '../frames/frames.ts';
import { findVisitedStore, type VisitedStore } from '../live/queries.ts';
import { documentHtml } from '../rendering/document-html.ts';
import { isAtOwnOrigin, policyFor } from '../rendering/policy.ts';
import { productsSlug } from '../rendering/sources.ts';
import { storeFacts, storeOfSlug } from '../stores/stores.ts';
import { listValues } from '../translations/queries.ts';
import {
  type Cart,
  emptyCart,
  isVariantId,
  quantityOf,
  readCart,
  withLines,
  withMore,
  writeCart,
} from './cart.ts';
import { customerOf, emptyFields, type Filled, readFields } from './fields.ts';
import { boughtIn, changeIn, linesIn, quantityField, readSent, type Sent, shownIn } from './form.ts';
import { type CartLine, cartHtml, checkoutHtml, orderHtml, type ShopPage, shopCss } from './html.ts';
import { type ShopTexts, shopTextsIn } from './texts.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What of a request these pages are made of. */
export interface ShopVisit {
  url: string;
  headers: Headers;
}

/** A form that was sent. */
export interface ShopForm extends ShopVisit {
  stream: Readable;
  /** The visitor's. */
  address: string;
}

/** Where a visit is: a store, and the locale of the address where it has one. */
export interface ShopPlace {
  storeSlug: string;
  locale?: string | undefined;
}

/**
 * The pages that somebody buys with: `decisions.md 17.4`. Each is made anew with every visit, for whoever visits. Undefined
 * where there is no such store, locale or order.
 */
export interface ShopPages {
  cart(place: ShopPlace, visit: ShopVisit): Promise<Answer | undefined>;
  changeCart(place: ShopPlace, form: ShopForm): Promise<Answer | undefined>;
  checkout(place: ShopPlace, visit: ShopVisit): Promise<Answer | undefined>;
  placeOrder(place: ShopPlace, form: ShopForm): Promise<Answer | undefined>;
  order(place: ShopPlace, token: string, visit: ShopVisit): Promise<Answer | undefined>;
}

/** The cookie of a cart, where no script keeps it. Nobody else's pages send it along when they post something. */
const cookieName = 'wb-cart';
const cookieSeconds = 30 * 24 * 3600;
const htmlType = 'text/html; charset=utf-8';
const maxKey = 100;

/** A store as one of these pages shows it. */
interface Shop extends ShopPage {
  store: VisitedStore;
  locale: string | undefined;
}

interface Shown {
  name: string;
  /** Below the store. */
  path: string;
  html: string;
  status?: number;
  headers?: Record<string, string>;
}

export function createShopPages(context: Context, frames: Frames): ShopPages {
  const { db, config, peers } = context;
  const isSecure = config.publicBaseUrl.startsWith('https:');

  async function open({ storeSlug, locale }: ShopPlace, toPages = './'): Promise<Shop | undefined> {
    if (!isSlug(storeSlug)) return undefined;
    let store = await findVisitedStore(db, storeSlug);
    // One whose first event has not come yet.
    if (!store && (await storeOfSlug(context, storeSlug))) store = await findVisitedStore(db, storeSlug);
    if (!store || (locale !== undefined && !store.locales.includes(locale))) return undefined;
    const { currency } = (await storeFacts(context, store.id))!;
    const language = locale ?? store.defaultLocale;
    return { store, locale, language, currency, toPages, texts: shopTextsIn(language) };
  }

  async function show(
    { store, locale, toPages }: Shop,
    visit: ShopVisit,
    { name, path, html, status, headers }: Shown,
  ): Promise<Answer> {
    const frame = await frames.of({ storeId: store.id, locale, toPages }, store);
    const { id: storeId, isDevelopment, defaultLocale, locales } = store;
    const head = {
      ...{ storeId, storeName: store.name, storeSlug: store.slug, isDevelopment, defaultLocale, locales },
      ...{ name, slug: path, is_homepage: false, settings: { noindex: true } },
      ...(locale !== undefined && { locale }),
    };
    const { html: body, allowed } = documentHtml(config, head, { html, css: shopCss, islands: [] }, frame);
    const all = {
      'content-security-policy': policyFor(allowed, visit.headers),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      ...ownAlone,
      ...headers,
    };
    return new Answer(body, htmlType, all, status);
  }

  /** What the lines of a cart are now; those that are not for sale any more are not among them. */
  async function linesOf({ store, locale }: Shop, cart: Cart): Promise<CartLine[]> {
    if (cart.size === 0) return [];
    const asked = { storeId: store.id, variantIds: [...cart.keys()] };
    const found = await peers.call<{ variants: CartVariant[] }>(
      'catalog',
      'POST',
      '/internal/shop/cart',
      asked,
    );
    const variants = new Map((found?.variants ?? []).map((variant) => [variant.variantId, variant]));
    const refs = [...new Set([...variants.values()].map(({ productId }) => productId))].map((entityId) => ({
      ...{ entityType: 'product' as const, entityId },
    }));
    const values = locale === undefined ? [] : await listValues(db, store.id, locale, refs);
    const names = new Map(
      values.filter(({ field }) => field === 'name').map(({ entityId, value }) => [entityId, value]),
    );
    return [...cart].flatMap(([id, quantity]) => {
      const variant = variants.get(id);
      if (!variant) return [];
      const { variantId, productId, productName, slug, variantName, priceCents, isAvailable } = variant;
      const productPath = `${productsSlug}/${slug}`;
      const name = names.get(productId) ?? productName;
      return [{ variantId, productPath, name, variantName, quantity, priceCents, isAvailable }];
    });
  }

  /** The cart's cookie, for the store's origin or, where it has none, for its path. */
  function keeping(storeSlug: string, headers: Headers, cart: Cart): Record<string, string> {
    const path = isAtOwnOrigin(headers) ? '/' : `/s/${storeSlug}/`;
    const age = cart.size === 0 ? 0 : cookieSeconds;
    const attributes = `Path=${path}; Max-Age=${age}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
    return { 'set-cookie': `${cookieName}=${writeCart(cart)}; ${attributes}` };
  }

  async function showCart(shop: Shop, visit: ShopVisit, cart: Cart, change: Partial<Shown> = {}) {
    const { texts } = shop;
    const lines = await linesOf(shop, cart);
    const message = lines.length < cart.size ? texts.gone : '';
    const html = cartHtml(shop, lines, message);
    return show(shop, visit, { name: texts.cart, path: 'cart', html, ...change });
  }

  /** The checkout of these lines, with what was typed and what is wrong with it. */
  function showCheckout(
    shop: Shop,
    visit: ShopVisit,
    lines: readonly CartLine[],
    filled: Filled,
    { key, message = '', ...change }: { key: string; message?: string } & Partial<Shown>,
  ): Promise<Answer> {
    const isAnswer = change.status !== undefined;
    const html = checkoutHtml(shop, lines, filled, { key, message, isAnswer });
    return show(shop, visit, { name: shop.texts.checkout, path: 'checkout', html, ...change });
  }

  /** What of a cart can be ordered, and what the visitor is to know of the rest. */
  async function orderable(shop: Shop, cart: Cart): Promise<{ lines: CartLine[]; message: string }> {
    const all = await linesOf(shop, cart);
    const lines = all.filter(({ isAvailable }) => isAvailable);
    const soldOut = all.filter(({ isAvailable }) => !isAvailable);
    const isGone = all.length < cart.size;
    return {
      lines,
      message: soldOut.length > 0 ? soldOutText(shop, soldOut) : isGone ? shop.texts.gone : '',
    };
  }

  /** Leads to the cart with more of a variant in it, unless that cannot be had. */
  async function putIn(
    shop: Shop,
    headers: Headers,
    { variantId, quantity }: { variantId: string; quantity: number },
  ): Promise<Answer> {
    const { lines } = await orderable(shop, new Map([[variantId, quantity]]));
    const cart = cartIn(headers);
    const more = lines.length > 0 ? withMore(cart, variantId, quantity) : cart;
    return goTo('cart', keeping(shop.store.slug, headers, more));
  }

  /** The checkout once more, after an order was refused; with what there was to tell before it. */
  async function refused(
    shop: Shop,
    form: ShopForm,
    { lines, filled, key, toTell }: { lines: CartLine[]; filled: Filled; key: string; toTell: string },
    { code, details, variants }: Extract<CheckoutOutcome, { outcome: 'refused' }>,
  ): Promise<Answer> {
    const { texts, store } = shop;
    const tell = (why: string) => ({ message: sentences(why, toTell) });
    switch (code) {
      case 'out_of_stock': {
        const soldOut = lines.filter((line) =>
          variants.some(({ variantId, available }) => variantId === line.variantId && !available),
        );
        const rest = lines
          .filter((line) => !soldOut.includes(line))
          .map((line) =>
            variants.some(({ variantId }) => variantId === line.variantId)
              ? { ...line, problem: texts.fewerLeft }
              : line,
          );
        const message = soldOut.length > 0 ? soldOutText(shop, soldOut) : texts.check;
        const left = cartAfter(form.headers, cartOfLines(lines), rest);
        const headers = keeping(store.slug, form.headers, left);
        return showCheckout(shop, form, rest, filled, { key, message, status: 409, headers });
      }
      case 'invalid_body': {
        const judged = lines.map((line, i) =>
          details.some(({ pointer }) => pointer === `/items/${i}/quantity`)
            ? { ...line, problem: texts.tooMany }
            : line,
        );
        // What was taken off sale a moment ago is not among these any more.
        const current = await orderable(shop, cartOfLines(lines));
        const rest = judged.filter(({ variantId }) =>
          current.lines.some((line) => line.variantId === variantId),
        );
        const message = rest.length < lines.length ? texts.gone : texts.check;
        return showCheckout(shop, form, rest, filled, { key, message, status: 422 });
      }
      case 'rate_limited':
        return showCheckout(shop, form, lines, filled, { key, ...tell(texts.tooOften), status: 429 });
      case 'idempotency_conflict':
        return showCheckout(shop, form, lines, filled, {
          ...{ key: randomUUID(), ...tell(texts.usedBefore), status: 409 },
        });
      default:
        return showCheckout(shop, form, lines, filled, { key, ...tell(texts.notNow), status: 503 });
    }
  }

  return {
    async cart(place, visit) {
      const shop = await open(place);
      if (!shop) return undefined;
      const { headers, url } = visit;
      const sent = new URLSearchParams(isAtOwnOrigin(headers) ? '' : queryOf(url));
      const more = addedBy(sent);
      if (more) return putIn(shop, headers, more);
      const change = changeIn(sent);
      if (change.size > 0) {
        const cart = withLines(cartIn(headers), change);
        return goTo(nextIn(sent), keeping(shop.store.slug, headers, cart));
      }
      return showCart(shop, visit, cartIn(headers));
    },

    async changeCart(place, form) {
      const shop = await open(place);
      if (!shop) return undefined;
      const { headers } = form;
      const sent = await readSent(form.stream, headers['content-type'] as string | undefined);
      if (!isOwn(headers)) return showCart(shop, form, cartIn(headers), elsewhere(shop.texts));
      const bought = boughtIn(sent);
      // What a page in a sandbox posts comes without the cookie, which is not to be lost: the address that follows has it.
      if (bought && !isAtOwnOrigin(headers)) return goTo(`cart?add=${bought.variantId}.${bought.quantity}`);
      if (bought) return putIn(shop, headers, bought);
      const change = changeIn(sent);
      if (sent.has('show')) return showCart(shop, form, withLines(emptyCart, change));
      const next = nextIn(sent);
      if (change.size === 0) return goTo(next);
      const cart = cartIn(headers);
      // As above, of a cart that a sandbox keeps back.
      if (cart.size === 0 && !isAtOwnOrigin(headers)) {
        const lines = [...change].map(([id, quantity]): [string, string] => [
          quantityField + id,
          `${quantity}`,
        ]);
        return goTo(`cart?${new URLSearchParams([...lines, ['next', next]])}`);
      }
      return goTo(next, keeping(shop.store.slug, headers, withLines(cart, change)));
    },

    async checkout(place, visit) {
      const shop = await open(place);
      if (!shop) return undefined;
      const { lines, message } = await orderable(shop, cartIn(visit.headers));
      return showCheckout(shop, visit, lines, emptyFields(shop.language), { key: randomUUID(), message });
    },

    async placeOrder(place, form) {
      const shop = await open(place);
      if (!shop) return undefined;
      const { headers } = form;
      const { texts, store } = shop;
      const sent = await readSent(form.stream, headers['content-type'] as string | undefined);
      const { cart, unclear } = linesIn(sent);
      const { lines: current, message } = await orderable(shop, cart);
      const lines = current.map((line) =>
        unclear.includes(line.variantId) ? { ...line, problem: texts.missing } : line,
      );
      const key = keyIn(sent);
      if (sent.has('show'))
        return showCheckout(shop, form, lines, emptyFields(shop.language), { key, message });
      const filled = readFields(sent, texts);
      if (!isOwn(headers)) return showCheckout(shop, form, lines, filled, { key, ...elsewhere(texts) });
      if (cart.size === 0) return showCheckout(shop, form, lines, filled, { key, status: 422 });
      // Told once: the page then shows what there is now, and at what price.
      const toTell = sentences(message, hasRisen(lines, sent) ? texts.dearer : '');
      const tell = () =>
        showCheckout(shop, form, lines, filled, {
          ...{ key, message: toTell, status: 409 },
          headers: keeping(store.slug, headers, cartAfter(headers, cart, lines)),
        });
      if (Object.keys(filled.errors).length > 0 || unclear.length > 0) {
        if (toTell !== '') return tell();
        return showCheckout(shop, form, lines, filled, { key, message: texts.check, status: 422 });
      }
      const asked: PageCheckout = {
        ...{ storeId: store.id, key, address: form.address },
        checkout: {
          items: [...cart].map(([variantId, quantity]) => ({ variantId, quantity })),
          customer: customerOf(filled),
        },
        // A form that is sent again has its order, whatever there is to tell since.
        ...(toTell !== '' && { onlyBegun: true }),
      };
      let outcome: CheckoutOutcome | null;
      try {
        outcome = await peers.call<CheckoutOutcome>('orders', 'POST', '/internal/checkouts', asked);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 503) throw error;
        outcome = null;
      }
      if (outcome?.outcome === 'placed')
        return goTo(`orders/${outcome.token}`, keeping(store.slug, headers, cartAfter(headers, cart, [])));
      if (outcome?.outcome === 'not_begun') return tell();
      const failed = outcome ?? { outcome: 'refused' as const, code: '', details: [], variants: [] };
      return refused(shop, form, { lines, filled, key, toTell }, failed);
    },

    async order(place, token, visit) {
      const shop = await open(place, '../');
      if (!shop) return undefined;
      const asked = { storeId: shop.store.id, token };
      const receipt = await peers.call<ShownReceipt>('orders', 'POST', '/internal/receipts/read', asked);
      if (!receipt) return undefined;
      const html = orderHtml(shop, receipt);
      return show(shop, visit, { name: shop.texts.thanks, path: `orders/${token}`, html });
    },
  };
}

const cartOfLines = (lines: readonly CartLine[]): Cart =>
  new Map(lines.map(({ variantId, quantity }) => [variantId, quantity]));

/** The stored cart when of the lines that a form names these are left; what it does not name stays. */
const cartAfter = (headers: Headers, named: Cart, left: readonly CartLine[]): Cart =>
  withLines(cartIn(headers), [...[...named.keys()].map((id) => [id, 0] as const), ...cartOfLines(left)]);

/** Whether the lines cost more than they did on the page that sent them; what it does not tell costs what it costs now. */
const hasRisen = (lines: readonly CartLine[], sent: Sent): boolean =>
  lines.reduce((sum, { variantId, quantity, priceCents }) => {
    const shown = shownIn(sent, variantId)?.priceCents ?? priceCents;
    return sum + (priceCents - shown) * quantity;
  }, 0) > 0;

const sentences = (...texts: string[]): string => texts.filter(Boolean).join(' ');

const soldOutText = ({ texts }: Shop, lines: readonly CartLine[]): string => {
  const named = lines.map(({ name, variantName }) => [name, variantName].filter(Boolean).join(' · '));
  return `${named.join(', ')} ${texts.soldOutTaken}`;
};

/** What only one visitor is to see, and no cache to keep. */
const ownAlone = { 'cache-control': 'private, no-store' };

/** Leads a browser on from a form, to an address beside it. */
const goTo = (location: string, headers: Record<string, string> = {}): Answer =>
  new Answer('', htmlType, { location, ...ownAlone, 'referrer-policy': 'no-referrer', ...headers }, 303);

const elsewhere = ({ fromElsewhere }: ShopTexts) => ({ message: fromElsewhere, status: 403 });

/** The cart that the visitor's cookie has. */
function cartIn({ cookie }: Headers): Cart {
  const pair = String(cookie ?? '')
    .split(';')
    .map((each) => each.trim())
    .find((each) => each.startsWith(`${cookieName}=`));
  return pair ? readCart(pair.slice(cookieName.length + 1)) : emptyCart;
}

const queryOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '');

/** Where a form of a cart leads. */
const nextIn = (sent: Sent) => (sent.get('next') === 'checkout' ? 'checkout' : 'cart');

/** Of an address that a page in a sandbox was led to: what it puts into the cart. */
function addedBy(query: Sent): { variantId: string; quantity: number } | null {
  const [variantId = '', quantity = ''] = (query.get('add') ?? '').split('.');
  return isVariantId(variantId) ? { variantId, quantity: quantityOf(quantity) || 1 } : null;
}

/** The key of a form; of one without, or with an impossible one, another each time. */
function keyIn(sent: Sent): string {
  const key = sent.get('key') ?? '';
  return /^[\w-]+$/.test(key) && key.length <= maxKey ? key : randomUUID();
}

/**
 * Whether a page of the store itself has sent a form, as far as anybody can tell: one that is shown in place is in a
 * sandbox, whose origin is nobody's, and its forms come without cookies. Programs say nothing, and have no cookies either.
 */
function isOwn(headers: Headers): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (!isAtOwnOrigin(headers)) return true;
  if (site !== undefined) return site === 'same-origin';
  return origin === undefined || URL.parse(String(origin))?.host === headers[hostHeader];
}
