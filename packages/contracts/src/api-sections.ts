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
      section(
        'Products',
        'What a store sells: products with variants, prices and stock.',
        '/api/v1/products',
      ),
      section('Categories', 'Products in a tree, chosen one by one or by rules.', '/api/v1/categories'),
      section('Custom fields', 'Fields of your own on what a store has.', '/api/v1/custom-fields'),
      section(
        'Orders',
        'What was bought, how far payment and delivery are, and what was sent, refunded and returned.',
        '/api/v1/orders',
        '/api/v1/returns',
      ),
      section(
        'Payments',
        'What orders have been paid, and the methods that shoppers choose from.',
        '/api/v1/payments',
        '/api/v1/payment-sessions',
        `${store}/payment-methods`,
        `${store}/payment-reconciliation`,
        '/payments',
      ),
      section(
        'Documents',
        'Invoices, credit notes and packing slips, and how they are made.',
        `${store}/documents`,
      ),
      section(
        'Mails',
        'What customers are mailed of, in the words of the store.',
        `${store}/mail-templates`,
        `${store}/mail-settings`,
      ),
      section('Customers', 'Who bought, with addresses; their data on request.', '/api/v1/customers'),
      section(
        'Discounts',
        'Codes and automatic discounts, and how often they were used.',
        '/api/v1/discounts',
      ),
      section(
        'Taxes and shipping',
        'What an order costs: rates by country, zones, and quotes.',
        `${store}/taxes`,
        `${store}/shipping`,
        `${store}/quotes`,
      ),
      section('Storefront', 'For shop fronts of your own: no credential, any origin.', '/storefront'),
      section('Reports', 'Sales over time, and what sells best.', `${store}/reports`),
    ],
  },
  {
    name: 'Publish',
    sections: [
      section('Pages', 'A site’s pages: their documents, drafts, history and publishing.', '/api/v1/pages'),
      section('Sections', 'Parts that several pages share.', `${store}/sections`),
      section(
        'Editor',
        'What pages can be made of: elements, controls, the blocks of installed apps.',
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
      section('Forms', 'What visitors have sent with the forms of pages.', '/api/v1/form-submissions'),
      section('Live pages', 'What visitors get.', '/s/', '/media/', '/assets/', '/islands/', '/app-icons/'),
    ],
  },
  {
    name: 'Follow events',
    sections: [
      section('Webhooks', 'Signed calls of yours for what happens in a store.', '/api/v1/webhooks'),
      section(
        'Events',
        'The log of all that happened, to read or to follow.',
        '/api/v1/events',
        '/api/v1/event-types',
      ),
    ],
  },
  {
    name: 'Extend',
    sections: [
      section('App data', 'Values of an app that its blocks show.', '/api/v1/app-data'),
      section(
        'Apps',
        'Make an app: its versions with blocks and islands, its webhook, its secrets.',
        '/api/orgs/{orgId}/apps',
        '/schemas/',
      ),
      section('Organisations', 'Who makes apps: members, invitations, development stores.', '/api/orgs'),
      section('App directory', 'Find apps to install.', '/api/apps'),
      section('Installed apps', 'The apps of a store: consent, rollback, disabling.', `${store}/apps`),
      section('OAuth', 'How an app gets a merchant’s consent and its tokens.', '/oauth/', '/.well-known/'),
      section('Review', 'For reviewers of apps.', '/api/review'),
    ],
  },
  {
    name: 'Manage',
    sections: [
      section('Stores', 'Stores, and what is to be known of one.', '/api/v1/store', '/api/stores'),
      section(
        'Members',
        'Who works in a store, in which role.',
        `${store}/members`,
        `${store}/invitations`,
        '/api/invitations',
      ),
      section('API keys', 'Credentials of a store’s own tools.', `${store}/api-keys`),
      section('Audit', 'Who changed what, and when.', `${store}/audit`, '/api/orgs/{orgId}/audit'),
      section('Search', 'One question over everything in a store.', `${store}/search`),
      section('Sign-in', 'Accounts: registering, signing in, passwords.', '/api/auth', '/api/demo'),
      section('Your account', 'You: sessions, second factor, leaving.', '/api/me'),
      section(
        'System',
        'This document, and whether the system is ready.',
        '/',
        '/openapi.json',
        '/docs',
        '/healthz',
      ),
    ],
  },
];

const byLength = apiSections
  .flatMap(({ sections }) => sections)
  .flatMap(({ name, paths }) => paths.map((path) => ({ name, path })))
  .sort((a, b) => b.path.length - a.path.length);

const storePath = /^\/api\/stores\/\{storeId\}\//;

/** Returns the name of the section that describes a path of the API; null if there is none. */
export function apiSectionOf(path: string): string | null {
  const doors = [path, path.replace(storePath, '/api/v1/')];
  const isIn = (prefix: string) =>
    doors.some((door) => (prefix === '/' ? door === prefix : door.startsWith(prefix)));
  return byLength.find((each) => isIn(each.path))?.name ?? null;
}

/** The introduction of the API document; the guides next to the reference contain the rest. */
export const apiInfo = {
  title: 'Waybill',
  version: '1',
  summary: 'The back end of a store and site builder.',
  description: `Every resource has two doors. Tools of a store ask below \`/api/v1\` with an API key (\`wbk_…\`) or an app
token (\`wba_…\`), which say which store is meant. People ask below \`/api/stores/{storeId}\` with a user's access token,
and their role there stands in place of scopes.

Every refusal is \`{ error, code }\`: go by the code. Lists take \`limit\` (50, at most 200) and \`after\`, the
\`nextCursor\` of the page before. An \`Idempotency-Key\` makes a write once, however often it is sent; \`If-Match\`
changes only what was read, \`Prefer: handling=strict\` refuses fields that nobody knows, a PUT with \`If-None-Match: *\` makes only what is not there. \`RateLimit\` says how much
a credential may still ask.

The guides at [/docs](/docs) begin with five minutes from nothing to a verified webhook call.`,
  contact: { name: 'Waybill' },
  license: { name: 'MIT', identifier: 'MIT' },
};
