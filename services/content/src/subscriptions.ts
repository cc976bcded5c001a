import {
  type AppDataChanged,
  AssetChanged,
  AssetsPurged,
  CategoryMembersChanged,
  type CategoryUpdated,
  type CustomFieldChanged,
  type CustomFieldEntity,
  type EventData,
  type EventMessage,
  InstallChanged,
  type Product,
  ProductCreated,
  type StoreChanged,
  subscriptions as table,
} from '@waybill/contracts';
import { followDefinitions } from '@waybill/custom-fields';
import type { SubscriptionDefinition } from '@waybill/kernel';
import { dropCovers } from './blog/articles/queries.ts';
import type { Context } from './config.ts';
import { invalidateDependentsByStore, invalidateStore } from './publication/live-pages/stale.ts';
import type { Change } from './publication/live-pages/stale-queries.ts';
import { nameOf } from './publication/rendering/sources.ts';
import { ownEntities } from './shared/custom-fields/values.ts';
import { markClosed, upsertStore } from './shared/stores/queries.ts';
import { onCategoryChanges } from './translations/values/categories.ts';
import { onProductChanges } from './translations/values/products.ts';

/** What content listens to; taking an event again changes nothing. */
export const subscriptions = (context: Context): SubscriptionDefinition[] => [
  { ...table.contentStores, batch: 100, handle: (events) => followStores(context, events) },
  { ...table.contentCustomFields, batch: 100, handle: (events) => followCustomFields(context, events) },
  { ...table.contentClosures, batch: 100, handle: (events) => followClosures(context, events) },
  {
    ...table.contentProducts,
    batch: 100,
    async handle(events) {
      await onProductChanges(context, events);
      await invalidateDependentsByStore(context, events.flatMap(productChanges));
    },
  },
  {
    ...table.contentCategories,
    batch: 100,
    async handle(events) {
      const ofTree = events.filter(({ name }) => name !== CategoryMembersChanged.name);
      if (ofTree.length > 0) await onCategoryChanges(context, ofTree);
      await invalidateDependentsByStore(context, events.map(categoryChange));
    },
  },
  {
    ...table.contentApps,
    batch: 100,
    handle: (events) => invalidateDependentsByStore(context, events.flatMap(appChange)),
  },
  {
    ...table.contentMedia,
    batch: 100,
    async handle(events) {
      await dropPurgedCovers(context, events);
      await invalidateDependentsByStore(context, events.flatMap(assetChanges));
    },
  },
];

async function followStores({ transaction }: Context, events: readonly EventMessage[]): Promise<void> {
  for (const { data } of events) {
    const { store }: EventData<typeof StoreChanged> = JSON.parse(data);
    const { updatedAt, locales = null, isDevelopment = false, ...facts } = store;
    await transaction(async (trx) => {
      // Live pages show the currency in their prices; the rest is looked at with every visit.
      if (await upsertStore(trx, { ...facts, locales, isDevelopment }, new Date(updatedAt)))
        await invalidateStore(trx, store.id);
    });
  }
}

/** Keeps the definitions of pages and articles; pages that print values of others are made anew, too. */
async function followCustomFields(context: Context, events: readonly EventMessage[]): Promise<void> {
  await followDefinitions(context, ownEntities, events);
  const { transaction } = context;
  for (const { storeId, data } of events) {
    const { customField }: EventData<typeof CustomFieldChanged> = JSON.parse(data);
    // Of one that is new there are no values yet.
    if (customField.revision > 1 && printed.has(customField.entity))
      await transaction((trx) => invalidateStore(trx, storeId));
  }
}

/** The entities whose values pages print. */
const printed: ReadonlySet<CustomFieldEntity> = new Set(['product', 'category', 'article']);

/** What is said of a store by then is the last that is: it stays closed, whatever comes later. */
async function followClosures({ db }: Context, events: readonly EventMessage[]): Promise<void> {
  for (const { storeId } of events) await markClosed(db, storeId);
}

/** Lists may show any; no page can show a product by its id that nobody knew before it was made. */
function productChanges({ name, storeId, data }: EventMessage): (Change & { storeId: string })[] {
  const any = { storeId, kind: 'products' as const, ref: '' };
  if (name === ProductCreated.name) return [any];
  const { product } = JSON.parse(data) as { product: Pick<Product, 'id'> };
  return [any, { storeId, kind: 'product', ref: product.id }];
}

/** What a list shows of a category may be on any page that has lists; what one is called, on those that link to it. */
function categoryChange({ name, storeId, data }: EventMessage): Change & { storeId: string } {
  if (name === CategoryMembersChanged.name) return { storeId, kind: 'products', ref: '' };
  const { category }: EventData<typeof CategoryUpdated> = JSON.parse(data);
  return { storeId, kind: 'category', ref: category.id };
}

/** Takes assets that are gone for good off the articles that they are covers of. */
async function dropPurgedCovers({ transaction }: Context, events: readonly EventMessage[]): Promise<void> {
  for (const { name, storeId, data } of events) {
    if (name !== AssetsPurged.name) continue;
    const { assetIds }: EventData<typeof AssetsPurged> = JSON.parse(data);
    await transaction((trx) => dropCovers(trx, storeId, assetIds));
  }
}

/** What pages show of an asset, or that there is none any more. */
function assetChanges({ name, storeId, data }: EventMessage): (Change & { storeId: string })[] {
  const told = JSON.parse(data);
  const ids =
    name === AssetChanged.name
      ? [(told as EventData<typeof AssetChanged>).assetId]
      : (told as EventData<typeof AssetsPurged>).assetIds;
  return ids.map((ref) => ({ storeId, kind: 'media', ref }));
}

/** A version that came by itself reaches live pages at the next publish: `store-api.md 4.12`, `decisions.md 13.7`. */
function appChange({ name, storeId, data }: EventMessage): (Change & { storeId: string })[] {
  if (name !== InstallChanged.name) {
    const fact: EventData<typeof AppDataChanged> = JSON.parse(data);
    return [{ storeId, kind: 'appData', ref: nameOf(fact) }];
  }
  const { appId, isUpgrade }: EventData<typeof InstallChanged> = JSON.parse(data);
  return isUpgrade ? [] : [{ storeId, kind: 'app', ref: appId }];
}
