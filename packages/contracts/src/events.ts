import Type, { type Static, type TObject } from 'typebox';
import { Install } from './apps.ts';
import { Category } from './categories.ts';
import { CustomFieldState } from './custom-fields.ts';
import { OrderDocument } from './documents.ts';
import { FormSubmission } from './forms.ts';
import { Fulfillment } from './fulfillments.ts';
import { CheckoutSettings, Customer, Order } from './orders.ts';
import { Page } from './pages.ts';
import { AnnouncedMethods, Payment, PaymentFact, RequestedSession } from './payments.ts';
import type { Permission } from './permissions.ts';
import { Refund } from './refunds.ts';
import { Product, StockChange } from './resources.ts';
import { Return } from './returns.ts';

/** The subject of an event: its key in `data`, and the permission without which a receiver gets only its id. */
export interface EventSubject {
  key: string;
  /** Null if every receiver of the event may see all of it. */
  permission: Permission | null;
}

/** The subjects of public events, by the prefix of their type: `decisions.md 12.2`. */
const eventSubjects = {
  order: { key: 'order', permission: 'orders.read' },
  payment: { key: 'payment', permission: 'orders.read' },
  fulfillment: { key: 'fulfillment', permission: 'orders.read' },
  document: { key: 'document', permission: 'orders.read' },
  refund: { key: 'refund', permission: 'orders.read' },
  return: { key: 'return', permission: 'orders.read' },
  customer: { key: 'customer', permission: 'customers.read' },
  product: { key: 'product', permission: 'products.read' },
  category: { key: 'category', permission: 'products.read' },
  page: { key: 'page', permission: 'pages.read' },
  form: { key: 'formSubmission', permission: 'forms.read' },
  course: { key: 'course', permission: null },
  app: { key: 'install', permission: null },
} as const satisfies Record<string, EventSubject>;

/** The public event catalogue, to which types may be added: `store-api.md 6.1`, `decisions.md 12.7`. */
export const eventTypes = [
  'order.created',
  'order.updated',
  'payment.updated',
  'fulfillment.created',
  'fulfillment.updated',
  'document.issued',
  'refund.created',
  'return.updated',
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'product.created',
  'product.updated',
  'product.deleted',
  'category.created',
  'category.updated',
  'category.deleted',
  'page.published',
  'page.unpublished',
  'form.submitted',
  'course.enrolled',
  'course.revoked',
] as const satisfies readonly `${keyof typeof eventSubjects}.${string}`[];
export type EventType = (typeof eventTypes)[number];

/** The calls that only an app's own endpoint gets: `decisions.md 14.5`. */
export const lifecycleTypes = [
  'app.installed',
  'app.updated',
  'app.disabled',
  'app.enabled',
  'app.uninstalled',
] as const satisfies readonly `${keyof typeof eventSubjects}.${string}`[];
export type LifecycleType = (typeof lifecycleTypes)[number];

/** The calls that only an app that takes payments gets: `decisions.md 22.6`. */
export const paymentCallTypes = [
  'payment.sessionRequested',
  'payment.captureRequested',
  'payment.refundRequested',
  'payment.voidRequested',
] as const;
export type PaymentCallType = (typeof paymentCallTypes)[number];

/** All calls that an app's own endpoint may get. */
export const appCallTypes = [...lifecycleTypes, ...paymentCallTypes] as const;
export type AppCallType = (typeof appCallTypes)[number];

/** The types of a webhook call. */
export type CallType = EventType | AppCallType;

/** Returns the subject of an event type. */
export function getEventSubject(type: CallType): EventSubject {
  // The call asks the app to act, so it contains everything that the app needs.
  if (type.endsWith('Requested')) return { key: 'session', permission: null };
  const subject = eventSubjects[type.slice(0, type.indexOf('.')) as keyof typeof eventSubjects];
  // The event never contains more than the id, so there is nothing to hide.
  return type === 'customer.deleted' ? { ...subject, permission: null } : subject;
}

/**
 * A domain event: its internal name (`<context>.<aggregate>.<past tense>`), the public name that webhook receivers see
 * if it has one, and the schema of its data (`decisions.md 6.5`).
 */
export interface EventDefinition<Data extends TObject = TObject> {
  name: string;
  publicType: CallType | null;
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
  data: Type.Object({ product: Product, stockChange: Type.Optional(StockChange) }),
});
export const ProductDeleted = defineEvent({
  name: 'catalog.product.deleted',
  publicType: 'product.deleted',
  data: Type.Object({ product: Type.Pick(Product, ['id', 'number', 'slug']) }),
});

