import type { OrderDocument } from './documents.ts';
import type { Problem } from './errors.ts';
import type { FormSubmission } from './forms.ts';
import type { Fulfillment, OrderUnits } from './fulfillments.ts';
import type { Address, CheckoutSettings, LineItem, Order } from './orders.ts';
import type { AnnouncedMethod, MoneyState } from './payments.ts';
import type { Permission } from './permissions.ts';
import type { Quote, RejectedCode } from './pricing.ts';
import type { FocalPoint, ProductOption } from './resources.ts';
import type { Return } from './returns.ts';

/** The requests and answers of internal routes between services. The caller's store always comes first. */

/** identity: `GET /internal/stores/{storeId}`, `GET /internal/store-slugs/{slug}`. */
export interface StoreReply {
  store: StoreFacts;
  checkout: CheckoutSettings;
  /** The organisation that owns this development store; null for other stores. */
  orgId: string | null;
}
export interface StoreFacts {
  id: string;
  name: string;
  slug: string;
  /** ISO 4217. */
  currency: string;
  /** The languages in which it is shown, its default first; null if it has not set any. */
  locales: string[] | null;
  /** Whether it is a development store of an organisation, for testing apps: `decisions.md 14.3`. */
  isDevelopment: boolean;
  /** The picture that browsers show next to the titles of its pages; null or missing if it has none. */
  faviconMediaId?: string | null;
}

/** identity: `POST /internal/users/lookup { email }` → `{ user }`; 404 if no user has that address. */
export interface UserFacts {
  id: string;
  /** Lower-case. */
  email: string;
  name: string;
  /** Whether the address is verified. */
  isVerified: boolean;
}

/** identity: `POST /internal/users/names { ids }` → `{ users }`, for at most 200 ids, without deleted users. */
export type UserName = Pick<UserFacts, 'id' | 'name'>;

/**
 * app-platform: `POST /internal/org-invitations/accept { orgId, invitationId, userId, email }` makes the user a member;
 * `email` is the user's verified address. 404: no such invitation exists for that address. The same user may repeat the
 * request.
 */
export interface OrgMembership {
  org: { id: string; name: string };
  role: string;
}

/**
 * app-platform: `POST /internal/org-members/sole-ownerships { userId }` returns the organisations with other members
 * whose only owner is the user, at most 100.
 */
export interface SoleOwnerships {
  orgIds: string[];
}

/**
 * app-platform: `POST /internal/orgs/of-user { userId }` returns the organisations of a user, the first 100 by their
 * ids.
 */
export interface OrgsOfUser {
  orgs: { id: string; name: string; role: 'owner' | 'developer' }[];
  /** Whether there are more. */
  hasMore: boolean;
}

/** An actor in a store: an API key, a user or an app, by its id. */
export interface Holder {
  storeId: string;
  id: string;
}

/**
 * The current rights of a holder in its store. For a key, they are what its scopes and its creator's role allow, even
 * if it is revoked; for a user, what the role allows; for an app, what is granted to it, or null if it is not
 * available.
 *
 * identity, for keys and users: `POST /internal/rights/lookup { holders: Holder[] }`; app-platform, for apps: `POST
 * /internal/app-rights/lookup { holders: Holder[] }` → `{ rights: Rights[] }`, in the same order.
 */
export type Rights = readonly Permission[] | null;

/** Maximum number of holders in one lookup. */
export const maxHolders = 1000;

/** The facts, besides the variant's price, on which the price of a line depends: `decisions.md 21`. */
export interface LineFacts {
  /** The options of the variant, by name. */
  options: Record<string, string>;
  tags: string[];
  taxCategory: string;
  categoryIds: string[];
  weightGrams: number | null;
  requiresShipping: boolean;
  compareAtCents: number | null;
}

/**
 * catalog: `POST /internal/reservations { storeId, orderId, expiresAt, items }` → a Reservation: reserves the stock of
 * all items, or nothing. The same order may repeat the request and gets the same answer, until `expiresAt` (RFC 3339).
 */
export interface ReservationRequest {
  storeId: string;
  orderId: string;
  expiresAt: string;
  /** Each variant once. */
  items: { variantId: string; quantity: number }[];
}
export type Reservation =
  /** `facts` belong to the same lines, in their order. */
  | { outcome: 'reserved'; lines: LineItem[]; facts: LineFacts[] }
  /** The variants with too little stock, and whether any is left: shoppers must not learn the number. */
  | { outcome: 'out_of_stock'; variants: { variantId: string; available: boolean }[] }
  /** Variants that are unknown or not for sale, with the reason. */
  | { outcome: 'refused'; problems: { variantId: string; message: string }[] }
  | { outcome: 'expired' };

