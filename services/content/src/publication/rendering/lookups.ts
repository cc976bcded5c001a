import {
  ApiError,
  type AppDataFact,
  type AppDataName,
  type AppManifest,
  type AssetFacts,
  type InstalledApp,
  type InstalledAppReply,
  mediaPath,
  type ProductFacts,
  type ShopBrowse,
  type ShopFacet,
  type ShopList,
} from '@waybill/contracts';
import type { MediaFacts } from '@waybill/page';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../config.ts';
import type { SourceProduct } from './sources.ts';

/** A product as a page shows it, and the ids of its pictures. */
export interface FoundProduct {
  facts: SourceProduct;
  mediaIds: readonly string[];
}

/** A page of the products of a category or a search, and the filters among all of them. */
export interface FoundProductPage {
  products: FoundProduct[];
  total: number;
  facets: ShopFacet[];
}

/** Maximum number of items in one internal call. */
const batchSize = 500;
/** Number of versions that fit well into a URL. */
const maxKnownVersions = 100;
/** The widths in which media serves a picture. */
const widths = [320, 480, 640, 960, 1280, 1920];
const scalable = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/avif']);

/**
 * Looks up other services' data that a store's pages show. In the life of one object, each product, medium and the apps
 * are requested once. A service that is not part of the deployment has no data.
 * @throws resource_unavailable from every method, when a service is unavailable
 */
export class Lookups {
  readonly #peers: Context['peers'];
  readonly #storeId: string;
  #apps: Promise<ReadonlyMap<string, InstalledApp>> | undefined;

  constructor({ peers }: Pick<Context, 'peers'>, storeId: string) {
    this.#peers = peers;
    this.#storeId = storeId;
  }