export const CategoryCreated = defineEvent({
  name: 'catalog.category.created',
  publicType: 'category.created',
  data: Type.Object({ category: Category }),
});
export const CategoryUpdated = defineEvent({
  name: 'catalog.category.updated',
  publicType: 'category.updated',
  data: Type.Object({ category: Category }),
});
export const CategoryDeleted = defineEvent({
  name: 'catalog.category.deleted',
  publicType: 'category.deleted',
  data: Type.Object({ category: Category }),
});

/** A definition of a custom field was created, changed, hidden or deleted. */
export const CustomFieldChanged = defineEvent({
  name: 'catalog.custom-field.changed',
  publicType: null,
  data: Type.Object({ customField: CustomFieldState }),
});

export const OrderCreated = defineEvent({
  name: 'orders.order.created',
  publicType: 'order.created',
  data: Type.Object({ order: Order }),
});
export const OrderUpdated = defineEvent({
  name: 'orders.order.updated',
  publicType: 'order.updated',
  data: Type.Object({ order: Order }),
});
export const PaymentUpdated = defineEvent({
  name: 'orders.payment.updated',
  publicType: 'payment.updated',
  data: Type.Object({ payment: Payment }),
});
export const FulfillmentCreated = defineEvent({
  name: 'orders.fulfillment.created',
  publicType: 'fulfillment.created',
  data: Type.Object({ fulfillment: Fulfillment }),
});
export const FulfillmentUpdated = defineEvent({
  name: 'orders.fulfillment.updated',
  publicType: 'fulfillment.updated',
  data: Type.Object({ fulfillment: Fulfillment }),
});
export const DocumentIssued = defineEvent({
  name: 'orders.document.issued',
  publicType: 'document.issued',
  data: Type.Object({ document: OrderDocument }),
});
export const RefundCreated = defineEvent({
  name: 'orders.refund.created',
  publicType: 'refund.created',
  data: Type.Object({ refund: Refund }),
});
export const ReturnUpdated = defineEvent({
  name: 'orders.return.updated',
  publicType: 'return.updated',
  data: Type.Object({ return: Return }),
});
/** Units of an order that was not cancelled return to stock. */
export const UnitsReturned = defineEvent({
  name: 'orders.units.returned',
  publicType: null,
  data: Type.Object({
    orderId: Type.String(),
    items: Type.Array(Type.Object({ variantId: Type.String(), quantity: Type.Integer() })),
  }),
});
/** An order was cancelled, which happens once: its units return to stock. */
export const OrderCancelled = defineEvent({
  name: 'orders.order.cancelled',
  publicType: null,
  data: Type.Object({
    orderId: Type.String(),
    items: Type.Array(Type.Object({ variantId: Type.String(), quantity: Type.Integer() })),
  }),
});
/** A provider has reported a fact about a payment, or a query has found it. */
export const PaymentFactRecorded = defineEvent({
  name: 'payments.fact.recorded',
  publicType: null,
  data: Type.Object({ fact: PaymentFact }),
});
/** The payment methods that a store's shoppers can choose have changed. */
export const PaymentMethodsChanged = defineEvent({
  name: 'payments.methods.changed',
  publicType: null,
  data: AnnouncedMethods,
});
export const CustomerCreated = defineEvent({
  name: 'orders.customer.created',
  publicType: 'customer.created',
  data: Type.Object({ customer: Customer }),
});
export const CustomerUpdated = defineEvent({
  name: 'orders.customer.updated',
  publicType: 'customer.updated',
  data: Type.Object({ customer: Customer }),
});
export const CustomerDeleted = defineEvent({
  name: 'orders.customer.deleted',
  publicType: 'customer.deleted',
  data: Type.Object({ customer: Type.Pick(Customer, ['id']) }),
});
/**
 * All data about a former customer was erased here. Other services must now erase their older data about the customer
 * and these orders, except for ids. It may come several times for one customer, because orders are erased in steps.
 */
export const CustomerErased = defineEvent({
  name: 'orders.customer.erased',
  publicType: null,
  data: Type.Object({ customerId: Type.String(), orderIds: Type.Array(Type.String()) }),
});
export const PagePublished = defineEvent({
  name: 'content.page.published',
  publicType: 'page.published',
  data: Type.Object({ page: Page }),
});
export const PageUnpublished = defineEvent({
  name: 'content.page.unpublished',
  publicType: 'page.unpublished',
  data: Type.Object({
    page: Type.Object({
      ...Page.properties,
      live: Type.Boolean({ examples: [false] }),
      url: Type.Union([Type.String(), Type.Null()], { examples: [null] }),
    }),
  }),
});
export const FormSubmitted = defineEvent({
  name: 'content.form.submitted',
  publicType: 'form.submitted',
  data: Type.Object({ formSubmission: FormSubmission }),
});

