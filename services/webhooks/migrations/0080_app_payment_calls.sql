-- The endpoints of apps are called for payments as well, which only apps that take some are asked for.
update webhook_endpoint
set events = events || array[
  'payment.sessionRequested', 'payment.captureRequested', 'payment.refundRequested', 'payment.voidRequested'
]
where events && array['app.installed'] and not events && array['payment.sessionRequested'];
