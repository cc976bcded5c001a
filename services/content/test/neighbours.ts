import type {
  AppDataFact,
  AppDataName,
  AssetFacts,
  EventData,
  EventDefinition,
  InstalledApp,
  InstalledAppReply,
  Product,
  ShopList,
  StoreFacts,
} from '@waybill/contracts';
import { errors } from '@waybill/contracts';
import {
  defineConfig,
  defineService,
  emit,
  type ServiceContext,
  type ServiceDefinition,
} from '@waybill/kernel';
import { createStubService, sampleProduct, sampleVariant } from '@waybill/testing';
import Type from 'typebox';

/** Stand-ins for the other services, with tables that a test fills. */
export interface Neighbours {
  services: ServiceDefinition[];
  /** By `<store id>/<product id>`. */
  products: Map<string, Product>;
  assets: Map<string, AssetFacts>;
  /** By store id. */
  apps: Map<string, InstalledApp[]>;
  appValues: Map<string, AppDataFact[]>;
  stores: Map<string, StoreFacts>;
  /** Whether manifests that content knows are left out, and how often that happened. */
  leavesOutKnown: boolean;
  leftOut: number;
  /** Services that answer only with errors for now. */
  down: Set<string>;
  /**
   * Holds the next request at an internal path; `arrived` resolves once it has come. Its answer has the products as
   * they were then.
   */
  pause(path: string): { arrived: Promise<void>; release: () => void };
  /** An action that runs before a request at an internal path is answered. */
  whileAsked: ((path: string) => Promise<unknown>) | null;
  /** Number of requests at each internal path. */
  requestCounts: Map<string, number>;
  tell<E extends EventDefinition>(event: E, storeId: string, data: EventData<E>): Promise<void>;
}

/**
 * Returns the facts of a store for any id: its slug is the end of the id, its currency EUR, unless a test says
 * otherwise.
 */
const createStore = (id: string): StoreFacts => ({
  id,
  name: `Store ${getSlug(id)}`,
  slug: getSlug(id),
  currency: 'EUR',
  locales: null,
  isDevelopment: false,
});
export const getSlug = (storeId: string): string => storeId.slice(4).replace(/^0+/, 's');