/**
 * Form submissions no longer contain personal data: other services must erase their older data about them, except for
 * ids.
 */
export const FormSubmissionsErased = defineEvent({
  name: 'content.form.erased',
  publicType: null,
  data: Type.Object({ formSubmissionIds: Type.Array(Type.String()) }),
});

/** A store was created, or its name, slug, currency, locales or settings changed. */
export const StoreChanged = defineEvent({
  name: 'identity.store.changed',
  publicType: null,
  data: Type.Object({
    store: Type.Object({
      id: Type.String(),
      name: Type.String(),
      slug: Type.String(),
      currency: Type.String(),
      /** Missing in events from before stores had locales. */
      locales: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
      /** Missing in events from before development stores existed. */
      isDevelopment: Type.Optional(Type.Boolean()),
      /** Missing in events from before stores had a favicon. */
      faviconMediaId: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      updatedAt: Type.String(),
    }),
    // Next to the store, because listeners store that object unchanged; missing in messages from before the settings
    // existed.
    checkout: Type.Optional(
      Type.Object({
        ...CheckoutSettings.properties,
        // Missing in events of a copy of the previous version.
        expireManualAfterDays: Type.Optional(CheckoutSettings.properties.expireManualAfterDays),
        refundLimitCents: Type.Optional(CheckoutSettings.properties.refundLimitCents),
        returnDays: Type.Optional(CheckoutSettings.properties.returnDays),
      }),
    ),
  }),
});

/** A store was closed and has no members any more. */
export const StoreClosed = defineEvent({
  name: 'identity.store.closed',
  publicType: null,
  data: Type.Object({}),
});

/** A user has deleted the account. Other services keep only an id. */
export const UserDeleted = defineEvent({
  name: 'identity.user.deleted',
  publicType: null,
  data: Type.Object({ userId: Type.String() }),
});

/**
 * An app became available or unavailable in a store: it was installed, disabled, suspended, uninstalled, or moved to
 * another version; in a development store also if its draft has changed. Ask the app platform for the current state.
 */
export const InstallChanged = defineEvent({
  name: 'app-platform.install.changed',
  publicType: null,
  data: Type.Object({
    appId: Type.String(),
    /** Whether it is available from then on. */
    isAvailable: Type.Boolean(),
    /**
     * True if an app that stays available has moved to another version by itself. Live pages use that version from the
     * next publish on; a version that the merchant has chosen, they use at once.
     */
    isUpgrade: Type.Boolean(),
  }),
});

const lifecycleEvent = (type: LifecycleType) =>
  defineEvent({
    name: `app-platform.${type}`,
    publicType: type,
    data: Type.Object({ install: Install }),
  });

/** The events about its installations that an app gets, by type: `decisions.md 14.5`. */
export const lifecycleEvents = {
  'app.installed': lifecycleEvent('app.installed'),
  'app.updated': lifecycleEvent('app.updated'),
  'app.disabled': lifecycleEvent('app.disabled'),
  'app.enabled': lifecycleEvent('app.enabled'),
  'app.uninstalled': lifecycleEvent('app.uninstalled'),
} as const satisfies Record<LifecycleType, EventDefinition>;

const paymentCall = (type: PaymentCallType) =>
  defineEvent({
    name: `payments.${type}`,
    publicType: type,
    data: Type.Object({ appId: Type.String(), session: RequestedSession, requestId: Type.String() }),
  });

/** The requests that an app gets as a payment provider, by type: `decisions.md 22.6`. */
export const paymentCalls = {
  'payment.sessionRequested': paymentCall('payment.sessionRequested'),
  'payment.captureRequested': paymentCall('payment.captureRequested'),
  'payment.refundRequested': paymentCall('payment.refundRequested'),
  'payment.voidRequested': paymentCall('payment.voidRequested'),
} as const satisfies Record<PaymentCallType, EventDefinition>;

/** The URL at which an app is called has changed. */
export const AppWebhookChanged = defineEvent({
  name: 'app-platform.webhook.changed',
  publicType: null,
  data: Type.Object({
    appId: Type.String(),
    /** Null if the app is not called. */
    url: Type.Union([Type.String(), Type.Null()]),
    /** Grows with each change: the greatest one is valid, whichever arrives last. */
    revision: Type.Integer(),
  }),
});

