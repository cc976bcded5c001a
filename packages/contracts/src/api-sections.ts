/** A section of the API reference: a task of its readers, and the paths that belong to it. */
export interface ApiSection {
  readonly name: string;
  readonly description: string;
  /** The prefixes of its paths; a path below a store is written in its first form, `/api/v1`. */
  readonly paths: readonly string[];
}

/** A heading above several sections. */
export interface ApiSectionGroup {
  readonly name: string;
  readonly sections: readonly ApiSection[];
}

const store = '/api/stores/{storeId}';

const section = (name: string, description: string, ...paths: string[]): ApiSection => ({
  name,
  description,
  paths,
});

/**
 * The sections of the API reference, in reading order: by the tasks of its readers, not by the services that implement
 * them.
 */
export const apiSections: readonly ApiSectionGroup[] = [
  {
    name: 'Sell',
    sections: [
      section('Products', 'The products of a store, with variants, prices and stock.', '/api/v1/products'),
      section(
        'Categories',
        'A tree of categories, whose products are chosen one by one or by rules.',
        '/api/v1/categories',
      ),
      section(
        'Custom fields',
        'Your own fields on products, orders and other resources of a store.',
        '/api/v1/custom-fields',
      ),
      section(
        'Orders',
        'Orders with their payment and delivery status, fulfilments, refunds and returns.',
        '/api/v1/orders',
        '/api/v1/returns',
      ),
      section(
        'Payments',
        'Payments of orders, and the payment methods offered to shoppers.',
        '/api/v1/payments',
        '/api/v1/payment-sessions',
        `${store}/payment-methods`,
        `${store}/payment-reconciliation`,
        '/payments',
      ),
      section(
        'Documents',
        'Invoices, credit notes and packing slips, and their settings.',
        `${store}/documents`,
      ),
      section(
        'Mails',
        'Mails to customers, with the store’s own texts.',
        `${store}/mail-templates`,
        `${store}/mail-settings`,
      ),
      section('Customers', 'Customers with their addresses, and exports of their data.', '/api/v1/customers'),
      section('Discounts', 'Discount codes and automatic discounts, with their use.', '/api/v1/discounts'),
      section(
        'Taxes and shipping',
        'Tax rates by country, shipping zones, and quotes.',
        `${store}/taxes`,
        `${store}/shipping`,
        `${store}/quotes`,
      ),
      section('Storefront', 'Endpoints for your own storefront: no credential, any origin.', '/storefront'),
      section('Reports', 'Sales over time, and the best-selling products.', `${store}/reports`),
    ],
  },
  {
    name: 'Publish',
    sections: [
      section('Pages', 'The pages of a site: documents, drafts, history and publishing.', '/api/v1/pages'),
      section('Sections', 'Page sections shared by several pages.', `${store}/sections`),
      section(
        'Editor',
        'The building blocks of pages: elements, controls, and blocks of installed apps.',
        `${store}/vocabulary`,
        `${store}/blocks`,
      ),
      section('Blog', 'Articles and their categories.', '/api/v1/articles', '/api/v1/blog-categories'),
      section('Media', 'Images, videos and fonts; folders, trash and quota.', '/api/v1/media'),
      section(
        'Translations',
        'Texts of products, articles and pages in other languages.',
        '/api/v1/translations',
      ),
      section('Forms', 'Submissions of the forms on pages.', '/api/v1/form-submissions'),
      section(
        'Live pages',
        'The pages and files served to visitors.',
        '/s/',
        '/media/',
        '/assets/',
        '/islands/',
        '/app-icons/',
      ),
    ],
  },
  {
    name: 'Follow events',
    sections: [
      section(
        'Webhooks',
        'Signed calls to your server when something happens in a store.',
        '/api/v1/webhooks',
      ),
      section(
        'Events',
        'The event log of a store, to read or to follow.',
        '/api/v1/events',
        '/api/v1/event-types',
      ),
    ],
  },
  {
    name: 'Extend',
    sections: [
      section('App data', 'Values of an app, shown by its blocks.', '/api/v1/app-data'),
      section(
        'Apps',
        'Your apps: versions with blocks and islands, webhooks and secrets.',
        '/api/orgs/{orgId}/apps',
        '/schemas/',
      ),
      section(
        'Organisations',
        'Organisations of app developers: members, invitations and development stores.',
        '/api/orgs',
      ),
      section('App directory', 'Find apps to install.', '/api/apps'),
      section('Installed apps', 'The apps of a store: consent, rollback, disabling.', `${store}/apps`),
      section('OAuth', 'The merchant’s consent, and the tokens of an app.', '/oauth/', '/.well-known/'),
      section('Review', 'Endpoints for reviewers of apps.', '/api/review'),
    ],
  },
  {
    name: 'Manage',
    sections: [
      section('Stores', 'Stores and their settings.', '/api/v1/store', '/api/stores'),
      section(
        'Members',
        'The members of a store, with their roles.',
        `${store}/members`,
        `${store}/invitations`,
        '/api/invitations',
      ),
      section('API keys', 'Credentials for a store’s own tools.', `${store}/api-keys`),
      section(
        'Audit',
        'The log of changes, with their authors and times.',
        `${store}/audit`,
        '/api/orgs/{orgId}/audit',
      ),
      section('Search', 'One search across all resources of a store.', `${store}/search`),
      section('Sign-in', 'Accounts: registration, sign-in and passwords.', '/api/auth', '/api/demo'),
      section(
        'Your account',
        'Your sessions, your second factor, and the deletion of your account.',
        '/api/me',
      ),
      section(
        'System',
        'This document, and the health of the system.',
        '/',
        '/openapi.json',
        '/docs',
        '/healthz',
      ),
    ],
  },
];

const longestPathsFirst = apiSections
  .flatMap(({ sections }) => sections)
  .flatMap(({ name, paths }) => paths.map((path) => ({ name, path })))
  .sort((a, b) => b.path.length - a.path.length);

const storePath = /^\/api\/stores\/\{storeId\}\//;

/** Returns the name of the section that describes a path of the API; null if there is none. */
export function findApiSection(path: string): string | null {
  const candidatePaths = [path, path.replace(storePath, '/api/v1/')];
  const hasPrefix = (prefix: string) =>
    candidatePaths.some((candidate) =>
      prefix === '/' ? candidate === prefix : candidate.startsWith(prefix),
    );
  return longestPathsFirst.find((each) => hasPrefix(each.path))?.name ?? null;
}

/** The introduction of the API document; the guides next to the reference contain the rest. */
export const apiInfo = {
  title: 'Waybill',
  version: '1',
  summary: 'The back end of a store and site builder.',
  description: `Every resource is available at two paths. Integrations of a store use \`/api/v1\` with an API key (\`wbk_…\`)
or an app token (\`wba_…\`), each of which belongs to one store. People use \`/api/stores/{storeId}\` with a user's access
token, and their role in the store takes the place of scopes.

Every error is \`{ error, code }\`; branch on the code. Lists take \`limit\` (50 by default, at most 200) and \`after\`,
the \`nextCursor\` of the previous page. Retries with the same \`Idempotency-Key\` perform a write only once. \`If-Match\`
changes a resource only if it has not changed since you read it. \`Prefer: handling=strict\` rejects unknown fields. A
PUT with \`If-None-Match: *\` writes only if nothing exists yet. \`RateLimit\` reports the remaining requests of a
credential.

The guides at [/docs](/docs) start with a five-minute path to your first verified webhook call.`,
  contact: { name: 'Waybill' },
  license: { name: 'MIT', identifier: 'MIT' },
};
