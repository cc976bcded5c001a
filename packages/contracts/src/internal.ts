import type { OrderDocument } from './documents.ts';
import type { Problem } from './errors.ts';
import type { Fulfillment, OrderUnits } from './fulfillments.ts';
import type { Address, CheckoutSettings, LineItem, Order } from './orders.ts';
import type { AnnouncedMethod, MoneyState } from './payments.ts';
import type { Permission } from './permissions.ts';
import type { Quote, RejectedCode } from './pricing.ts';
import type { FocalPoint } from './resources.ts';
import type { Return } from './returns.ts';

/** What services answer each other on internal routes. The caller's store always comes first. */

/** identity: `GET /internal/stores/{storeId}`, `GET /internal/store-slugs/{slug}`. */
export interface StoreReply {
  store: StoreFacts;
  checkout: CheckoutSettings;
  /** The organisation whose development store it is; null: of none. */
  orgId: string | null;
}
export interface StoreFacts {
  id: string;
  name: string;
  slug: string;
  /** ISO 4217. */
  currency: string;
  /** What it is shown in, its default first; null: it has not said. */
  locales: string[] | null;
  /** Whether it is an organisation's, to try apps in: `decisions.md 14.3`. */
  isDevelopment: boolean;
  /** Of the picture that browsers show beside the titles of its pages; null or not there: it has none. */
  faviconMediaId?: string | null;
}

