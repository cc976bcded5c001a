import Type, { type Static } from 'typebox';

/**
 * Maximum number of rows of each kind in a store, `decisions.md 19.13`: the only list of these limits. The keys are the
 * envelope's of 1.4 where one exists. Everything else is limited by one of these (translations of pages, variants of
 * products, values of apps), by bytes (media, stored answers), or by rate and age (orders, form submissions, events,
 * deliveries, audit entries, mails, sessions).
 */
export const storeLimits = {
  products: 1_000_000,
  categories: 10_000,
  /** Products in categories with rules, each counted once for each of its categories. */
  ruleMembers: 10_000_000,
  /** Customers that the API creates; a checkout is never refused. */
  customers: 10_000_000,
  discounts: 10_000,
  pages: 10_000,
  sections: 10_000,
  articles: 1_000_000,
  blogCategories: 10_000,
  translations: 5_000_000,
  mediaFolders: 10_000,
  webhooks: 50,
  apiKeys: 10_000,
  members: 10_000,
  invitations: 10_000,
  domains: 10_000,
  paymentMethods: 10_000,
  formerSlugs: 10_000,
  apps: 10_000,
} as const;
export type LimitName = keyof typeof storeLimits | 'media';

/** Maximum number of rows of each kind for a person, an organisation or an app. */
export const ownerLimits = {
  /** For a person who owns them. */
  stores: 10_000,
  orgs: 10_000,
  /** For an organisation. */
  orgMembers: 10_000,
  apps: 10_000,
  developmentStores: 10_000,
  /** For an app: drafts and submitted versions. */
  openVersions: 1_000,
  /** For an app, in any state. */
  versions: 10_000,
} as const;

export const StoreLimit = Type.Object(
  {
    name: Type.String({
      description:
        'The counted resource, named as in its list. `media` is in bytes and includes trashed files.',
      examples: ['products'],
    }),
    used: Type.Integer({ minimum: 0, examples: [128] }),
    limit: Type.Integer({ minimum: 0, examples: [1_000_000] }),
  },
  { $id: 'StoreLimit' },
);
export type StoreLimit = Static<typeof StoreLimit> & { name: LimitName };

/** Returns limits of the table with the used number of each. */
export const toStoreLimits = (
  used: Readonly<Partial<Record<keyof typeof storeLimits, number>>>,
): StoreLimit[] =>
  (Object.entries(used) as [keyof typeof storeLimits, number][]).map(([name, count]) => ({
    name,
    used: count,
    limit: storeLimits[name],
  }));
