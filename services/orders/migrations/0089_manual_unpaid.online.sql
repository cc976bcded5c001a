-- Unpaid orders without a payment at a provider: the sweep finds the old ones without reading any other.
create index concurrently if not exists order_unpaid on "order" (store_id, created_at, id)
  where pays_since is null and status = 'open' and payment = 'pending' and fulfillment = 'unfulfilled';
