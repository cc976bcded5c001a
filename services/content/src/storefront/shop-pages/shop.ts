import type { Readable } from 'node:stream';
import { isSlug } from '@waybill/contracts';
import { Answer } from '@waybill/kernel';
import { escapeAttribute } from '@waybill/page';
import type { Context } from '../../config.ts';
import type { Layouts } from '../../publication/layouts/layouts.ts';
import { findVisitedStore, type VisitedStore } from '../../publication/live/queries.ts';
import { documentHtml } from '../../publication/rendering/document-html.ts';
import { policyFor } from '../../publication/rendering/policy.ts';
import { headOf } from '../../publication/system-pages/plans.ts';
import { storeFacts, storeOfSlug } from '../../shared/stores/stores.ts';
import { type ShopPage, shopCss } from './html.ts';
import { type ShopTexts, shopTextsIn } from './texts.ts';

/** What these pages are made with. */
export type ShopContext = Context & { frames: Layouts };

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

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

/** A store as one of these pages shows it. */
export interface Shop extends ShopPage {
  store: VisitedStore;
  locale: string | undefined;
}

/** What one of them says, and where it is. */
export interface Shown {
  name: string;
  /** Below the store. */
  path: string;
  html: string;
  status?: number;
  headers?: Record<string, string>;
}

const htmlType = 'text/html; charset=utf-8';

/** Undefined where there is no such store or locale. */
export async function openShop(
  context: Context,
  { storeSlug, locale }: ShopPlace,
  toPages = './',
): Promise<Shop | undefined> {
  if (!isSlug(storeSlug)) return undefined;
  let store = await findVisitedStore(context.db, storeSlug);
  // One whose first event has not come yet.
  if (!store && (await storeOfSlug(context, storeSlug)))
    store = await findVisitedStore(context.db, storeSlug);
  if (!store || (locale !== undefined && !store.locales.includes(locale))) return undefined;
  const { currency } = (await storeFacts(context, store.id))!;
  const language = locale ?? store.defaultLocale;
  return { store, locale, language, currency, toPages, texts: shopTextsIn(language) };
}

/** A page of it, for its visitor alone. */
export async function showIn(
  { config, frames }: ShopContext,
  { store, locale, language, toPages }: Shop,
  visit: ShopVisit,
  { name, path, html: shown, status, headers }: Shown,
): Promise<Answer> {
  // Of a language in which the shop has no pages.
  const isForeign = language !== (locale ?? store.defaultLocale);
  const html = isForeign ? `<div lang="${escapeAttribute(language)}">${shown}</div>` : shown;
  const frame = await frames.of({ storeId: store.id, locale, toPages }, store);
  const head = headOf({ store, locale, path }, { name, settings: { noindex: true } });
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

/** What only one visitor is to see, and no cache to keep. */
const ownAlone = { 'cache-control': 'private, no-store' };

/** Leads a browser on from a form, to an address beside it. */
export const goTo = (location: string, headers: Record<string, string> = {}): Answer =>
  new Answer('', htmlType, { location, ...ownAlone, 'referrer-policy': 'no-referrer', ...headers }, 303);

/** Of a form that another site's page has sent: what is shown in place of what it asks for. */
export const elsewhere = ({ fromElsewhere }: ShopTexts) => ({ message: fromElsewhere, status: 403 });

/** Whether a browser shows the answer itself, as far as it tells; a script only reads it. */
export const isDocument = ({ 'sec-fetch-dest': dest }: Headers): boolean => dest !== 'empty';
