import { exampleId } from '@waybill/contracts';
import { defineRoutes } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../../errors.ts';

const page = {
  method: 'GET',
  access: 'public',
  description:
    'Has an `ETag`; browsers revalidate each time. Errors are HTML for clients that accept it, JSON for ' +
    'others. A page’s slug takes precedence over an identical locale. A former slug of a live page or a ' +
    'published article redirects to its current address (`301`, with the query), until another page or ' +
    'article takes the slug. So does an address with the store’s default locale in front.',
  answer: [200, Type.String()],
  otherAnswers: {
    301: 'Redirects to the current address.',
    307: 'Redirects to the canonical address, for example of a homepage with a trailing slash.',
  },
  contentType: 'text/html',
  errors: [errors.not_found],
} as const;

const query = Type.Object({
  page: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1,
    description: 'The page number, for lists with several pages.',
  }),
  q: Type.String({ default: '', description: 'The search text, at `search` and `categories/{slug}`.' }),
});

const browsing =
  'Search its products with `q`; filter them with `filter[option.<name>]`, `filter[vendor]`, `filter[tag]`, `filter[available]` and ' +
  '`filter[price]`, as on storefronts; filtered pages exclude search engines.';
const browsed = Type.Object({
  ...query.properties,
  sort: Type.Optional(
    Type.String({
      description:
        '`relevance`, `number`, `name`, `price` or `created`; `<name>-desc` sorts in descending order.',
    }),
  ),
  dir: Type.Optional(Type.String({ description: '`asc` or `desc`.' })),
});
const productQuery = Type.Object({
  ...query.properties,
  variant: Type.Optional(Type.String({ description: 'The ID of the selected variant.' })),
});

const form = {
  method: 'POST',
  access: 'public',
  // The key in a checkout's form makes it one order; a cart belongs to its visitor.
  idempotency: 'none',
  answer: [200, Type.String()],
  otherAnswers: {
    303: 'Redirects to the next page.',
    403: 'The form belongs to another site.',
    409: 'An item is sold out; the page lists it.',
    422: 'The form again, with errors at its fields.',
  },
  contentType: 'text/html',
  errors: [errors.not_found, errors.body_too_large],
} as const;

const text = (example: string, description?: string) =>
  Type.String({ examples: [example], ...(description !== undefined && { description }) });
const others = { additionalProperties: Type.String() };
const lines = 'Each `quantity-<variantId>` field is a line.';
const CartForm = Type.Object(
  {
    buy: Type.Optional(
      text(
        `${exampleId('product')}.${exampleId('variant')}`,
        '`<productId>.<variantId>`: adds one unit of the variant.',
      ),
    ),
    remove: Type.Optional(text(exampleId('variant'), 'The ID of a variant: removes its line.')),
    next: Type.Optional(text('checkout', '`checkout`: redirects to the checkout.')),
    show: Type.Optional(text('1', 'Returns the page with these lines, and stores nothing.')),
  },
  others,
);
const CheckoutForm = Type.Object(
  {
    key: text('0b7a4c1e-6f0d-4f0e-9d59-2f6f4f5b6c11', 'Forms with the same key create one order.'),
    name: text('Ada Lovelace'),
    email: text('ada@example.com'),
    phone: Type.Optional(text('+44 20 7946 0000')),
    line1: text('12 St James’s Square'),
    line2: Type.Optional(text('')),
    city: text('London'),
    postalCode: Type.Optional(text('SW1Y 4JH')),
    region: Type.Optional(text('')),
    country: text('GB', 'ISO 3166-1 alpha-2.'),
  },
  others,
);
const cartForm = {
  description:
    'Receives the buttons of live pages and the form of the cart. Stores the cart in a cookie of the store’s ' +
    `own, and redirects back to it (\`303\`). ${lines} Forms on other sites are rejected (\`403\`).`,
  streamedBodies: { 'application/x-www-form-urlencoded': CartForm },
} as const;
const checkoutForm = {
  description:
    'Redirects to `orders/{token}` (`303`). A `422` contains the form again, with errors at their fields; so ' +
    `does a \`409\` if something is sold out. ${lines} Prices are the store’s.`,
  streamedBodies: { 'application/x-www-form-urlencoded': CheckoutForm },
} as const;
const payForm = {
  description:
    'Redirects to the page where the shopper pays, or to the order (`303`). `409` if nothing is due. Forms ' +
    'on other sites are rejected (`403`).',
  streamedBodies: {
    'application/x-www-form-urlencoded': Type.Object(
      { payment: text(exampleId('paymentMethod'), 'The ID of a payment method.') },
      others,
    ),
  },
} as const;
const order = {
  method: 'GET',
  access: 'public',
  isItem: false,
  description:
    'By the token returned when the order was placed. Not cached, and not disclosed to other sites through ' +
    'the referrer.',
  answer: [200, Type.String()],
  contentType: 'text/html',
  errors: [errors.not_found],
} as const;

