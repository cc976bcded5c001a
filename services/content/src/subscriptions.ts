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
import { listMediaFields, onDefinitionsChanged } from '@waybill/custom-fields';
import type { SubscriptionDefinition } from '@waybill/kernel';
import { dropArticleMedia } from './blog/articles/queries.ts';
import type { Context } from './config.ts';
import { dropPageMedia } from './editing/pages/queries.ts';
import {
  invalidateDependents,
  invalidateDependentsByStore,
  invalidateStore,
} from './publication/live-pages/stale.ts';
import type { Change } from './publication/live-pages/stale-queries.ts';
import { toAppDataRef } from './publication/rendering/sources.ts';
import { ownEntities } from './shared/custom-fields/values.ts';
import { lockPageList, markClosed, upsertStore } from './shared/stores/queries.ts';
import { onCategoryChanges } from './translations/values/categories.ts';
import { onProductChanges } from './translations/values/products.ts';

/** Lists the events that content handles. Handling one again changes nothing. */
export const subscriptions = (context: Context): SubscriptionDefinition[] => [
  { ...table.contentStores, batch: 100, handle: (events) => onStoreChanges(context, events) },
  { ...table.contentCustomFields, batch: 100, handle: (events) => onCustomFieldChanges(context, events) },
  { ...table.contentClosures, batch: 100, handle: (events) => onStoreClosures(context, events) },
  {
    ...table.contentProducts,
    batch: 100,
    // Changes of many products at once then take less than half of the statements, and no visitor sees the delay.
    intervalMs: 25,
    handle: (events) => onProductEvents(context, events),
  },
  {
    ...table.contentCategories,
    batch: 100,
    async handle(events) {
      const treeEvents = events.filter(({ name }) => name !== CategoryMembersChanged.name);
      if (treeEvents.length > 0) await onCategoryChanges(context, treeEvents);
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
      await dropPurgedMedia(context, events);
      await invalidateDependentsByStore(context, events.flatMap(assetChanges));
    },
  },
];

async function onStoreChanges({ transaction }: Context, events: readonly EventMessage[]): Promise<void> {
  for (const { data } of events) {
    const { store }: EventData<typeof StoreChanged> = JSON.parse(data);
    const { updatedAt, locales = null, isDevelopment = false, ...facts } = store;
    await transaction(async (trx) => {
      // Live pages contain the currency in their prices; other facts are read at every visit.
      if (await upsertStore(trx, { ...facts, locales, isDevelopment }, new Date(updatedAt)))
        await invalidateStore(trx, store.id);
    });
  }
}

/**
 * Keeps the definitions of pages' and articles' custom fields. Also renders pages that print values of other entities
 * again.
 */
async function onCustomFieldChanges(context: Context, events: readonly EventMessage[]): Promise<void> {
  await onDefinitionsChanged(context, ownEntities, events);
  const { transaction } = context;
  for (const { storeId, data } of events) {
    const { customField }: EventData<typeof CustomFieldChanged> = JSON.parse(data);
    // A new definition has no values yet.
    if (customField.revision > 1 && entitiesWithPrintedFields.has(customField.entity))
      await transaction((trx) => invalidateStore(trx, storeId));
  }
}

/** The entities whose custom field values pages print. */
const entitiesWithPrintedFields: ReadonlySet<CustomFieldEntity> = new Set(['product', 'category', 'article']);

/** Closes stores. A closed store stays closed, whatever events come later. */
async function onStoreClosures({ db }: Context, events: readonly EventMessage[]): Promise<void> {
  for (const { storeId } of events) await markClosed(db, storeId);
}

/**
 * Handles the events of each store's products in one transaction. It locks the page list before anything else, as
 * writes of pages do, so that the two never wait for each other.
 */
async function onProductEvents({ transaction }: Context, events: readonly EventMessage[]): Promise<void> {
  for (const [storeId, ofStore] of Map.groupBy(events, (event) => event.storeId)) {
    await transaction(async (trx) => {
      await invalidateDependents(trx, storeId, ofStore.flatMap(productChanges));
      await onProductChanges(trx, storeId, ofStore);
    });
  }
}

/**
 * Returns the changes of a product's event: lists may show any product, but no page shows one by its id that did not
 * exist when the page was made.
 */
function productChanges({ name, data }: EventMessage): Change[] {
  const anyProduct = { kind: 'products' as const, ref: '' };
  if (name === ProductCreated.name) return [anyProduct];
  const { product } = JSON.parse(data) as { product: Pick<Product, 'id'> };
  return [anyProduct, { kind: 'product', ref: product.id }];
}

/**
 * Returns the change of a category's event. Its members may appear on any page with lists, its name on pages that link
 * to it.
 */
function categoryChange({ name, storeId, data }: EventMessage): Change & { storeId: string } {
  if (name === CategoryMembersChanged.name) return { storeId, kind: 'products', ref: '' };
  const { category }: EventData<typeof CategoryUpdated> = JSON.parse(data);
  return { storeId, kind: 'category', ref: category.id };
}

/** Removes purged assets from the covers of articles, and from the custom fields of pages and articles. */
async function dropPurgedMedia({ db, transaction }: Context, events: readonly EventMessage[]): Promise<void> {
  for (const { name, storeId, data } of events) {
    if (name !== AssetsPurged.name) continue;
    const { assetIds }: EventData<typeof AssetsPurged> = JSON.parse(data);
    const removed = { assetIds, fieldIds: await listMediaFields(db, storeId) };
    await transaction(async (trx) => {
      if (removed.fieldIds.length > 0) {
        // The page list must be locked before the blog, as everywhere.
        await lockPageList(trx, storeId);
        await dropPageMedia(trx, storeId, removed, new Date());
      }
      await dropArticleMedia(trx, storeId, removed);
    });
  }
}

/** Returns the changes of an asset's event: its facts changed, or it no longer exists. */
function assetChanges({ name, storeId, data }: EventMessage): (Change & { storeId: string })[] {
  const payload = JSON.parse(data);
  const ids =
    name === AssetChanged.name
      ? [(payload as EventData<typeof AssetChanged>).assetId]
      : (payload as EventData<typeof AssetsPurged>).assetIds;
  return ids.map((ref) => ({ storeId, kind: 'media', ref }));
}

/**
 * Returns the changes of an app's event. A version that came automatically reaches live pages at the next publish
 * (`store-api.md 4.12`, `decisions.md 13.7`).
 */
function appChange({ name, storeId, data }: EventMessage): (Change & { storeId: string })[] {
  if (name !== InstallChanged.name) {
    const fact: EventData<typeof AppDataChanged> = JSON.parse(data);
    return [{ storeId, kind: 'appData', ref: toAppDataRef(fact) }];
  }
  const { appId, isUpgrade }: EventData<typeof InstallChanged> = JSON.parse(data);
  return isUpgrade ? [] : [{ storeId, kind: 'app', ref: appId }];
}
