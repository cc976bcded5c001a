/**
 * Suites of half a minute or more, which run first and in this order: started last, they would keep one worker busy and
 * leave the others idle. Matched by parts of their paths.
 */
export const long = [
  '/deploy/test/chaos.',
  '/deploy/test/e2e/',
  '/deploy/test/console/',
  '/packages/page/test/proofs.',
  '/services/content/test/pages-in-chromium.',
  '/services/content/test/hostile-content.',
  '/deploy/test/webhooks.',
  '/deploy/test/order-mails.',
];

/** Suites of ten seconds or more that mostly wait. */
export const waiting = [
  '/deploy/test/checkout.',
  '/deploy/test/e2e/bad-endings.',
  '/deploy/test/e2e/media.',
  '/deploy/test/payment-operations.',
  '/deploy/test/payments.',
  '/deploy/test/webhook-settings.',
  '/packages/kernel/test/events/rabbitmq.',
  '/packages/object-store/test/object-store.',
  '/services/delivery/test/send.',
  '/services/identity/test/customer-mails.',
  '/services/identity/test/mail.',
  '/services/identity/test/verification.',
  '/services/media/test/stalled-store.',
  '/services/media/test/trash.',
  '/services/media/test/uploads.',
  '/services/media/test/variants.',
  '/services/orders/test/personal-data.',
  '/services/webhooks/test/scheduled-calls.',
];
