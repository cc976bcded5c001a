import {
  type ArticleFacts,
  decimalMoney,
  type MediaFacts,
  type OptionFacts,
  type ProductFacts,
  type VariantFacts,
  variantTitle,
} from '@waybill/page';

/** A product with additional facts for search engines. */
type DescribedProduct = Omit<ProductFacts, 'url' | 'variants'> & {
  readonly variants: readonly (VariantFacts & {
    readonly sku?: string | null;
    readonly barcode?: string | null;
  })[];
};

/** The item that a page is about, described to search engines. */
export type Subject =
  | {
      kind: 'product';
      facts: DescribedProduct;
      currency: string;
      vendor?: string;
      /** Whether a former price is the lowest of the 30 days before, as on the page. */
      comparesLowest?: boolean;
    }
  | { kind: 'article'; facts: Pick<ArticleFacts, 'publishedAt' | 'image'> };

/** The facts about a page that its structured data needs. */
export interface PageFacts {
  /** The name in the language of the page. */
  name: string;
  storeName: string;
  description: string | undefined;
  /** An absolute address. */
  url: string;
  /** Returns the absolute address of a file of the store. */
  absolute(path: string): string;
}

/** The way from the homepage to the page itself, which may have no URL. URLs are relative to the page. */
export type Breadcrumbs = readonly { readonly text: string; readonly url?: string }[];

/** Maximum number of variants described one by one. */
const maxOffers = 50;

const context = { '@context': 'https://schema.org' };

/** Returns a page's subject in schema.org's terms (`decisions.md 17.6`). */
export function describeSubject(subject: Subject, page: PageFacts): object {
  return subject.kind === 'product' ? describeProduct(subject, page) : describeArticle(subject.facts, page);
}

type ProductSubject = Extract<Subject, { kind: 'product' }>;
type ProductVariant = ProductSubject['facts']['variants'][number];

function describeProduct(subject: ProductSubject, page: PageFacts): object {
  const { facts, currency, vendor } = subject;
  const { name, description, url } = page;
  const images = (facts.images ?? (facts.image ? [facts.image] : [])).map((image) =>
    page.absolute(image.url),
  );
  const commonFields = {
    name,
    url,
    ...(description && { description }),
    ...(images.length > 0 && { image: images }),
    ...(vendor && { brand: { '@type': 'Brand', name: vendor } }),
  };
  const { options = [], variants } = facts;
  const offer = (variant: ProductVariant, offerUrl = url) => describeOffer(variant, subject, offerUrl);
  if (options.length > 0 && variants.length > 1)
    return {
      ...context,
      '@type': 'ProductGroup',
      ...commonFields,
      productGroupID: facts.id,
      variesBy: options.map((option) => option.text ?? option.name),
      hasVariant: variants.slice(0, maxOffers).map((variant) => {
        const address = `${url}?variant=${variant.id}`;
        return {
          '@type': 'Product',
          ...describeCodes(variant),
          name: [name, variantTitle(facts, variant)].filter(Boolean).join(' – '),
          url: address,
          image: variant.image ? [page.absolute(variant.image.url)] : images.slice(0, 1),
          additionalProperty: options.map((option) => ({
            '@type': 'PropertyValue',
            name: option.text ?? option.name,
            value: valueText(option, variant.options?.[option.name] ?? ''),
          })),
          offers: offer(variant, address),
        };
      }),
    };
  const offers = variants.slice(0, maxOffers).map((variant) => ({
    ...offer(variant),
    ...(variant.name && { name: variant.name }),
  }));
  const prices = variants.map(({ priceCents }) => priceCents);
  const price = (cents: number) => decimalMoney(cents, currency);
  const aggregateOffer = {
    '@type': 'AggregateOffer',
    priceCurrency: currency,
    url,
    offerCount: variants.length,
    lowPrice: price(prices.reduce((a, b) => Math.min(a, b), prices[0] ?? 0)),
    highPrice: price(prices.reduce((a, b) => Math.max(a, b), prices[0] ?? 0)),
    availability: availability(variants.some(({ stock }) => stock > 0)),
    offers,
  };
  return {
    ...context,
    '@type': 'Product',
    ...commonFields,
    ...(variants.length === 1 && describeCodes(variants[0]!)),
    ...(offers.length > 0 && { offers: offers.length === 1 ? offers[0] : aggregateOffer }),
  };
}

const valueText = ({ values, texts }: OptionFacts, value: string): string =>
  texts?.[values.indexOf(value)] ?? value;

const availability = (isInStock: boolean) => `https://schema.org/${isInStock ? 'InStock' : 'OutOfStock'}`;

const describeCodes = ({ sku, barcode }: ProductVariant) => ({
  ...(sku && { sku }),
  ...(barcode && { gtin: barcode }),
});

/** UN/CEFACT codes, which schema.org uses for units. */
const unitCodes: Readonly<Record<string, string>> = {
  g: 'GRM',
  kg: 'KGM',
  ml: 'MLT',
  l: 'LTR',
  m: 'MTR',
  m2: 'MTK',
  piece: 'C62',
};

function describeOffer(
  variant: ProductVariant,
  { currency, comparesLowest }: ProductSubject,
  url: string,
): object {
  const { priceCents, compareAtCents, lowestPriceCents30Days, unit, stock } = variant;
  const formerCents = comparesLowest ? lowestPriceCents30Days : compareAtCents;
  const price = (cents: number) => decimalMoney(cents, currency);
  const measured = (value: number) => ({
    '@type': 'QuantitativeValue',
    value,
    unitCode: unitCodes[unit!.measure],
  });
  const priceFields = { price: price(priceCents), priceCurrency: currency };
  const specifications = [
    ...(unit?.amount === undefined
      ? []
      : [
          {
            '@type': 'UnitPriceSpecification',
            ...priceFields,
            unitPricingMeasure: measured(unit.amount),
            unitPricingBaseMeasure: measured(unit.perAmount),
          },
        ]),
    ...(formerCents == null || formerCents <= priceCents
      ? []
      : [
          {
            '@type': 'UnitPriceSpecification',
            priceType: 'https://schema.org/StrikethroughPrice',
            price: price(formerCents),
            priceCurrency: currency,
          },
        ]),
  ];
  return {
    '@type': 'Offer',
    ...priceFields,
    url,
    availability: availability(stock > 0),
    ...(specifications.length > 0 && { priceSpecification: specifications }),
  };
}

function describeArticle(
  { publishedAt, image }: Extract<Subject, { kind: 'article' }>['facts'],
  { name, storeName, description, url, absolute }: PageFacts,
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

/** Returns the breadcrumbs of a page for search engines; null when nothing is above it. */
export function describeBreadcrumbs(trail: Breadcrumbs, { url }: Pick<PageFacts, 'url'>): object | null {
  if (trail.length < 2) return null;
  const itemListElement = trail.map(({ text, url: itemUrl }, i) => ({
    '@type': 'ListItem',
    position: i + 1,
    name: text,
    item: itemUrl === undefined ? url : new URL(itemUrl, url).href,
  }));
  return { ...context, '@type': 'BreadcrumbList', itemListElement };
}

/** Returns the description of a page for link previews. */
export function buildOpenGraph(
  { name: title, storeName, description, url, absolute }: PageFacts,
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