/**
 * catalog: `POST /internal/reservations/release { storeId, orderId }` returns the reserved stock of an order that will
 * certainly never be written.
 */
export interface ReservationRelease {
  storeId: string;
  orderId: string;
}

/**
 * catalog: `POST /internal/shop/cart { storeId, variantIds, quantities }` (at most `maxCartLines`) → `{ variants, gone
 * }`: the variants that are for sale, and those that no longer are, in no particular order.
 */
export interface CartVariant extends Partial<LineFacts> {
  variantId: string;
  productId: string;
  productName: string;
  /** The slug of the product. */
  slug: string;
  /** Empty if the product's only variant has no name. */
  variantName: string;
  /** The options of the product if `variantName` consists of their values; otherwise empty. */
  titleOptions?: ProductOption[];
  priceCents: number;
  isAvailable: boolean;
  /** Whether the requested quantity is in stock; the number itself is not revealed. */
  isEnough?: boolean;
  /** The variant's own picture, or else the product's first; null if there is none. */
  mediaId?: string | null;
}

/** A variant that is no longer for sale: its product is off sale or deleted, or only the variant was deleted. */
export interface UnavailableVariant
  extends Pick<CartVariant, 'variantId' | 'productName' | 'variantName' | 'titleOptions' | 'options'> {
  /** Null if the variant was deleted. */
  productId?: string | null;
  reason: 'offSale' | 'deleted' | 'variantDeleted';
}

/** Maximum number of variants in an order, and so in a cart. */
export const maxCartLines = 100;

/** orders: `POST /internal/checkouts PageCheckout` → a CheckoutOutcome: a store's own page places an order. */
export interface PageCheckout {
  storeId: string;
  /** The key of the form: the same key means the same order. */
  key: string;
  /** The visitor's address, to whose limit the checkout counts. */
  address: string;
  checkout: {
    items: { variantId: string; quantity: number }[];
    customer: { name: string; email: string; phone: string | null; shippingAddress: Partial<Address> };
    discountCodes?: string[];
    shippingRateId?: string;
    vatId?: string;
    locale?: string;
    /** The total that the page showed; a lower one is accepted. */
    expectedTotalCents?: number;
    paymentMethodId?: string;
  };
  /** The locale in the page's address, if it has one. */
  pageLocale?: string;
  /**
   * Set to only finish a checkout that this form has begun: the page has to tell the visitor something before a new
   * order.
   */
  onlyBegun?: true;
}
export type CheckoutOutcome =
  /** `redirectUrl`: where the shopper pays; null if nowhere, or if it is not known yet. */
  | { outcome: 'placed'; token: string; redirectUrl?: string | null }
  /** No checkout was begun under the key, and none was requested. */
  | { outcome: 'not_begun' }
  /** Refused with the code of `POST /storefront/{storeId}/orders`; `variants` are those of `out_of_stock`. */
  | {
      outcome: 'refused';
      code: string;
      details: Problem[];
      variants: { variantId: string; available: boolean }[];
      /** For `total_changed`. */
      quote?: Quote;
      /** For `discount_rejected`. */
      rejectedCodes?: RejectedCode[];
    };

/** orders: `POST /internal/quotes PageQuote` → QuotedCart: the price of a cart on a store's own page. */
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
  /** Null if the cart has no price there; `problem` is the reason. */
  quote: Quote | null;
  problem: 'no_shipping' | 'invalid_shipping_rate' | 'invalid_vat_id' | null;
  displayNote: string;
  /** Whether a business can enter its VAT id and then owes the tax itself. */
  takesVatId: boolean;
  /** Whether the store has discount codes. */
  takesCodes: boolean;
  homeCountry: string | null;
  /** The countries to which the store ships; null if everywhere, or if it has no zones. */
  countries: string[] | null;
  /** The payment methods available there; empty if the store does not take payments. */
  paymentMethods?: ChoosableMethod[];
  /**
   * The amount from which the cheapest rate, except pickup, is free there; null if never, or if the country is unknown.
   */
  freeFromCents: number | null;
}