/** `decisions.md 4.4, 7.8, 17.4`. */
export const routes = defineRoutes({
  showHomepage: { ...page, path: '/s/{storeSlug}', query, summary: "Show a store's homepage" },
  showTheme: {
    method: 'GET',
    path: '/s/{storeSlug}/theme-{hash}.css',
    access: 'public',
    summary: 'Download the style sheet of a store’s theme',
    description: 'Its content never changes: a new theme has a new address.',
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
      '`search`, the product search',
  },
  showArticle: { ...page, path: '/s/{storeSlug}/blog/{slug}', query, summary: 'Show a published article' },
  showCategory: {
    ...page,
    path: '/s/{storeSlug}/blog/category/{slug}',
    query,
    summary: 'Show the published articles of a blog category',
  },
  showProduct: {
    ...page,
    path: '/s/{storeSlug}/products/{slug}',
    query: productQuery,
    summary: 'Show the page of an active product',
  },
  showShopCategory: {
    ...page,
    path: '/s/{storeSlug}/categories/{slug}',
    query: browsed,
    summary: 'Show the page of a product category',
    description: `${page.description} ${browsing}`,
  },
  showOrder: { ...order, path: '/s/{storeSlug}/orders/{token}', summary: 'Show an order to its shopper' },
  showOrderInLocale: {
    ...order,
    path: '/s/{storeSlug}/{locale}/orders/{token}',
    summary: 'Show an order to its shopper, in a locale',
  },
  changeOrderOnPage: {
    ...form,
    ...payForm,
    path: '/s/{storeSlug}/orders/{token}',
    summary: 'Pay an order again, or request a return',
  },
  changeOrderOnPageInLocale: {
    ...form,
    ...payForm,
    path: '/s/{storeSlug}/{locale}/orders/{token}',
    summary: 'Pay an order again, or request a return, on a page in a locale',
  },
  showCart: { ...page, path: '/s/{storeSlug}/cart', query, summary: 'Show the cart' },
  showCheckout: { ...page, path: '/s/{storeSlug}/checkout', query, summary: 'Show the checkout' },
  changeCart: { ...form, ...cartForm, path: '/s/{storeSlug}/cart', summary: 'Change the cart' },
  orderOnPage: {
    ...form,
    ...checkoutForm,
    path: '/s/{storeSlug}/checkout',
    summary: 'Place an order from a live page',
  },
  sendInLocale: {
    ...form,
    path: '/s/{storeSlug}/{locale}/{slug}',
    summary: 'Change the cart, or place an order, on pages in a locale',
    description: 'With `cart` or `checkout` as slug, as for the addresses without a locale.',
    streamedBodies: { 'application/x-www-form-urlencoded': Type.Union([CartForm, CheckoutForm]) },
  },
  showPageInLocale: {
    ...page,
    path: '/s/{storeSlug}/{locale}/{slug}',
    query,
    summary: 'Show a live page, the blog or the search in a locale, translated where possible',
  },
  showArticleInLocale: {
    ...page,
    path: '/s/{storeSlug}/{locale}/blog/{slug}',
    query,
    summary: 'Show a published article in a locale, translated where possible',
  },
  showCategoryInLocale: {
    ...page,
    path: '/s/{storeSlug}/{locale}/blog/category/{slug}',
    query,
    summary: 'Show the published articles of a blog category in a locale',
  },
  showProductInLocale: {
    ...page,
    path: '/s/{storeSlug}/{locale}/products/{slug}',
    query: productQuery,
    summary: 'Show the page of an active product in a locale, translated where possible',
  },
  showShopCategoryInLocale: {
    ...page,
    path: '/s/{storeSlug}/{locale}/categories/{slug}',
    query: browsed,
    summary: 'Show the page of a product category in a locale, translated where possible',
    description: `${page.description} ${browsing}`,
  },
  showNothing: {
    ...page,
    path: '/s/{storeSlug}/{rest*}',
    summary: "Show the store's not-found page at any other address",
    answer: [404, Type.String()],
  },
  showShop: {
    method: 'GET',
    path: '/assets/shop.js',
    access: 'public',
    summary: 'Download the script of a shop’s live pages',
    description: 'Keeps the cart in the browser. Without it, the forms on the pages do the same.',
    answer: [200, Type.String()],
    contentType: 'text/javascript',
  },
  showRuntime: {
    method: 'GET',
    path: '/assets/wb.js',
    access: 'public',
    summary: "Download the runtime of live pages, which starts apps' islands",
    description:
      'Defines `WB.register`, finds the markers of islands and starts each island when its module has loaded.',
    answer: [200, Type.String()],
    contentType: 'text/javascript',
  },
});