export function createNeighbours(): Neighbours {
  const neighbours: Omit<Neighbours, 'services' | 'tell' | 'pause'> = {
    products: new Map(),
    assets: new Map(),
    apps: new Map(),
    appValues: new Map(),
    stores: new Map(),
    leavesOutKnown: false,
    leftOut: 0,
    down: new Set(),
    whileAsked: null,
    requestCounts: new Map(),
  };
  const { products, assets, apps, appValues, stores, down, requestCounts } = neighbours;
  const pauses = new Map<string, { arrive: () => void; released: Promise<void> }>();
  const answering = async (service: string, path: string) => {
    const pause = pauses.get(path);
    pauses.delete(path);
    pause?.arrive();
    await pause?.released;
    await fakes.whileAsked?.(path);
    requestCounts.set(path, (requestCounts.get(path) ?? 0) + 1);
    if (down.has(service)) throw errors.internal_error();
  };
  const found = <Fact>(
    table: ReadonlyMap<string, Fact>,
    { storeId, ids }: { storeId: string; ids: string[] },
  ) => ids.flatMap((id) => table.get(`${storeId}/${id}`) ?? []);

  let sender: ServiceContext | undefined;
  const fakes: Neighbours = {
    ...neighbours,
    pause(path) {
      const [arrival, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      pauses.set(path, { arrive: arrival.resolve, released: leave.promise });
      return { arrived: arrival.promise, release: leave.resolve };
    },
    services: [
      createStubService('catalog', {
        async 'POST /internal/shop/products'({ body }: { body: ShopList }) {
          await answering('catalog', '/internal/shop/products');
          const { storeId, source, offset, limit } = body;
          const all = [...products].flatMap(([key, product]) => {
            const isActive = key.startsWith(`${storeId}/`) && product.status === 'active';
            const isListed =
              source.kind === 'tag'
                ? product.tags.includes(source.tag)
                : source.kind === 'search'
                  ? product.name.toLowerCase().includes(source.q.toLowerCase())
                  : source.kind === 'ids'
                    ? source.ids.includes(product.id)
                    : source.kind === 'all';
            return isActive && isListed ? [product] : [];
          });
          return { products: all.slice(offset, offset + limit), total: all.length };
        },
        async 'POST /internal/shop/product'({ body }: { body: { storeId: string; slug: string } }) {
          await answering('catalog', '/internal/shop/product');
          const isIt = ([key, { slug, status }]: [string, Product]) =>
            key.startsWith(`${body.storeId}/`) && slug === body.slug && status === 'active';
          return { product: [...products].find(isIt)?.[1] ?? null };
        },
        async 'POST /internal/products/lookup'({
          body,
        }: {
          body: { storeId: string; ids: string[]; status?: string };
        }) {
          const ofStatus = ({ status }: Product) => (body.status ?? status) === status;
          const answer = { products: found(products, body).filter(ofStatus) };
          await answering('catalog', '/internal/products/lookup');
          return answer;
        },
      }),
      createStubService('media', {
        async 'POST /internal/assets/lookup'({ body }: { body: { storeId: string; ids: string[] } }) {
          await answering('media', '/internal/assets/lookup');
          return { assets: found(assets, body) };
        },
      }),
      createStubService('app-platform', {
        async 'GET /internal/stores/{storeId}/apps'({
          params,
          url,
        }: {
          params: { storeId: string };
          url: string;
        }) {
          await answering('app-platform', '/internal/stores/{storeId}/apps');
          const known = new URL(url, 'http://x').searchParams.get('known')?.split(',') ?? [];
          return {
            apps: (apps.get(params.storeId) ?? []).map((app): InstalledAppReply => {
              if (!fakes.leavesOutKnown || !known.includes(app.versionId)) return app;
              fakes.leftOut++;
              const { blocks, islands, connectOrigins, ...install } = app;
              return install;
            }),
          };
        },
        async 'POST /internal/app-data/lookup'({
          body,
        }: {
          body: { storeId: string; values: AppDataName[] };
        }) {
          await answering('app-platform', '/internal/app-data/lookup');
          const isAsked = (fact: AppDataName) =>
            body.values.some(
              ({ appId, key, owner, ownerId }) =>
                appId === fact.appId && key === fact.key && owner === fact.owner && ownerId === fact.ownerId,
            );
          return { values: (appValues.get(body.storeId) ?? []).filter(isAsked) };
        },
      }),
      createStubService('identity', {
        async 'GET /internal/stores/{storeId}'({ params }: { params: { storeId: string } }) {
          await answering('identity', '/internal/stores');
          return { store: stores.get(params.storeId) ?? createStore(params.storeId) };
        },
        async 'GET /internal/store-slugs/{slug}'({ params }: { params: { slug: string } }) {
          await answering('identity', '/internal/store-slugs');
          const store = [...stores.values()].find(({ slug }) => slug === params.slug);
          if (!store) throw errors.not_found();
          return { store };
        },
        async 'POST /internal/users/names'({ body }: { body: { ids: string[] } }) {
          await answering('identity', '/internal/users/names');
          return {
            users: body.ids.filter((id) => id !== 'usr_gone').map((id) => ({ id, name: `Name of ${id}` })),
          };
        },
      }),
      defineService({
        name: 'sender',
        config: defineConfig(Type.Object({})),
        // It needs only the kernel's own tables: the outbox.
        migrations: new URL('../../../packages/kernel/migrations/', import.meta.url),
        aggregates: [],
        tasks(context) {
          sender = context;
          return [];
        },
      }),
    ],
    async tell(event, storeId, data) {
      await sender!.transaction((trx) => emit(trx, event, storeId, data));
    },
  };
  return fakes;
}

let lastProduct = 0;

/** Creates a product with one variant at a price. */
export function makeProduct(name: string, priceCents: number, change: Partial<Product> = {}): Product {
  const suffix = String(++lastProduct).padStart(26, '0');
  const now = new Date().toISOString();
  return {
    id: `prd_${suffix}`,
    number: lastProduct,
    name,
    slug: `product-${lastProduct}`,
    status: 'active',
    description: '',
    tags: [],
    mediaIds: [],
    media: [],
    ...sampleProduct,
    variants: [{ id: `var_${suffix}`, sku: null, name: '', priceCents, stock: 5, ...sampleVariant }],
    priceCents,
    totalStock: 5,
    createdAt: now,
    updatedAt: now,
    ...change,
  };
}
