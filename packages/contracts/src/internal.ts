import type { LineItem } from './orders.ts';

/** What services answer each other on internal routes. The caller's store always comes first. */

/** identity: `GET /internal/stores/{storeId}`, `GET /internal/store-slugs/{slug}` → `{ store }`. */
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
  | { outcome: 'out_of_stock'; variants: { variantId: string; available: number }[] }
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

/** media: `POST /internal/assets/lookup { storeId, ids }` → `{ assets }`, without those that the store does not have. */
export interface AssetFacts {
  id: string;
  kind: 'image' | 'video' | 'font';
  contentType: string;
  /** Pixels; null unless it is an image whose size is known. */
  width: number | null;
  height: number | null;
}

/** app-platform: `GET /internal/stores/{storeId}/apps` → `{ apps }`: the installs that are available now. */
export interface InstalledApp {
  appId: string;
  versionId: string;
  versionNumber: number;
  /** Manifest blocks, as stored: `store-api.md 2.11`. */
  blocks: unknown[];
  islands: { name: string; moduleSha256: string }[];
}

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

/** content: `POST /internal/block-uses { storeId, appId }` → `{ uses: BlockUse[] }`, by the live pages. */
export interface BlockUse {
  blockKey: string;
  pages: { id: string; name: string }[];
}
