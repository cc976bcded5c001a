-- Orders that were sent before there were fulfilments: the task that makes these finds the orders without reading all
-- others. Empty soon after an upgrade.
create index concurrently if not exists order_without_fulfillments on "order" (store_id, id)
  where fulfillment = 'fulfilled' and units is null;
