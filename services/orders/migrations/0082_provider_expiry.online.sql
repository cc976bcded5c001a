-- Unpaid orders with a payment at a provider: the sweep finds the old ones without reading any other.
create index concurrently if not exists order_paying on "order" (store_id, pays_since)
  where pays_since is not null and status = 'open' and payment = 'pending' and fulfillment = 'unfulfilled';

-- Reports of payments by when the money moved.
create index concurrently if not exists payment_entry_by_time on payment_entry (store_id, at);
