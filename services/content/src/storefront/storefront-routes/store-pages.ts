import { canonicalLocale, isSlug } from '@waybill/contracts';
import { type Answer, enforceRateLimit, getNetwork, singleFlight } from '@waybill/kernel';
import type { Context } from '../../config.ts';
import { isAtOwnOrigin } from '../../publication/rendering/policy.ts';
import { blogSlug, categoriesSlug, pagePath, productsSlug } from '../../publication/rendering/sources.ts';
import {
  acceptsHtml,
  answer,
  answerAt,
  encodePath,
  getPath,
  notFound,
  redirect,
  type Visit,
} from '../../publication/served-documents/answers.ts';
import {
  type Address,
  findAddress,
  findAddressOrHomepage,
  findCurrentAddress,
} from '../../publication/served-documents/queries.ts';
import { type LiveDocument, LivePages } from '../../publication/served-documents/served-documents.ts';
import { type PageRequest, SystemPages } from '../../publication/system-pages/system-pages.ts';
import { readStoreBySlug } from '../../shared/stores/stores.ts';
import type { FormerSlug } from '../../tables.ts';
import { isVariantId } from '../shop-pages/cart.ts';
import type { ShopLocation } from '../shop-pages/shop.ts';
import type { createShopPages } from '../shop-pages/shop-pages.ts';
import { maxQuery, readBrowse } from './browse-query.ts';

/** A visit with a page of a list, and a search text. */
export interface PagedVisit extends Visit {
  query: { page: number; q: string };
  address: string;
}

/** A page, article, product or category of a store. Without a locale, in the store's default language. */
export interface PageLocation extends ShopLocation {
  slug: string;
}

const searchSlug = 'search';
/** Maximum depth; no address of a store is deeper, and a page is kept in memory for each. */
const maxSteps = 8;
/** The path to each kind of thing that has an address, below the pages of a locale. */
const pathPrefixes: Readonly<Record<FormerSlug['kind'], string>> = {
  page: '',
  article: `${blogSlug}/`,
  product: `${productsSlug}/`,
  category: `${categoriesSlug}/`,
};

/** Answers visits to the addresses below a store: `decisions.md 4.4`. */
export class StorePages {
  readonly #context: Context;
  readonly #livePages: LivePages;
  readonly #systemPages: SystemPages;
  readonly #shopPages: ReturnType<typeof createShopPages>;
  readonly #shareLookup = singleFlight<Address | undefined>();
  /** Pages that are not kept in memory cost more, so a network may request fewer of them than of others. */
  readonly #uncachedPageLimit: Context['config']['visitLimit'];

  constructor(context: Context, shopPages: ReturnType<typeof createShopPages>) {
    this.#context = context;
    this.#livePages = new LivePages(context);
    this.#systemPages = new SystemPages(context);
    this.#shopPages = shopPages;
    const { perMinute, burst } = context.config.visitLimit;
    this.#uncachedPageLimit = { perMinute: perMinute * 10, burst: burst * 10 };
  }

