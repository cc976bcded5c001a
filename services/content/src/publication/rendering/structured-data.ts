import { type ArticleFacts, decimalMoney, type MediaFacts, type ProductFacts } from '@waybill/page';

/** What a page is of: said to search engines. */
export type Subject =
  | { kind: 'product'; facts: Omit<ProductFacts, 'url'>; currency: string }
  | { kind: 'article'; facts: Pick<ArticleFacts, 'publishedAt' | 'image'> };

/** What all of it needs to know of its page. */
export interface About {
  /** In the language of the page. */
  name: string;
  storeName: string;
  description: string | undefined;
  /** Absolute. */
  url: string;
  /** Of a file of the store's. */
  absolute(path: string): string;
}

/** From the homepage to the page itself, which may have no URL; URLs as seen from the page. */
export type Trail = readonly { readonly text: string; readonly url?: string }[];

/** So many variants are told of one by one. */
const mostOffers = 50;

const context = { '@context': 'https://schema.org' };

/** A page's subject as a thing of schema.org. `decisions.md 17.6` */
export function subjectData(subject: Subject, about: About): object {
  return subject.kind === 'product' ? productData(subject, about) : articleData(subject.facts, about);
}

function productData(
  { facts, currency }: Extract<Subject, { kind: 'product' }>,
  { name, description, url, absolute }: About,
): object {
  const images = (facts.images ?? (facts.image ? [facts.image] : [])).map((image) => absolute(image.url));
  const priced = { priceCurrency: currency, url };
  const availability = (isThere: boolean) => `https://schema.org/${isThere ? 'InStock' : 'OutOfStock'}`;
  const offers = facts.variants.slice(0, mostOffers).map((variant) => ({
    '@type': 'Offer',
    price: decimalMoney(variant.priceCents, currency),
    ...priced,
    ...(variant.name && { name: variant.name }),
    availability: availability(variant.stock > 0),
  }));
  const prices = facts.variants.map(({ priceCents }) => priceCents);
  const several = {
    '@type': 'AggregateOffer',
    ...priced,
    offerCount: facts.variants.length,
    lowPrice: decimalMoney(
      prices.reduce((a, b) => Math.min(a, b), prices[0] ?? 0),
      currency,
    ),
    highPrice: decimalMoney(
      prices.reduce((a, b) => Math.max(a, b), prices[0] ?? 0),
      currency,
    ),
    availability: availability(facts.variants.some(({ stock }) => stock > 0)),
    offers,
  };
  return {
    ...context,
    '@type': 'Product',
    name,
    url,
    ...(description && { description }),
    ...(images.length > 0 && { image: images }),
    ...(offers.length > 0 && { offers: offers.length === 1 ? offers[0] : several }),
  };
}

function articleData(
  { publishedAt, image }: Extract<Subject, { kind: 'article' }>['facts'],
  { name, storeName, description, url, absolute }: About,
): object {
  return {
    ...context,
    '@type': 'Article',
    headline: name,
    mainEntityOfPage: url,
    datePublished: publishedAt,
    ...(description && { description }),
    ...(image && { image: [absolute(image.url)] }),
    author: { '@type': 'Organization', name: storeName },
    publisher: { '@type': 'Organization', name: storeName },
  };
}

/** How visitors come to a page, for search engines; null where there is nothing above it. */
export function trailData(trail: Trail, { url }: Pick<About, 'url'>): object | null {
  if (trail.length < 2) return null;
  const itemListElement = trail.map(({ text, url: way }, i) => ({
    '@type': 'ListItem',
    position: i + 1,
    name: text,
    item: way === undefined ? url : new URL(way, url).href,
  }));
  return { ...context, '@type': 'BreadcrumbList', itemListElement };
}

/** What is said of a page where it is linked to. */
export function openGraph(
  { name: title, storeName, description, url, absolute }: About,
  type: string,
  image: MediaFacts | undefined,
): (readonly [string, string])[] {
  return [
    ['og:type', type],
    ['og:title', title],
    ...(description ? [['og:description', description] as const] : []),
    ['og:url', url],
    ['og:site_name', storeName],
    ...(image ? [['og:image', absolute(image.url)] as const] : []),
    ...(image?.width && image.height
      ? ([
          ['og:image:width', String(image.width)],
          ['og:image:height', String(image.height)],
        ] as const)
      : []),
    ...(image?.alt ? [['og:image:alt', image.alt] as const] : []),
    ...(image ? [['twitter:card', 'summary_large_image'] as const] : []),
  ];
}