/** orders: `POST /internal/receipts/read { storeId, token }` → a ShownReceipt; 404 if no order has the token. */
export interface ShownReceipt {
  order: Receipt;
  /** The payment of the order; missing or null if the shopper chose no payment method. */
  payment?: ShownPayment | null;
  /** The methods that can pay it now; empty if nothing is due. */
  paymentMethods?: ChoosableMethod[];
  /** Null if the order has none, or if its customer was erased. */
  shippingAddress: Address | null;
}
/**
 * orders: `POST /internal/order-pages/read { storeId, token }` → an OrderPage: the part of an order's page about the
 * time after the sale; 404 if no order has the token.
 */
export interface OrderPage {
  /** Without cancelled ones. */
  fulfillments: Fulfillment[];
  documents: OrderDocument[];
  returns: Return[];
  /** The units that the shopper may ask to return now. */
  returnable: OrderUnits[];
}

/**
 * orders: `POST /internal/order-pages/returns ReturnRequest` → `{ refusal }`: null, or the code with which
 * `POST /storefront/{storeId}/orders/{token}/returns` refuses it.
 */
export interface ReturnRequest {
  storeId: string;
  token: string;
  kind: Return['kind'];
  lines: (OrderUnits & { reason: string | null })[];
  /** The shopper's address. */
  address: string;
}

/** The payment of an order, as the page of the order shows it to the shopper. */
export interface ShownPayment {
  id: string;
  status: MoneyState;
  redirectUrl: string | null;
  /** The name of the chosen method at that time. */
  name: string;
  /** The instructions for the shopper. */
  instructions: string;
  /** Whether the provider does not know the result yet, as with a bank debit. */
  isUnderWay: boolean;
  /** Whether the provider has declined the shopper's last attempt. */
  isDeclined: boolean;
  isTest: boolean;
  /** Whether the shopper pays without a provider, following the instructions. */
  isManual: boolean;
}
/** A payment method as a shopper chooses it. */
export type ChoosableMethod = Pick<AnnouncedMethod, 'id' | 'name' | 'provider' | 'instructions' | 'isTest'>;
export type Receipt = Omit<Order, 'id' | 'customerId' | 'customer' | 'vatId' | 'updatedAt'>;

/**
 * orders: `POST /internal/receipts/of-orders { orders: [{ storeId, orderId }] }` → `{ receipts }`, in the same order:
 * the data for mails about each, null for a missing order. At most 100.
 */
export interface MailedReceipts {
  receipts: (MailedReceipt | null)[];
}
export interface MailedReceipt {
  order: Receipt;
  token: string | null;
  /** Empty texts if the customer was erased. */
  customer: { name: string; email: string };
}

/**
 * The subject of a mail to a customer, besides the order. `at` is the instant of the change that the mail is about; the
 * previous version of identity does not send it.
 */
export type MailedPart = {
  kind: 'fulfillment' | 'refund' | 'return' | 'document';
  id: string;
  at?: string;
} | null;

/**
 * orders: `POST /internal/mailed-orders { orders: [{ storeId, orderId, part }] }` → `{ orders }`, in the same order;
 * null if the order or its part is missing. `decisions.md 23.7`.
 */
export interface MailedOrders {
  orders: (MailedOrder | null)[];
}
export interface MailedOrder {
  /** As the API shows it. Its customer has no e-mail address if the customer was erased. */
  order: Order;
  token: string | null;
  /** As the API shows it, by its kind. */
  part: object | null;
  /** Whether its customer gets a mail about this change of the part. */
  notifies: boolean;
  /** Whether a payment provider has taken money for it. */
  isPaidAtProvider: boolean;
}

/**
 * content: `POST /internal/mailed-form-submissions { submissions: [{ storeId, id }] }` → `{ values }`, in the same
 * order: what each submission contains, nothing after it was erased; null if it is missing. `decisions.md 23.7`.
 */
export interface MailedSubmissions {
  values: (FormSubmission['values'] | null)[];
}

/**
 * orders: `POST /internal/documents/branding { storeId }` → the branding of a store's documents and mails. `logo` is a
 * PNG in base64; null if there is none.
 */
export interface Branding {
  logo: string | null;
}

/** content: `POST /internal/theme-colors { storeId }` → the colours of the store's live theme; null if it has none. */
export interface ThemeColors {
  colors: Readonly<Record<string, string>> | null;
}

/**
 * orders: `POST /internal/orders/settle { orders: [{ storeId, orderId }] }` → `{ placed }`, in the same order: whether
 * each order has been placed. An order that has not been placed by then never will be.
 */
export interface Settlement {
  placed: boolean[];
}