/** A value of an app's data was written or removed. */
export const AppDataChanged = defineEvent({
  name: 'app-platform.app-data.changed',
  publicType: null,
  data: Type.Object({
    appId: Type.String(),
    key: Type.String(),
    owner: Type.Enum(['site', 'product']),
    ownerId: Type.Union([Type.String(), Type.Null()]),
  }),
});

const defineMail = <Template extends string, Data extends TObject>(template: Template, data: Data) =>
  Type.Object({ template: Type.Literal(template), data });
const ReviewedApp = Type.Object({ orgName: Type.String(), appName: Type.String() });
const ReviewedVersion = Type.Object({ ...ReviewedApp.properties, number: Type.String() });
const FailingEndpoint = Type.Object({ endpointId: Type.String(), host: Type.String() });

const PaymentOfOrder = Type.Object({
  orderNumber: Type.String(),
  /** The amount in English, for a copy of the previous version, which cannot format it in the reader's language. */
  amount: Type.String(),
  /** Missing in requests of a copy of the previous version. */
  amountCents: Type.Optional(Type.String()),
  currency: Type.Optional(Type.String()),
});

/** The mails that other services request: the template, and the values for its text. */
const RequestedMail = Type.Union([
  // `decisions.md 12.8`
  defineMail('endpointFailing', FailingEndpoint),
  defineMail('deliveryDead', FailingEndpoint),
  // `decisions.md 24.4`
  defineMail(
    'endpointFailureRate',
    Type.Object({ ...FailingEndpoint.properties, percent: Type.String(), minutes: Type.String() }),
  ),
  defineMail('endpointDisabledSoon', FailingEndpoint),
  defineMail('endpointDisabled', FailingEndpoint),
  // `decisions.md 15.5`; identity adds the link.
  defineMail(
    'orgInvitation',
    Type.Object({
      orgId: Type.String(),
      invitationId: Type.String(),
      orgName: Type.String(),
      // Missing in requests of a copy of the previous version.
      orgCreatedAt: Type.Optional(Type.String()),
      role: Type.String(),
    }),
  ),
  // `decisions.md 22.5`
  defineMail('paymentReturned', PaymentOfOrder),
  defineMail('paymentDisputed', PaymentOfOrder),
  defineMail('refundFailed', Type.Object({ ...PaymentOfOrder.properties, reason: Type.String() })),
  // `decisions.md 23.5`
  defineMail('sellerIncomplete', Type.Object({ orderNumber: Type.String() })),
  // `decisions.md 14.7`
  defineMail('appVersionApproved', ReviewedVersion),
  defineMail('appVersionRejected', Type.Object({ ...ReviewedVersion.properties, reason: Type.String() })),
  defineMail('appSuspended', ReviewedApp),
  defineMail('appRestored', ReviewedApp),
]);
export type RequestedMail = Static<typeof RequestedMail>;

/**
 * Requests a mail. Identity, the only service that knows people, finds the recipients and sends it. `decisions.md
 * 15.1`.
 */
export const MailRequested = defineEvent({
  name: 'mail.requested',
  publicType: null,
  data: Type.Object({
    mail: RequestedMail,
    /** The people who manage a store, or users, if their addresses are verified; or an address, in lower case. */
    audience: Type.Union([
      Type.Object({ storeAdmins: Type.String() }),
      Type.Object({ users: Type.Array(Type.String(), { maxItems: 100 }) }),
      Type.Object({ address: Type.String() }),
    ]),
    /** The user who has the mail sent. A recipient without an account gets it in that user's language. */
    senderId: Type.Optional(Type.String()),
  }),
});

/** The domain events of the public catalogue, which are sent to stores' endpoints. */
export const publicEvents: readonly EventDefinition[] = [
  ProductCreated,
  ProductUpdated,
  ProductDeleted,
  CategoryCreated,
  CategoryUpdated,
  CategoryDeleted,
  OrderCreated,
  OrderUpdated,
  PaymentUpdated,
  FulfillmentCreated,
  FulfillmentUpdated,
  DocumentIssued,
  RefundCreated,
  ReturnUpdated,
  CustomerCreated,
  CustomerUpdated,
  CustomerDeleted,
  PagePublished,
  PageUnpublished,
  FormSubmitted,
];

/** The products of categories have changed. No public event reports that, because it is no field of theirs. */
export const CategoryMembersChanged = defineEvent({
  name: 'catalog.category.members-changed',
  publicType: null,
  data: Type.Object({ categoryIds: Type.Array(Type.String()) }),
});

