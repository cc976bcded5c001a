import type { Readable } from 'node:stream';
import { isSlug } from '@waybill/contracts';
import { Answer } from '@waybill/kernel';
import { escapeAttribute } from '@waybill/page';
import type { Context } from '../../config.ts';
import { getLayout } from '../../publication/layouts/layouts.ts';
import { documentHtml } from '../../publication/rendering/document-html.ts';
import { policyFor } from '../../publication/rendering/policy.ts';
import { findVisitedStore, type VisitedStore } from '../../publication/served-documents/queries.ts';
import { buildHead } from '../../publication/system-pages/plans.ts';
import { readStoreBySlug, storeFacts } from '../../shared/stores/stores.ts';
import { type ShopPage, shopCss } from './html.ts';
import { type ShopTexts, shopTextsIn } from './texts.ts';

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The parts of a request that these pages depend on. */
export interface ShopVisit {
  url: string;
  headers: Headers;
}

/** A submitted form. */
export interface ShopForm extends ShopVisit {
  stream: Readable;
  /** The visitor's network address. */
  address: string;
}

/** The place of a visit: a store, and the locale in the address if there is one. */
export interface ShopLocation {
  storeSlug: string;
  locale?: string | undefined;
}

/** A store as one of these pages shows it. */
export interface Shop extends ShopPage {
  store: VisitedStore;
  locale: string | undefined;
}

/** The contents and address of one of these pages. */
export interface PageContent {
  name: string;
  /** Relative to the store. */
  path: string;
  html: string;
  status?: number;
  headers?: Record<string, string>;
}

const htmlType = 'text/html; charset=utf-8';

/** Opens the shop of a place; undefined when there is no such store or locale. */
export async function openShop(
  context: Context,
  { storeSlug, locale }: ShopLocation,
  toPages = './',
): Promise<Shop | undefined> {
  if (!isSlug(storeSlug)) return undefined;
  let store = await findVisitedStore(context.db, storeSlug);
  // A store whose first event has not arrived yet.
  if (!store && (await readStoreBySlug(context, storeSlug)))
    store = await findVisitedStore(context.db, storeSlug);
  if (!store || (locale !== undefined && !store.locales.includes(locale))) return undefined;
  const { currency } = (await storeFacts(context, store.id))!;
  const language = locale ?? store.defaultLocale;
  return { store, locale, language, currency, toPages, texts: shopTextsIn(language) };
}

/** Answers with a page of the shop, for this visitor only. */
export async function renderShopPage(
  context: Context,
  { store, locale, language, toPages }: Shop,
  visit: ShopVisit,
  { name, path, html: content, status, headers }: PageContent,
): Promise<Answer> {
  // The page's language is one in which the shop has no pages.
  const isForeign = language !== (locale ?? store.defaultLocale);
  const html = isForeign ? `<div lang="${escapeAttribute(language)}">${content}</div>` : content;
  const layout = await getLayout(context, { storeId: store.id, locale, toPages }, store);
  const head = buildHead({ store, locale, path }, { name, settings: { noindex: true } });
  const { html: body, allowed } = documentHtml(
    context.config,
    head,
    { html, css: shopCss, islands: [] },
    layout,
  );
  const all = {
    'content-security-policy': policyFor(allowed, visit.headers),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    ...privateHeaders,
    ...headers,
  };
  return new Answer(body, htmlType, all, status);
}

/** Headers for answers to a single visitor, which no cache may keep. */
const privateHeaders = { 'cache-control': 'private, no-store' };

/** Redirects a browser after a form, to a sibling address. */
export const redirectTo = (location: string, headers: Record<string, string> = {}): Answer =>
  new Answer(
    '',
    htmlType,
    { location, ...privateHeaders, 'referrer-policy': 'no-referrer', ...headers },
    303,
  );

/** Replaces the requested page for a form sent from another site's page. */
export const crossSiteRefusal = ({ fromElsewhere }: ShopTexts) => ({ message: fromElsewhere, status: 403 });

/** Joins what a page has to say; empty texts say nothing. */
export const joinSentences = (...texts: string[]): string => texts.filter(Boolean).join(' ');

/** Whether a browser shows the answer itself, as far as can be told; a script only reads it. */
export const isDocument = ({ 'sec-fetch-dest': dest }: Headers): boolean => dest !== 'empty';