  /** Shows the homepage. A store that has not chosen one shows its built-in front page. */
  async showHomepage(visit: PagedVisit, storeSlug: string): Promise<Answer> {
    let address = await this.#lookUpAddress(storeSlug, '');
    // Reading the store stores its facts, if its first event has not arrived yet.
    if (!address && (await readStoreBySlug(this.#context, storeSlug)))
      address = await this.#lookUpAddress(storeSlug, '');
    if (address) return this.#showLivePage(visit, address, '');
    const front = await this.#systemPages.front(storeSlug, this.#toPageRequest(visit));
    return this.#answerDocument(visit, front, { storeSlug }, '');
  }

  /** Shows what has an address of one step: a live page, a built-in page, or the homepage in another locale. */
  async showPage(visit: PagedVisit, { storeSlug, slug }: PageLocation): Promise<Answer> {
    const locale = canonicalLocale(slug);
    if (!locale) {
      const address = await this.#lookUpAddress(storeSlug, slug);
      return address
        ? this.#showLivePage(visit, address, slug)
        : this.#showBuiltIn(visit, { storeSlug, slug });
    }
    const { address, isBySlug } = await findAddressOrHomepage(this.#context.db, storeSlug, slug);
    if (address && isBySlug) return this.#showLivePage(visit, address, slug);
    if (address?.locales.includes(locale)) return this.#showLivePage(visit, address, '', locale);
    const front = address
      ? undefined
      : await this.#systemPages.front(storeSlug, this.#toPageRequest(visit, locale));
    if (front) return this.#answerDocument(visit, front, { storeSlug, locale }, '');
    return this.#showBuiltIn(visit, { storeSlug, slug });
  }

  /** Shows a live or built-in page in the locale of its address. */
  async showPageInLocale(visit: PagedVisit, location: PageLocation): Promise<Answer> {
    const { storeSlug, slug, locale } = location;
    const address = await this.#lookUpAddress(storeSlug, slug);
    if (!address) return this.#showBuiltIn(visit, location);
    if (!locale || !address.locales.includes(locale)) return this.answerNotFound(visit, { storeSlug });
    return this.#showLivePage(visit, address, slug, locale);
  }

  async showArticle(visit: PagedVisit, location: PageLocation): Promise<Answer> {
    const { storeSlug, slug, locale } = location;
    const document = await this.#systemPages.article(storeSlug, slug, this.#toPageRequest(visit, locale));
    if (!document) return this.#redirectMoved('article', visit, location);
    return this.#answerDocument(visit, document, location, `${blogSlug}/${slug}`);
  }

  /** Shows a category of the blog. */
  async showBlogCategory(visit: PagedVisit, location: PageLocation): Promise<Answer> {
    const { storeSlug, slug, locale } = location;
    const document = await this.#systemPages.blog(storeSlug, this.#toPageRequest(visit, locale), slug);
    return this.#answerDocument(visit, document, location, `${blogSlug}/category/${slug}`);
  }

  /** Shows a product, with the variant of the query chosen. */
  async showProduct(
    visit: PagedVisit & { query: { variant?: string } },
    location: PageLocation,
  ): Promise<Answer> {
    const { storeSlug, slug, locale } = location;
    const { variant } = visit.query;
    const variantId = variant !== undefined && isVariantId(variant) ? variant : undefined;
    const document = await this.#systemPages.product(storeSlug, slug, {
      ...this.#toPageRequest(visit, locale),
      variantId,
    });
    if (!document) return this.#redirectMoved('product', visit, location);
    return this.#answerDocument(visit, document, location, `${productsSlug}/${slug}`);
  }

  /** Shows a category of products, with the filters of the query applied. */
  async showProductCategory(visit: PagedVisit, location: PageLocation): Promise<Answer> {
    const { storeSlug, slug, locale } = location;
    const browse = readBrowse(visit.url, 'category');
    // Each choice makes another page, so requests are limited.
    if (browse.pairs.length > 0) await this.#limitSearches(visit);
    const document = await this.#systemPages.category(storeSlug, slug, {
      ...this.#toPageRequest(visit, locale),
      browse,
    });
    if (!document) return this.#redirectMoved('category', visit, location);
    return this.#answerDocument(visit, document, location, `${categoriesSlug}/${slug}`);
  }

