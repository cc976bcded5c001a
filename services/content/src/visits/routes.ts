import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';

const page = {
  method: 'GET',
  access: 'public',
  description:
    'With `ETag`; a browser asks again each time. Errors are HTML for who accepts it, JSON for others. A page’s slug ' +
    'comes before a locale that is written alike. A slug that a live page or a published article had before leads to ' +
    'its new address (`301`, with the query), until another takes it.',
  answer: [200, Type.String()],
  contentType: 'text/html',
  errors: [errors.not_found],
} as const;

const query = Type.Object({
  page: Type.Integer({
    ...{ minimum: 1, maximum: 1_000_000, default: 1 },
    description: 'Of lists that have several pages.',
  }),
  q: Type.String({ default: '', description: 'What is searched for, at `search`.' }),
});

/** `decisions.md 4.4, 7.8`. */
export const routes = defineRoutes({
  showHomepage: { ...page, path: '/s/{storeSlug}', query, summary: "A store's homepage" },
  showTheme: {
    method: 'GET',
    path: '/s/{storeSlug}/theme-{hash}.css',
    access: 'public',
    summary: 'The style sheet of a store’s theme',
    description: 'What it holds never changes: another look has another address.',
    answer: [200, Type.String()],
    contentType: 'text/css',
    errors: [errors.not_found],
  },
  showPage: {
    ...page,
    path: '/s/{storeSlug}/{slug}',
    query,
    summary:
      'A live page; the homepage in a locale that the store is translated into; `blog/`, the list of articles; ' +
      '`search`, what its products are searched with',
  },
  showArticle: { ...page, path: '/s/{storeSlug}/blog/{slug}', query, summary: 'A published article' },
  showCategory: {
    ...page,
    path: '/s/{storeSlug}/blog/category/{slug}',
    query,
    summary: 'The published articles of a blog category',
  },
  showProduct: {
    ...page,
    path: '/s/{storeSlug}/products/{slug}',
    query,
    summary: 'An active product',
  },
  showPageInLocale: {
    ...page,
    path: '/s/{storeSlug}/{locale}/{slug}',
    query,
    summary: 'A live page, the blog or the search in a locale: translated where there is a translation',
  },
  showArticleInLocale: {
    ...page,
    path: '/s/{storeSlug}/{locale}/blog/{slug}',
    query,
    summary: 'A published article in a locale: translated where there is a translation',
  },
  showCategoryInLocale: {
    ...page,
    path: '/s/{storeSlug}/{locale}/blog/category/{slug}',
    query,
    summary: 'The published articles of a blog category in a locale',
  },
  showProductInLocale: {
    ...page,
    path: '/s/{storeSlug}/{locale}/products/{slug}',
    query,
    summary: 'An active product in a locale: translated where there is a translation',
  },
  showRuntime: {
    method: 'GET',
    path: '/assets/wb.js',
    access: 'public',
    summary: 'The runtime of live pages, which starts the islands of apps',
    description:
      'It defines `WB.register`, finds the markers of islands and starts each when its module has come.',
    answer: [200, Type.String()],
    contentType: 'text/javascript',
  },
});