  /** Returns the active products among these, by id. */
  readonly products = fetchOnce((ids) => this.#fetchProducts(ids));

  /** Returns the pictures and other files among these, by id. */
  readonly media = fetchOnce(async (ids) =>
    (await this.#fetchAssets(ids)).map((asset) => [asset.id, toMedia(this.#storeId, asset)] as const),
  );

  /** Returns the ids of the fonts among these assets. */
  async fonts(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const assets = await this.#fetchAssets(ids);
    return new Set(assets.filter(({ kind }) => kind === 'font').map(({ id }) => id));
  }

  /** Returns the apps that are available in the store, by id. */
  apps(): Promise<ReadonlyMap<string, InstalledApp>> {
    this.#apps ??= this.#fetchApps();
    return this.#apps;
  }

  /** Returns a page of a list's products, and their total number. */
  async shopList(list: Omit<ShopList, 'storeId'>): Promise<{ products: FoundProduct[]; total: number }> {
    const body: ShopList = { storeId: this.#storeId, ...list };
    const reply = await this.#call<{ products: ProductFacts[]; total: number }>(
      'catalog',
      '/internal/shop/products',
      body,
    );
    return { products: (reply?.products ?? []).map(toProduct), total: reply?.total ?? 0 };
  }

  /** Returns a page of the products in a category or for a search; null if the store has too many to search. */
  async browse(query: Omit<ShopBrowse, 'storeId'>): Promise<FoundProductPage | null> {
    const body: ShopBrowse = { storeId: this.#storeId, ...query };
    type Reply = { products: ProductFacts[]; total: number; facets: ShopFacet[] };
    try {
      const reply = await this.#call<Reply>('catalog', '/internal/shop/browse', body);
      if (!reply) return null;
      return { ...reply, products: reply.products.map(toProduct) };
    } catch (error) {
      if (error instanceof ApiError && error.code === 'resource_unavailable') return null;
      throw error;
    }
  }

  /** Returns the values of app data that exist among these. */
  async appValues(names: readonly AppDataName[]): Promise<AppDataFact[]> {
    const found: AppDataFact[] = [];
    for (const values of chunks(names)) {
      const body = { storeId: this.#storeId, values };
      const path = '/internal/app-data/lookup';
      const reply = await this.#call<{ values: AppDataFact[] }>('app-platform', path, body);
      found.push(...(reply?.values ?? []));
    }
    return found;
  }

  async #call<Reply>(service: string, path: string, body?: object): Promise<Reply | null> {
    if (!this.#peers.has(service)) return null;
    return this.#peers.call<Reply>(service, body ? 'POST' : 'GET', path, body);
  }

  async #fetchProducts(ids: readonly string[]) {
    // Live pages show only active products: `decisions.md 17.1`.
    const body = { storeId: this.#storeId, ids, status: 'active' };
    const path = '/internal/products/lookup';
    const reply = await this.#call<{ products: ProductFacts[] }>('catalog', path, body);
    return (reply?.products ?? []).map((product) => [product.id, toProduct(product)] as const);
  }

  async #fetchAssets(ids: readonly string[]): Promise<AssetFacts[]> {
    const body = { storeId: this.#storeId, ids };
    const reply = await this.#call<{ assets: AssetFacts[] }>('media', '/internal/assets/lookup', body);
    return reply?.assets ?? [];
  }

  /** Names the versions whose manifests are known, so that the reply need not contain them. */
  async #fetchApps(): Promise<ReadonlyMap<string, InstalledApp>> {
    const known = new Map(
      (versionsByStore.get(this.#storeId) ?? []).flatMap((id) => {
        const manifest = manifests.get(id);
        return manifest ? [[id, manifest] as const] : [];
      }),
    );
    const query = known.size > 0 ? `?known=${[...known.keys()].join()}` : '';
    const path = `/internal/stores/${this.#storeId}/apps${query}`;
    const reply = await this.#call<{ apps: InstalledAppReply[] }>('app-platform', path);
    const installed = (reply?.apps ?? []).map((app) => resolveManifest(app, known));
    versionsByStore.set(
      this.#storeId,
      installed.slice(0, maxKnownVersions).map(({ versionId }) => versionId),
    );
    return new Map(installed.map((app) => [app.appId, app]));
  }
}

/** Manifests by version. Unreviewed versions are left out, because they may still change. */
const manifests = new LRUCache<string, AppManifest>({
  maxSize: 64 * 1024 * 1024,
  sizeCalculation: (manifest) => JSON.stringify(manifest).length,
});
/** The versions of apps that a store had installed at the last request, by store. */
const versionsByStore = new LRUCache<string, readonly string[]>({ max: 10_000 });

function resolveManifest(app: InstalledAppReply, known: ReadonlyMap<string, AppManifest>): InstalledApp {
  const { blocks, islands, connectOrigins, ...install } = app;
  if (!blocks || !islands || !connectOrigins) return { ...install, ...known.get(app.versionId)! };
  const manifest = { blocks, islands, connectOrigins };
  if (!app.isUnreviewed) manifests.set(app.versionId, manifest);
  return { ...install, ...manifest };
}

/** Makes a look-up of several ids request each id only once. */
function fetchOnce<Fact>(fetchFacts: (ids: readonly string[]) => Promise<(readonly [string, Fact])[]>) {
  const known = new Map<string, Fact | undefined>();
  return async (ids: readonly string[]): Promise<ReadonlyMap<string, Fact>> => {
    for (const unknown of chunks(ids.filter((id) => !known.has(id)))) {
      const found = new Map(await fetchFacts(unknown));
      for (const id of unknown) known.set(id, found.get(id));
    }
    return new Map(
      ids.flatMap((id) => {
        const fact = known.get(id);
        return fact === undefined ? [] : [[id, fact] as const];
      }),
    );
  };
}

function* chunks<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let i = 0; i < items.length; i += batchSize) yield items.slice(i, i + batchSize);
}

/** Converts a product to the form that pages show. */
export function toProduct({
  id,
  name,
  slug,
  priceCents,
  options,
  variants,
  mediaIds,
  fields = {},
}: ProductFacts): FoundProduct {
  return {
    facts: {
      id,
      name,
      slug,
      priceCents,
      // Most products have no options, and their stored form stays as it was before options existed.
      ...(options?.length > 0 && { options }),
      variants: variants.map((variant) => ({
        id: variant.id,
        name: variant.name,
        priceCents: variant.priceCents,
        stock: variant.stock,
        ...(options?.length > 0 && { options: variant.options }),
        ...(variant.compareAtCents != null && { compareAtCents: variant.compareAtCents }),
        ...(variant.lowestPriceCents30Days != null && {
          lowestPriceCents30Days: variant.lowestPriceCents30Days,
        }),
        ...(variant.unit != null && { unit: variant.unit, unitPriceCents: variant.unitPriceCents }),
      })),
      ...(Object.keys(fields).length > 0 && { fields }),
    },
    mediaIds,
  };
}

function toMedia(
  storeId: string,
  { id, contentType, width, height, alt, focalPoint }: AssetFacts,
): MediaFacts {
  const url = mediaPath(storeId, id);
  const metadata = { ...(alt && { alt }), ...(focalPoint && { focalPoint }) };
  if (width === null || height === null) return { url, ...metadata };
  const availableWidths = scalable.has(contentType) ? widths.filter((each) => each < width) : [];
  const sources = availableWidths.map((each) => ({ url: `${url}?w=${each}&format=webp`, width: each }));
  return { url, width, height, ...metadata, sources };
}
