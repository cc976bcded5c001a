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

export interface FoundProductPage {
  products: FoundProduct[];
  total: number;
  facets: ShopFacet[];
}

/** Look-ups of other services' data, each item requested once in the life of one `Lookups`. */
export interface Lookups {
  /** Returns the active products among these. */
  products(ids: readonly string[]): Promise<ReadonlyMap<string, FoundProduct>>;
  /** Returns a page of a list's products, and their total number. */
  shopList(list: Omit<ShopList, 'storeId'>): Promise<{ products: FoundProduct[]; total: number }>;
  /** Returns a page of the products in a category or for a search; null when the store has too many to search. */
  browse(query: Omit<ShopBrowse, 'storeId'>): Promise<FoundProductPage | null>;
  media(ids: readonly string[]): Promise<ReadonlyMap<string, MediaFacts>>;
  /** Returns the fonts among these assets. */
  fonts(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns the apps that are available in the store, by id. */
  apps(): Promise<ReadonlyMap<string, InstalledApp>>;
  appValues(names: readonly AppDataName[]): Promise<AppDataFact[]>;
}

/** Maximum number of items in one internal call. */
const batchSize = 500;
/** Number of versions that fit well into a URL. */
const maxKnownVersions = 100;
/** The widths in which media serves a picture. */
const widths = [320, 480, 640, 960, 1280, 1920];
const scalable = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/avif']);

/**
 * Creates look-ups of the data that a store's pages show. A service that is not part of the deployment has no data.
 * Every look-up throws `resource_unavailable` when a service is unavailable.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function createLookups({ peers }: Pick<Context, 'peers'>, storeId: string): Lookups {
  const callService = async <Reply>(service: string, path: string, body?: object): Promise<Reply | null> =>
    peers.has(service) ? peers.call<Reply>(service, body ? 'POST' : 'GET', path, body) : null;

  async function fetchProducts(ids: readonly string[]) {
    const reply = await callService<{ products: ProductFacts[] }>('catalog', '/internal/products/lookup', {
      storeId,
      ids,
      // Live pages show only active products: `decisions.md 17.1`.
      status: 'active',
    });
    return (reply?.products ?? []).map((product) => [product.id, toProduct(product)] as const);
  }

  async function fetchAssets(ids: readonly string[]): Promise<AssetFacts[]> {
    const reply = await callService<{ assets: AssetFacts[] }>('media', '/internal/assets/lookup', {
      storeId,
      ids,
    });
    return reply?.assets ?? [];
  }
  const fetchMedia = async (ids: readonly string[]) =>
    (await fetchAssets(ids)).map((asset) => [asset.id, toMedia(storeId, asset)] as const);

  let apps: Promise<ReadonlyMap<string, InstalledApp>> | undefined;
  async function fetchApps(): Promise<ReadonlyMap<string, InstalledApp>> {
    const known = new Map(
      (versionsByStore.get(storeId) ?? []).flatMap((id) => {
        const manifest = manifests.get(id);
        return manifest ? [[id, manifest] as const] : [];
      }),
    );
    const query = known.size > 0 ? `?known=${[...known.keys()].join()}` : '';
    const path = `/internal/stores/${storeId}/apps${query}`;
    const reply = await callService<{ apps: InstalledAppReply[] }>('app-platform', path);
    const installed = (reply?.apps ?? []).map((app) => resolveManifest(app, known));
    versionsByStore.set(
      storeId,
      installed.slice(0, maxKnownVersions).map(({ versionId }) => versionId),
    );
    return new Map(installed.map((app) => [app.appId, app]));
  }

  return {
    products: fetchOnce(fetchProducts),
    media: fetchOnce(fetchMedia),
    async fonts(ids) {
      const assets = await fetchAssets(ids);
      return new Set(assets.filter(({ kind }) => kind === 'font').map(({ id }) => id));
    },
    apps: () => (apps ??= fetchApps()),
    async shopList(list) {
      const body: ShopList = { storeId, ...list };
      const reply = await callService<{ products: ProductFacts[]; total: number }>(
        'catalog',
        '/internal/shop/products',
        body,
      );
      return { products: (reply?.products ?? []).map(toProduct), total: reply?.total ?? 0 };
    },
    async browse(query) {
      const body: ShopBrowse = { storeId, ...query };
      type Reply = { products: ProductFacts[]; total: number; facets: ShopFacet[] };
      try {
        const reply = await callService<Reply>('catalog', '/internal/shop/browse', body);
        if (!reply) return null;
        return { ...reply, products: reply.products.map(toProduct) };
      } catch (error) {
        if (error instanceof ApiError && error.code === 'resource_unavailable') return null;
        throw error;
      }
    },
    async appValues(names) {
      const found: AppDataFact[] = [];
      for (const values of chunks(names)) {
        const path = '/internal/app-data/lookup';
        const reply = await callService<{ values: AppDataFact[] }>('app-platform', path, { storeId, values });
        found.push(...(reply?.values ?? []));
      }
      return found;
    },
  };
}

/** Manifests by version, only of versions that never change. */
const manifests = new LRUCache<string, AppManifest>({
  maxSize: 64 * 1024 * 1024,
  sizeCalculation: (manifest) => JSON.stringify(manifest).length,
});
/** The versions that a store had installed at the last request. */
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