/** An asset's alternative text or focal point changed. */
export const AssetChanged = defineEvent({
  name: 'media.asset.changed',
  publicType: null,
  data: Type.Object({ assetId: Type.String() }),
});

/** Assets were deleted permanently: their addresses serve nothing any more. */
export const AssetsPurged = defineEvent({
  name: 'media.asset.purged',
  publicType: null,
  data: Type.Object({ assetIds: Type.Array(Type.String()) }),
});

export interface Subscription {
  /** `<service>.<purpose>`. */
  queue: string;
  events: readonly EventDefinition[];
  /**
   * Whether it also accepts messages with many events, from a second queue. Public events travel so, and with them all
   * events of a name that another subscription accepts so.
   */
  acceptsBatches?: boolean;
}

/**
 * All subscriptions across processes. Publishers know them too, so that an event finds its queue on a new or wiped
 * broker, whichever process comes back first.
 */
export const subscriptions = {
  webhookFanOut: { queue: 'webhooks.fan-out', events: publicEvents, acceptsBatches: true },
  webhookErasures: { queue: 'webhooks.erasures', events: [CustomerErased, FormSubmissionsErased] },
  webhookLifecycle: {
    queue: 'webhooks.lifecycle',
    events: [AppWebhookChanged, ...Object.values(lifecycleEvents)],
  },
  // Separate, because copies of a previous version would fail on these events, and with them on the events about
  // installations.
  webhookPaymentCalls: { queue: 'webhooks.payment-calls', events: Object.values(paymentCalls) },
  webhookApps: { queue: 'webhooks.apps', events: [InstallChanged] },
  catalogCancelledOrders: {
    queue: 'catalog.cancelled-orders',
    events: [OrderCancelled, UnitsReturned],
    acceptsBatches: true,
  },
  catalogPurgedMedia: { queue: 'catalog.purged-media', events: [AssetsPurged] },
  catalogApps: {
    queue: 'catalog.apps',
    events: [lifecycleEvents['app.installed'], lifecycleEvents['app.uninstalled']],
  },
  ordersPurgedMedia: { queue: 'orders.purged-media', events: [AssetsPurged] },
  ordersCustomFields: { queue: 'orders.custom-fields', events: [CustomFieldChanged] },
  contentCustomFields: { queue: 'content.custom-fields', events: [CustomFieldChanged] },
  ordersStores: { queue: 'orders.stores', events: [StoreChanged] },
  ordersPayments: { queue: 'orders.payments', events: [PaymentFactRecorded] },
  ordersMethods: { queue: 'orders.methods', events: [PaymentMethodsChanged] },
  paymentsApps: { queue: 'payments.apps', events: [InstallChanged] },
  contentStores: { queue: 'content.stores', events: [StoreChanged] },
  contentClosures: { queue: 'content.closures', events: [StoreClosed] },
  contentProducts: {
    queue: 'content.products',
    events: [ProductCreated, ProductUpdated, ProductDeleted],
    acceptsBatches: true,
  },
  contentCategories: {
    queue: 'content.categories',
    events: [CategoryCreated, CategoryUpdated, CategoryDeleted, CategoryMembersChanged],
    acceptsBatches: true,
  },
  contentApps: { queue: 'content.apps', events: [InstallChanged, AppDataChanged] },
  contentMedia: { queue: 'content.media', events: [AssetChanged, AssetsPurged] },
  identityMail: { queue: 'identity.mail', events: [MailRequested] },
  identityOrders: { queue: 'identity.orders', events: [OrderCreated], acceptsBatches: true },
  identityCustomerMails: {
    queue: 'identity.customer-mails',
    events: [
      PaymentUpdated,
      FulfillmentCreated,
      FulfillmentUpdated,
      RefundCreated,
      ReturnUpdated,
      OrderCancelled,
      DocumentIssued,
      FormSubmitted,
    ],
    acceptsBatches: true,
  },
  appPlatformDepartures: { queue: 'app-platform.departures', events: [UserDeleted, StoreClosed] },
  appPlatformProducts: { queue: 'app-platform.products', events: [ProductDeleted], acceptsBatches: true },
} as const satisfies Record<string, Subscription>;

/** A domain event on its way from outbox to subscriber. `data` stays the text that was committed. */
export interface EventMessage {
  /** `evt_…`, the same for every redelivery and, for a public event, on every webhook call. */
  id: string;
  name: string;
  storeId: string;
  /** RFC 3339. */
  createdAt: string;
  /** JSON. */
  data: string;
  /** The W3C traceparent of the request that caused it, if there was one. */
  trace?: string;
}