  /** Answers with the store's own not-found page, or else with a plain text. */
  async answerNotFound(visit: Visit, { storeSlug, locale }: ShopLocation): Promise<Answer> {
    if (!acceptsHtml(visit) || !isSlug(storeSlug)) return notFound(visit);
    try {
      const document = await this.#systemPages.notFound(storeSlug, { locale, page: 1 }, (answerLocale) =>
        getPathToPages(visit, storeSlug, answerLocale),
      );
      return notFound(visit, document);
    } catch (err) {
      this.#context.log.warn(
        { err, storeSlug },
        'the not-found page cannot be rendered; visitors get plain text',
      );
      return notFound(visit);
    }
  }

  /** Concurrent visits of an address share one look-up. */
  #lookUpAddress(storeSlug: string, slug: string): Promise<Address | undefined> {
    return this.#shareLookup(`${storeSlug}/${slug}`, () => findAddress(this.#context.db, storeSlug, slug));
  }

  #toPageRequest({ query: { page, q }, address }: PagedVisit, locale?: string): PageRequest {
    const { cache } = this.#context;
    return {
      locale,
      page,
      q: q.slice(0, maxQuery),
      admit: () => enforceRateLimit(cache, `pages-made:${getNetwork(address)}`, this.#uncachedPageLimit),
    };
  }

  #limitSearches({ address }: PagedVisit): Promise<void> {
    const { cache, config } = this.#context;
    return enforceRateLimit(cache, `search:${getNetwork(address)}`, config.visitLimit);
  }

  /**
   * Shows a page at the address of its document, and at its slug, where the homepage is served too
   * (`decisions.md 4.4`). Other spellings redirect.
   */
  async #showLivePage(visit: PagedVisit, address: Address, slug: string, locale?: string): Promise<Answer> {
    const bySlug = pagePath(address.storeSlug, slug, locale);
    const path = address.isHomepage ? pagePath(address.storeSlug, '', locale) : bySlug;
    if (![path, bySlug].includes(getPath(visit.url))) return redirect(path, visit);
    let document = await this.#livePages.read(address, locale);
    if (document?.isPaged && visit.query.page > 1)
      document = await this.#systemPages.further(address, this.#toPageRequest(visit, locale));
    return document
      ? answer(visit, document)
      : this.answerNotFound(visit, { storeSlug: address.storeSlug, locale });
  }

  /** Shows a page that every store has: the cart, the checkout, the blog or the search. */
  async #showBuiltIn(visit: PagedVisit, location: PageLocation): Promise<Answer> {
    const { storeSlug, slug, locale } = location;
    if (slug === 'cart' || slug === 'checkout') {
      const path = pagePath(storeSlug, slug, locale);
      if (getPath(visit.url) !== encodePath(path)) return redirect(path, visit);
      return (
        (await this.#shopPages[slug]({ storeSlug, locale }, visit)) ?? this.answerNotFound(visit, location)
      );
    }
    if (slug === blogSlug) {
      const document = await this.#systemPages.blog(storeSlug, this.#toPageRequest(visit, locale));
      return this.#answerDocument(visit, document, location, `${blogSlug}/`);
    }
    if (slug !== searchSlug) return this.#redirectMoved('page', visit, location);
    // Each search text makes another page, so requests are limited.
    await this.#limitSearches(visit);
    const document = await this.#systemPages.search(storeSlug, {
      ...this.#toPageRequest(visit, locale),
      browse: readBrowse(visit.url, 'search'),
    });
    return this.#answerDocument(visit, document, location, searchSlug);
  }

  /** Redirects from a former address to the present one, or else answers that nothing was found. */
  async #redirectMoved(kind: FormerSlug['kind'], visit: Visit, location: PageLocation): Promise<Answer> {
    const { storeSlug, slug, locale } = location;
    const found = await findCurrentAddress(this.#context.db, kind, storeSlug, slug);
    if (!found || (locale && !found.locales.includes(locale))) return this.answerNotFound(visit, location);
    return redirect(pagePath(found.storeSlug, pathPrefixes[kind] + found.slug, locale), visit, 301);
  }

  /** Answers with the document of the page at `path`, or that nothing was found. Other spellings redirect. */
  async #answerDocument(
    visit: Visit,
    document: LiveDocument | undefined,
    location: ShopLocation,
    path: string,
  ): Promise<Answer> {
    if (!document) return this.answerNotFound(visit, location);
    return answerAt(pagePath(location.storeSlug, path, location.locale), visit, document);
  }
}

/** Returns the path from an address of any depth to the store's pages in a locale. */
function getPathToPages({ url, headers }: Visit, storeSlug: string, locale: string | undefined): string {
  const pages = `/s/${storeSlug}/${locale ? `${locale}/` : ''}`;
  const steps = getPath(url).slice(pages.length).split('/').length - 1;
  if (steps > maxSteps) return isAtOwnOrigin(headers) ? pages.slice(`/s/${storeSlug}`.length) : pages;
  return steps === 0 ? './' : '../'.repeat(steps);
}
