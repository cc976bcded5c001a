import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../../errors.ts';

const file = {
  method: 'GET',
  access: 'public',
  answer: [200, Type.String()],
  errors: [errors.not_found],
} as const;

const productFeed =
  'Active products, one item per variant, with price, availability, GTIN, brand, pictures and category. Cached for an ' +
  'hour; excluded from search engines.';

/** `decisions.md 17.6, 20.7`. Must precede the pages, whose addresses have no dots. */
export const routes = defineRoutes({
  showSitemap: {
    ...file,
    path: '/s/{storeSlug}/sitemap.xml',
    summary: "Read a store's sitemap",
    description:
      'Live pages, active products, categories, published articles and their categories, in each language of ' +
      'the store. More than 50,000 addresses are split into parts, and without `part` this is their index.',
    query: Type.Object({ part: Type.Optional(Type.Integer({ minimum: 1, maximum: 50_000 })) }),
    contentType: 'application/xml',
  },
  showRobots: {
    ...file,
    path: '/s/{storeSlug}/robots.txt',
    summary: "Read a store's robots.txt",
    description: 'Refers crawlers to the sitemap, and excludes cart, checkout, orders and search.',
    contentType: 'text/plain',
  },
  showFeed: {
    ...file,
    path: '/s/{storeSlug}/feed.xml',
    summary: 'Read the Atom feed of a store’s newest articles',
    description:
      'The last 20 published articles, with their content. Each language has its own feed, below its pages.',
    contentType: 'application/atom+xml',
  },
  showGoogleFeed: {
    ...file,
    path: '/s/{storeSlug}/feeds/google.xml',
    summary: 'Read a store’s product feed for Google Merchant Center',
    description: `${productFeed} RSS 2.0 by Google’s product data specification.`,
    contentType: 'application/xml',
    errors: [errors.not_found, errors.resource_unavailable],
  },
  showMetaFeed: {
    ...file,
    path: '/s/{storeSlug}/feeds/meta.csv',
    summary: 'Read a store’s product feed for Meta’s catalogues',
    description: `${productFeed} CSV with Meta’s columns.`,
    contentType: 'text/csv',
    errors: [errors.not_found, errors.resource_unavailable],
  },
  showIcon: {
    ...file,
    path: '/s/{storeSlug}/favicon.svg',
    summary: 'Show the generated icon of a store that has chosen none',
    description: 'The first letter of the store’s name, in the colour of its theme.',
    contentType: 'image/svg+xml',
  },
});
