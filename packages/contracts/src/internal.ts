import type { CheckoutSettings, LineItem } from './orders.ts';
import type { Permission } from './permissions.ts';
import type { FocalPoint } from './resources.ts';

/** What services answer each other on internal routes. The caller's store always comes first. */

/** identity: `GET /internal/stores/{storeId}`, `GET /internal/store-slugs/{slug}`. */
export interface StoreReply {
  store: StoreFacts;
  checkout: CheckoutSettings;
}
export interface StoreFacts {
  id: string;
  name: string;
  slug: string;
  /** ISO 4217. */
  currency: string;
  /** What it is shown in, its default first; null: it has not said. */
  locales: string[] | null;
}

/** identity: `POST /internal/users/lookup { email }` → `{ user }`; 404: no user has that address. */
export interface UserFacts {
  id: string;
  /** Lower-case. */
  email: string;
  name: string;
}

/** identity: `POST /internal/users/names { ids }` → `{ users }`, at most 200, without those that are gone. */
export type UserName = Pick<UserFacts, 'id' | 'name'>;

/**
 * app-platform: `POST /internal/org-invitations/accept { orgId, invitationId, userId, email }`: makes the user, whose
 * verified address that is, a member. 404: there is no such invitation for that address. The same user may ask again.
 */
export interface OrgMembership {
  org: { id: string; name: string };
  role: string;
}

/**
 * app-platform: `POST /internal/org-members/sole-ownerships { userId }`: the organisations with other members, 100 at
 * most, of which the user is the only owner.
 */
export interface SoleOwnerships {
  orgIds: string[];
}

/** app-platform: `POST /internal/orgs/of-user { userId }`: where a user is a member, the first 100 by their ids. */
export interface OrgsOfUser {
  orgs: { id: string; name: string; role: 'owner' | 'developer' }[];
  /** Whether there are more. */
  hasMore: boolean;
}

/** Somebody who acts in a store: an API key, a user or an app, by its id. */
export interface Holder {
  storeId: string;
  id: string;
}

/**
 * What a holder may do in its store at present: of a key what its scopes and its creator's role allow, also when it
 * is revoked; of a user what its role allows; of an app what is granted to it, or null where it is not available.
 *
 * identity, of keys and users: `POST /internal/rights/lookup { holders: Holder[] }`; app-platform, of apps:
 * `POST /internal/app-rights/lookup { holders: Holder[] }` → `{ rights: Rights[] }`, in the same order.
 */
export type Rights = readonly Permission[] | null;

/** How many holders one look-up may name. */
export const maxHolders = 1000;

/**
 * catalog: `POST /internal/reservations { storeId, orderId, expiresAt, items }` → a Reservation: the stock of all
 * items, or nothing. The same order may ask again and gets the same answer, until `expiresAt` (RFC 3339).
 */
export interface ReservationRequest {
  storeId: string;
  orderId: string;
  expiresAt: string;
  /** Each variant once. */
  items: { variantId: string; quantity: number }[];
}
export type Reservation =
  | { outcome: 'reserved'; lines: LineItem[] }
  /** Those of which there is less than was asked for, and whether any is left: how much, no shopper is to learn. */
  | { outcome: 'out_of_stock'; variants: { variantId: string; available: boolean }[] }
  /** Variants that are unknown or not for sale, and why. */
  | { outcome: 'refused'; problems: { variantId: string; message: string }[] }
  | { outcome: 'expired' };

/**
 * orders: `POST /internal/orders/settle { orders: [{ storeId, orderId }] }` → `{ placed }`, in the same order: whether
 * it has been placed. One that has not been never will be from then on.
 */
export interface Settlement {
  placed: boolean[];
}

/**
 * Any service that keeps something of a store's customers: `POST <its route> KeptAsked` → a page of it as `KeptPage`, as
 * it stands in the customer's export. webhooks: `POST /internal/customer-events`.
 */
export interface KeptAsked {
  storeId: string;
  customerId: string;
  /** The `next` of the page before; null: from the beginning. */
  after: string | null;
}
export interface KeptPage {
  items: unknown[];
  /** Null: that was all. */
  next: string | null;
}

/** media: `POST /internal/assets/lookup { storeId, ids }` → `{ assets }`, without those that the store does not have. */
export interface AssetFacts {
  id: string;
  kind: 'image' | 'video' | 'font';
  contentType: string;
  /** Pixels; null unless it is an image whose size is known. */
  width: number | null;
  height: number | null;
  /** Empty: it has none. */
  alt: string;
  focalPoint: FocalPoint | null;
}

/** What a version of an app contributes to pages. Once it is submitted it never changes. */
export interface AppManifest {
  /** Manifest blocks, as stored: `store-api.md 2.11`. */
  blocks: unknown[];
  islands: { name: string; moduleSha256: string }[];
  /** Where its islands may connect to beside the page's own origin. */
  connectOrigins: string[];
}

/** An app that is available in a store. */
export interface InstalledApp extends AppManifest {
  appId: string;
  appName: string;
  versionId: string;
  versionNumber: number;
  /** Greater after each choice of a version by the merchant; the same when a version came by itself. */
  choice: number;
}

/**
 * app-platform: `GET /internal/stores/{storeId}/apps?known=ver_…,ver_…` → `{ apps }`: the installs that are available now.
 * The manifest may be left out of those whose version the caller knows already.
 */
export type InstalledAppReply = Omit<InstalledApp, keyof AppManifest> & Partial<AppManifest>;

/** app-platform: `POST /internal/app-data/lookup { storeId, values: AppDataName[] }` → `{ values: AppDataFact[] }`. */
export interface AppDataName {
  appId: string;
  key: string;
  owner: 'site' | 'product';
  /** A product's id; null for the site's. */
  ownerId: string | null;
}
export interface AppDataFact extends AppDataName {
  value: string;
}

/** content: `POST /internal/block-uses { storeId, appId }` → `{ uses: BlockUse[] }`, by the live pages; articles come last. */
export interface BlockUse {
  blockKey: string;
  pages: { id: string; name: string }[];
}
