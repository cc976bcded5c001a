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
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'Of the blog’s list.' }),
});

/** `decisions.md 4.4, 7.8`. */
export const routes = defineRoutes({
  showHomepage: { ...page, path: '/s/{storeSlug}', summary: "A store's homepage" },
  showPage: {
    ...page,
    path: '/s/{storeSlug}/{slug}',
    query,
    summary:
      'A live page; the homepage in a locale that the store is translated into; `blog/`, the list of articles',
  },
  showArticle: {
    ...page,
    path: '/s/{storeSlug}/blog/{slug}',
    summary: 'A published article',
  },
  showPageInLocale: {
    ...page,
    path: '/s/{storeSlug}/{locale}/{slug}',
    query,
    summary: 'A live page, or the blog, in a locale: translated where there is a translation',
  },
  showArticleInLocale: {
    ...page,
    path: '/s/{storeSlug}/{locale}/blog/{slug}',
    summary: 'A published article in a locale: translated where there is a translation',
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
