import Type, { type Static, type TObject } from 'typebox';
import { Product } from './resources.ts';

/** The public event catalogue, frozen: `store-api.md 6.1`. */
export const eventTypes = [
  'order.created',
  'order.updated',
  'customer.created',
  'customer.updated',
  'product.created',
  'product.updated',
  'product.deleted',
  'page.published',
  'course.enrolled',
  'course.revoked',
] as const;
export type EventType = (typeof eventTypes)[number];

/**
 * A domain event: its name inside (`<context>.<aggregate>.<past tense>`), the name receivers of webhooks know
 * it by where it is public, and the shape of its data (`decisions.md 6.5`).
 */
export interface EventDefinition<Data extends TObject = TObject> {
  name: string;
  publicType: EventType | null;
  data: Data;
}
export type EventData<E extends EventDefinition> = Static<E['data']>;

function defineEvent<Data extends TObject>(definition: EventDefinition<Data>): EventDefinition<Data> {
  return definition;
}

export const ProductCreated = defineEvent({
  name: 'catalog.product.created',
  publicType: 'product.created',
  data: Type.Object({ product: Product }),
});
export const ProductUpdated = defineEvent({
  name: 'catalog.product.updated',
  publicType: 'product.updated',
  data: Type.Object({ product: Product }),
});
export const ProductDeleted = defineEvent({
  name: 'catalog.product.deleted',
  publicType: 'product.deleted',
  data: Type.Object({ product: Type.Pick(Product, ['id', 'number', 'slug']) }),
});

/** The domain events that go out as webhook calls. */
export const publicEvents: readonly EventDefinition[] = [ProductCreated, ProductUpdated, ProductDeleted];

/**
 * Who listens to what across processes. Publishers know it as well, so that an event finds its queue on a broker
 * that is new or was wiped, whichever process comes back first.
 */
export const fanOutSubscription = { queue: 'webhooks.fan-out', names: publicEvents.map(({ name }) => name) };

/** A domain event as it travels from outbox to subscriber. `data` stays the text that was committed. */
export interface EventMessage {
  /** `evt_…`, the same for every redelivery and, for a public event, on every webhook call. */
  id: string;
  name: string;
  storeId: string;
  /** RFC 3339. */
  createdAt: string;
  /** JSON. */
  data: string;
}
