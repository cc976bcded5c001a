import { toStoreLimits } from '@waybill/contracts';
import { copyRoutes, sweepFieldsTask, sweepValues } from '@waybill/custom-fields';
import { aggregate, defineService, foldTask } from '@waybill/kernel';
import { handlers as checkoutHandlers } from './checkouts/handlers.ts';
import { routes as checkoutRoutes } from './checkouts/routes.ts';
import { hashOldKeys, sweepCheckouts } from './checkouts/upkeep.ts';
import { type Config, config, type State } from './config.ts';
import { handlers as customerMailHandlers } from './customer-mails/handlers.ts';
import { routes as customerMailRoutes } from './customer-mails/routes.ts';
import { handlers as customerHandlers, lock as customerLock } from './customers/handlers.ts';
import { countCustomers } from './customers/queries.ts';
import { routes as customerRoutes } from './customers/routes.ts';
import { handlers as demoHandlers } from './demo/handlers.ts';
import { routes as demoRoutes } from './demo/routes.ts';
import { handlers as estimateHandlers } from './discount-estimates/handlers.ts';
import { routes as estimateRoutes } from './discount-estimates/routes.ts';
import { handlers as discountHandlers, lock as discountLock } from './discounts/handlers.ts';
import { countDiscounts } from './discounts/queries.ts';
import { routes as discountRoutes } from './discounts/routes.ts';
import { renderNextFile } from './documents/files.ts';
import { handlers as documentHandlers } from './documents/handlers.ts';
import { createRenderer } from './documents/rendering/renderer.ts';
import { issueNextDocument } from './documents/requests.ts';
import { routes as documentRoutes } from './documents/routes.ts';
import { errors } from './errors.ts';
import { expiryTask } from './expiry/expiry.ts';
import { fulfillmentTask } from './fulfillments/fulfillments.ts';
import { handlers as fulfillmentHandlers } from './fulfillments/handlers.ts';
import { routes as fulfillmentRoutes } from './fulfillments/routes.ts';
import { handlers as mediaUseHandlers } from './media-uses/handlers.ts';
import { routes as mediaUseRoutes } from './media-uses/routes.ts';
import { handlers as noteHandlers } from './notes/handlers.ts';
import { routes as noteRoutes } from './notes/routes.ts';
import { handlers as orderPageHandlers } from './order-pages/handlers.ts';
import { routes as orderPageRoutes } from './order-pages/routes.ts';
import { handlers as orderHandlers, lock as orderLock } from './orders/handlers.ts';
import { routes as orderRoutes } from './orders/routes.ts';
import { handlers as paymentHandlers } from './payments/handlers.ts';
import { ledgerCheckTask } from './payments/ledger-check.ts';
import { ledgerTask } from './payments/payments.ts';
import { routes as paymentRoutes } from './payments/routes.ts';
import { stepTask } from './payments/steps.ts';
import { continueErasures } from './personal-data/erasure.ts';
import { handlers as personalDataHandlers } from './personal-data/handlers.ts';
import { routes as personalDataRoutes } from './personal-data/routes.ts';
import { handlers as pricingHandlers, lock as pricingLock } from './pricing/handlers.ts';
import { routes as pricingRoutes } from './pricing/routes.ts';
import { handlers as receiptHandlers } from './receipts/handlers.ts';
import { routes as receiptRoutes } from './receipts/routes.ts';
import { handlers as refundHandlers } from './refunds/handlers.ts';
import { routes as refundRoutes } from './refunds/routes.ts';
import { handlers as reportHandlers } from './reports/handlers.ts';
import { routes as reportRoutes } from './reports/routes.ts';
import { handlers as returnHandlers } from './returns/handlers.ts';
import { routes as returnRoutes } from './returns/routes.ts';
import { subscriptions } from './subscriptions.ts';
import type { Tables } from './tables.ts';
import { hashClearSecrets } from './tokens/queries.ts';

/**
 * The orders service: orders, customers, checkout, `store-api.md 2.3, 2.4, 4.3, 4.4`, `decisions.md 3`, and prices,
 * `decisions.md 21`.
 */
export const orders = defineService<Config, Tables, State>({
  name: 'orders',
  config,
  migrations: new URL('../migrations/', import.meta.url),
  usesCache: true,
  errors,
  start: () => ({ renderer: createRenderer() }),
  aggregates: [
    aggregate(orderRoutes, orderHandlers, orderLock),
    aggregate(paymentRoutes, paymentHandlers),
    aggregate(returnRoutes, returnHandlers, orderLock),
    aggregate(refundRoutes, refundHandlers),
    aggregate(noteRoutes, noteHandlers),
    aggregate(fulfillmentRoutes, fulfillmentHandlers, orderLock),
    aggregate(customerRoutes, customerHandlers, customerLock),
    aggregate(checkoutRoutes, checkoutHandlers),
    aggregate(pricingRoutes, pricingHandlers, pricingLock),
    aggregate(discountRoutes, discountHandlers, discountLock),
    aggregate(receiptRoutes, receiptHandlers),
    aggregate(orderPageRoutes, orderPageHandlers),
    aggregate(documentRoutes, documentHandlers),
    aggregate(customerMailRoutes, customerMailHandlers),
    aggregate(reportRoutes, reportHandlers),
    aggregate(estimateRoutes, estimateHandlers),
    aggregate(demoRoutes, demoHandlers),
    aggregate(personalDataRoutes, personalDataHandlers),
    aggregate(mediaUseRoutes, mediaUseHandlers),
    copyRoutes('orders'),
  ],
  limits: async ({ db }, storeId) => {
    const [customers, discounts] = await Promise.all([
      countCustomers(db, storeId),
      countDiscounts(db, storeId),
    ]);
    return toStoreLimits({ customers, discounts });
  },
  subscriptions,
  tasks: (context) => [
    { name: 'sweep-checkouts', everyMs: 600_000, run: () => sweepCheckouts(context.db) },
    { name: 'hash-checkout-keys', everyMs: 600_000, run: () => hashOldKeys(context) },
    {
      name: 'hash-receipt-secrets',
      everyMs: 600_000,
      run: () => hashClearSecrets(context.db, 'order', 1000),
    },
    {
      name: 'hash-document-secrets',
      everyMs: 600_000,
      run: () => hashClearSecrets(context.db, 'document', 1000),
    },
    { name: 'begin-ledgers', everyMs: 600_000, run: ledgerTask(context) },
    { name: 'check-ledgers', everyMs: 60_000, run: ledgerCheckTask(context) },
    { name: 'payment-steps', everyMs: 5_000, run: stepTask(context) },
    { name: 'begin-fulfillments', everyMs: 600_000, run: fulfillmentTask(context) },
    {
      name: sweepFieldsTask,
      everyMs: 60_000,
      run: () => sweepValues(context.db, { customer: 'customer', order: 'order' }),
    },
    { name: 'erase-orders', everyMs: 5_000, run: () => continueErasures(context) },
    { name: 'issue-documents', everyMs: 1_000, shareOfTime: 0.1, run: () => issueNextDocument(context) },
    // A file that somebody opens before is made at once.
    { name: 'make-document-files', everyMs: 1_000, shareOfTime: 0.04, run: () => renderNextFile(context) },
    { name: 'expire-unpaid', everyMs: 10_000, run: expiryTask(context) },
    foldTask(
      context.db,
      { table: 'customer', columns: { search: 'search', name_key: 'name' } },
      { table: '"order"', columns: { search: 'search' } },
    ),
  ],
  close: ({ state }) => state.renderer.close(),
});