/**
 * Every service that stores data about a store's customers: `POST <its route> CustomerDataQuery` → one page of it as a
 * `CustomerDataPage`, in the form of the customer's export. webhooks: `POST /internal/customer-events`, content: `POST
 * /internal/customer-form-submissions`.
 */
export interface CustomerDataQuery {
  storeId: string;
  customerId: string;
  /** The addresses of the customer and of their orders, in lower case. */
  emails: string[];
  /** The customer's newest orders. The previous version of orders does not send them. */
  orderIds?: string[];
  /** The `next` of the previous page; null for the first page. */
  after: string | null;
}
export interface CustomerDataPage {
  items: unknown[];
  /** Null after the last page. */
  next: string | null;
}

/**
 * media: `POST /internal/assets/lookup { storeId, ids }` → `{ assets }`, without those that the store does not have.
 */
export interface AssetFacts {
  id: string;
  kind: 'image' | 'video' | 'font';
  contentType: string;
  /** Pixels; null unless it is an image whose size is known. */
  width: number | null;
  height: number | null;
  /** Empty if it has none. */
  alt: string;
  focalPoint: FocalPoint | null;
}

/** The parts of a version of an app that appear on pages. Once a version is approved, they never change. */
export interface AppManifest {
  /** Manifest blocks, as stored: `store-api.md 2.11`. */
  blocks: unknown[];
  islands: { name: string; moduleSha256: string }[];
  /** Origins to which its islands may connect besides the page's own. */
  connectOrigins: string[];
}

/** An app that is available in a store. */
export interface InstalledApp extends AppManifest {
  appId: string;
  appName: string;
  versionId: string;
  versionNumber: number;
  /** Grows with each choice of a version by the merchant; stays the same when a version is installed automatically. */
  choice: number;
  /**
   * Set in development stores if nobody has reviewed the version. Its contributions may differ on the next request, and
   * its modules are at `developmentIslandPath`.
   */
  isUnreviewed?: true;
}

/**
 * app-platform: `GET /internal/stores/{storeId}/apps?known=ver_…,ver_…` → `{ apps }`: the apps that are available now.
 * The manifest may be left out for versions that the caller already knows.
 */
export type InstalledAppReply = Omit<InstalledApp, keyof AppManifest> & Partial<AppManifest>;

/** app-platform: `POST /internal/app-data/lookup { storeId, values: AppDataName[] }` → `{ values: AppDataFact[] }`. */
export interface AppDataName {
  appId: string;
  key: string;
  owner: 'site' | 'product';
  /** The id of a product; null for a value of the site. */
  ownerId: string | null;
}
export interface AppDataFact extends AppDataName {
  value: string;
}

/** A document that shows a block: the block is in it, or in a section that it contains, at any depth. */
export interface BlockPlacement {
  type: 'page' | 'article' | 'section' | 'template';
  /** For a template, `tpl_` and its kind, which is also its name. */
  id: string;
  name: string;
  /** Whether visitors see it there; for a section, on a live page, in an article or a template. */
  live: boolean;
  /** Whether the saved and unpublished state shows it. */
  draft: boolean;
  /** The versions of the app that rendered the content that visitors see; empty while the app was not available. */
  versionIds: string[];
}

/** Maximum number of places of each kind in an answer about a block. */
export const maxBlockPlacements = 500;

/**
 * content: `POST /internal/block-uses { storeId, appId, blockKeys? }` → `{ uses: BlockUse[] }`: the uses of each of
 * these blocks, and of every other block of the app that a live page refers to.
 */
export interface BlockUse {
  blockKey: string;
  /** The live pages, followed by the live articles. */
  pages: { id: string; name: string }[];
  places: BlockPlacement[];
  /** Whether a kind has more places than the answer contains. */
  hasMore: boolean;
}

/**
 * content: `POST /internal/block-renderings { appId, block }` → BlockRendering: the block as the canvas shows it, with
 * sample values.
 */
export interface BlockRendering {
  html: string;
  css: string;
}

/**
 * webhooks: `POST /internal/app-secrets AppSecret` sets the secret that signs calls of an app from now on. The request
 * may be repeated. The caller must ensure that only one request for an app runs at a time.
 */
export interface AppSecret {
  appId: string;
  /** The URL at which the app is called, as of `revision` (see `AppWebhookChanged`); null if it is not called. */
  url: string | null;
  revision: number;
  /** `whsec_…` */
  secret: string;
  /** Until when the previous secret signs calls as well, RFC 3339; null if it no longer does. */
  previousExpiresAt: string | null;
}
