import Type, { type Static } from 'typebox';

/**
 * How many rows of a kind a store may have, `decisions.md 19.13`: the one list of them. By the envelope's key of 1.4 where
 * there is one. What is not here is bounded by something that is (translations of pages, variants of products, values of
 * apps), by bytes (media, kept answers), or by rate and age (orders, form submissions, events, deliveries, audit entries,
 * mails, sessions).
 */
export const storeLimits = {
  products: 1_000_000,
  categories: 10_000,
  /** Products in categories of rules, each as often as it is in one. */
  ruleMembers: 10_000_000,
  /** Of those that the API makes; a checkout is never refused. */
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
  paymentMethods: 100,
  formerSlugs: 10_000,
  apps: 10_000,
} as const;
export type LimitName = keyof typeof storeLimits | 'media';

/** What a person, an organisation or an app may have of a kind. */
export const ownerLimits = {
  /** Of a person, as their owner. */
  stores: 10_000,
  orgs: 10_000,
  /** Of an organisation. */
  orgMembers: 10_000,
  apps: 10_000,
  developmentStores: 1_000,
  /** Of an app: drafts and submitted versions. */
  openVersions: 1_000,
  /** Of an app, in whatever state. */
  versions: 10_000,
} as const;

export const StoreLimit = Type.Object(
  {
    name: Type.String({
      description: 'What is counted, as lists of it call it. `media` is in bytes, trashed files included.',
      examples: ['products'],
    }),
    used: Type.Integer({ minimum: 0, examples: [128] }),
    limit: Type.Integer({ minimum: 0, examples: [1_000_000] }),
  },
  { $id: 'StoreLimit' },
);
export type StoreLimit = Static<typeof StoreLimit> & { name: LimitName };

/** Limits of the table with how much of each is used. */
export const limitsOf = (used: Readonly<Partial<Record<keyof typeof storeLimits, number>>>): StoreLimit[] =>
  (Object.entries(used) as [keyof typeof storeLimits, number][]).map(([name, count]) => ({
    name,
    used: count,
    limit: storeLimits[name],
  }));