/** identity: `POST /internal/users/lookup { email }` → `{ user }`; 404: no user has that address. */
export interface UserFacts {
  id: string;
  /** Lower-case. */
  email: string;
  name: string;
  /** Whether the address is verified. */
  isVerified: boolean;
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

/** What the price of a line depends on beside its variant's price: `decisions.md 21`. */
export interface LineFacts {
  /** Of the variant, by the name of the option. */
  options: Record<string, string>;
  tags: string[];
  taxCategory: string;
  categoryIds: string[];
  weightGrams: number | null;
  requiresShipping: boolean;
  compareAtCents: number | null;
}

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
  /** `facts` are of the same lines, in their order. */
  | { outcome: 'reserved'; lines: LineItem[]; facts: LineFacts[] }
  /** Those of which there is less than was asked for, and whether any is left: how much, no shopper is to learn. */
  | { outcome: 'out_of_stock'; variants: { variantId: string; available: boolean }[] }
  /** Variants that are unknown or not for sale, and why. */
  | { outcome: 'refused'; problems: { variantId: string; message: string }[] }
  | { outcome: 'expired' };

/**
 * catalog: `POST /internal/reservations/release { storeId, orderId }`: puts back what was reserved for an order that is
 * sure never to be written.
 */
export interface ReservationRelease {
  storeId: string;
  orderId: string;
}

/**
 * catalog: `POST /internal/shop/cart { storeId, variantIds, quantities }` (`maxCartLines` at most) → `{ variants, gone }`: those
 * that are for sale, and those that are not any more, in no order.
 */
export interface CartVariant extends Partial<LineFacts> {
  variantId: string;
  productId: string;
  productName: string;
  /** Of the product. */
  slug: string;
  /** Empty: the product's only one may have none. */
  variantName: string;
  priceCents: number;
  isAvailable: boolean;
  /** Whether there are as many as were asked for: not how many there are. */
  isEnough?: boolean;
  /** The variant's own picture, else the product's first; null: there is none. */
  mediaId?: string | null;
}

/** A variant that is not for sale any more: its product is off sale or deleted, or it alone was deleted. */
export interface GoneVariant extends Pick<CartVariant, 'variantId' | 'productName' | 'variantName'> {
  reason: 'offSale' | 'deleted' | 'variantDeleted';
}

/** How many variants an order, and so a cart, may name. */
export const maxCartLines = 100;

/** orders: `POST /internal/checkouts PageCheckout` → a CheckoutOutcome: what a store's own page places an order with. */
export interface PageCheckout {
  storeId: string;
  /** Of the form: the same key is the same order. */
  key: string;
  /** Whose limit it counts against: the visitor's address. */
  address: string;
  checkout: {
    items: { variantId: string; quantity: number }[];
    customer: { name: string; email: string; phone: string | null; shippingAddress: Partial<Address> };
    discountCodes?: string[];
    shippingRateId?: string;
    vatId?: string;
    locale?: string;
    /** What the page showed; less is accepted. */
    expectedTotalCents?: number;
    paymentMethodId?: string;
  };
  /** The locale in the page's address, where it has one. */
  pageLocale?: string;
  /** Only to end what this form has begun: the page has something to tell the visitor before anything new is ordered. */
  onlyBegun?: true;
}
export type CheckoutOutcome =
  /** `redirectUrl`: where the shopper pays; null: nowhere, or it is not known yet. */
  | { outcome: 'placed'; token: string; redirectUrl?: string | null }
  /** Under the key nothing was begun, and nothing was to be. */
  | { outcome: 'not_begun' }
  /** By its code, as `POST /storefront/{storeId}/orders` refuses it; `variants` are those of `out_of_stock`. */
  | {
      outcome: 'refused';
      code: string;
      details: Problem[];
      variants: { variantId: string; available: boolean }[];
      /** Of `total_changed`. */
      quote?: Quote;
      /** Of `discount_rejected`. */
      rejectedCodes?: RejectedCode[];
    };

/** orders: `POST /internal/quotes PageQuote` → QuotedCart: what a cart on a store's own page costs. */
export interface PageQuote {
  storeId: string;
  items: { variantId: string; quantity: number }[];
  discountCodes?: string[];
  country?: string;
  region?: string;
  postalCode?: string;
  shippingRateId?: string;
  vatId?: string;
}
export interface QuotedCart {
  /** Null: `problem` says why it has no price there. */
  quote: Quote | null;
  problem: 'no_shipping' | 'invalid_shipping_rate' | 'invalid_vat_id' | null;
  displayNote: string;
  /** Whether a business can give its VAT id, and owe the tax itself. */
  takesVatId: boolean;
  /** Whether the store has discount codes. */
  takesCodes: boolean;
  homeCountry: string | null;
  /** Where the store sends to; null: everywhere, or it has no zones. */
  countries: string[] | null;
  /** By which it can be paid there; empty: the store asks for none. */
  paymentMethods?: ChoosableMethod[];
  /** From how much on the cheapest rate that is no pickup costs nothing there; null: never, or the country is not known. */
  freeFromCents: number | null;
}

/** orders: `POST /internal/receipts/read { storeId, token }` → a ShownReceipt; 404: the token is no order's. */
export interface ShownReceipt {
  order: Receipt;
  /** How it is paid; not there or null: by nothing that a shopper chose. */
  payment?: ShownPayment | null;
  /** The ways in which it can be paid now; empty: nothing is to be paid. */
  paymentMethods?: ChoosableMethod[];
  /** Null: the order has none, or whoever placed it was erased. */
  shippingAddress: Address | null;
}
/**
 * orders: `POST /internal/order-pages/read { storeId, token }` → an OrderPage: what the page of an order shows of the time
 * after the sale; 404: the token is no order's.
 */
export interface OrderPage {
  /** Without those that were cancelled. */
  fulfillments: Fulfillment[];
  documents: OrderDocument[];
  returns: Return[];
  /** What the shopper may ask to send back now. */
  returnable: OrderUnits[];
}

/**
 * orders: `POST /internal/order-pages/returns ReturnAsked` → `{ refusal }`: null, or the code by which
 * `POST /storefront/{storeId}/orders/{token}/returns` refuses it.
 */
export interface ReturnAsked {
  storeId: string;
  token: string;
  kind: Return['kind'];
  lines: (OrderUnits & { reason: string | null })[];
  /** The shopper's. */
  address: string;
}

/** How a shopper pays an order, as the page of the order shows it. */
export interface ShownPayment {
  id: string;
  status: MoneyState;
  redirectUrl: string | null;
  /** What the shopper chose, as it was called then. */
  name: string;
  /** What the shopper has to do. */
  instructions: string;
  /** Whether the provider does not know yet what comes of it, as with a bank debit. */
  isUnderWay: boolean;
  /** Whether the provider has declined what the shopper has tried last. */
  isDeclined: boolean;
  isTest: boolean;
  /** Whether the shopper pays without a provider, as the instructions say. */
  isManual: boolean;
}
/** A payment method as a shopper chooses it. */
export type ChoosableMethod = Pick<AnnouncedMethod, 'id' | 'name' | 'provider' | 'instructions' | 'isTest'>;
export type Receipt = Omit<Order, 'id' | 'customerId' | 'customer' | 'vatId' | 'updatedAt'>;

/**
 * orders: `POST /internal/receipts/of-orders { orders: [{ storeId, orderId }] }` → `{ receipts }`, in the same order: what
 * mails tell of each, null of one that is not there. Of 100 at most.
 */
export interface MailedReceipts {
  receipts: (MailedReceipt | null)[];
}
export interface MailedReceipt {
  order: Receipt;
  token: string | null;
  /** Empty texts: whoever placed it was erased. */
  customer: { name: string; email: string };
}

/** What a mail to a customer is about, besides its order. */
export type MailedPart = { kind: 'fulfillment' | 'refund' | 'return' | 'document'; id: string } | null;

/**
 * orders: `POST /internal/mailed-orders { orders: [{ storeId, orderId, part }] }` → `{ orders }`, in the same order; null of
 * one that is not there, or whose part is not. `decisions.md 23.7`.
 */
export interface MailedOrders {
  orders: (MailedOrder | null)[];
}
export interface MailedOrder {
  /** As the API shows it. Its customer has no e-mail address: whoever placed it was erased. */
  order: Order;
  token: string | null;
  /** As the API shows it, by its kind. */
  part: object | null;
  /** Whether its customer is to be mailed of the part. */
  notifies: boolean;
  /** Whether a payment provider took money for it. */
  isPaidAtProvider: boolean;
}

/**
 * orders: `POST /internal/documents/branding { storeId }` → how a store's documents and mails look. `logo`: a PNG in base64;
 * null: there is none.
 */
export interface Branding {
  logo: string | null;
}

/**
 * content: `POST /internal/theme-colors { storeId }` → the colours of the store's live theme; null: it has none.
 */
export interface ThemeColors {
  colors: Readonly<Record<string, string>> | null;
}

/**
 * orders: `POST /internal/orders/settle { orders: [{ storeId, orderId }] }` → `{ placed }`, in the same order: whether
 * it has been placed. One that has not been never will be from then on.
 */
export interface Settlement {
  placed: boolean[];
}

/**
 * Any service that keeps something of a store's customers: `POST <its route> KeptAsked` → a page of it as `KeptPage`, as
 * it stands in the customer's export. webhooks: `POST /internal/customer-events`, content:
 * `POST /internal/customer-form-submissions`.
 */
export interface KeptAsked {
  storeId: string;
  customerId: string;
  /** Of the customer and of their orders, in lower case. */
  emails: string[];
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

/** What a version of an app contributes to pages. Once it is approved it never changes. */
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
  /**
   * In development stores: nobody has reviewed the version. What it contributes may be another at the next question, and
   * its modules are at `developmentIslandPath`.
   */
  isUnreviewed?: true;
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

/** A document that shows a block: the block stands in it, or in a section that it holds, at any depth. */
export interface BlockPlace {
  type: 'page' | 'article' | 'section' | 'template';
  /** Of a template `tpl_` and its kind, which its name is. */
  id: string;
  name: string;
  /** Whether visitors see it there; of a section: on a live page, in an article or a template. */
  live: boolean;
  /** Whether what is saved and not published shows it. */
  draft: boolean;
  /** The versions of the app that what visitors see was made with; none while the app was not available. */
  versionIds: string[];
}

/** How many places of each kind are told of a block. */
export const mostBlockPlaces = 500;

/**
 * content: `POST /internal/block-uses { storeId, appId, blockKeys? }` → `{ uses: BlockUse[] }`: of each of these blocks, and
 * of every other block of the app that a live page refers to, where it stands, if it does anywhere.
 */
export interface BlockUse {
  blockKey: string;
  /** The live pages, and after them the live articles. */
  pages: { id: string; name: string }[];
  places: BlockPlace[];
  /** Whether there are more places of a kind than are told. */
  hasMore: boolean;
}

/** content: `POST /internal/block-renderings { appId, block }` → BlockRendering: as the canvas shows it, with sample values. */
export interface BlockRendering {
  html: string;
  css: string;
}

/**
 * webhooks: `POST /internal/app-secrets AppSecret`: what calls of an app are signed with from now on. Asked twice it comes
 * to the same. Whoever asks sees to it that no two do so for one app at a time.
 */
export interface AppSecret {
  appId: string;
  /** Where the app is called, as of `revision` (see `AppWebhookChanged`); null: nowhere. */
  url: string | null;
  revision: number;
  /** `whsec_…` */
  secret: string;
  /** Until when calls are signed with the one before as well, RFC 3339; null: they are not. */
  previousExpiresAt: string | null;
}
