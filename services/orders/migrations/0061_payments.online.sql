-- Orders from before the ledger: each time the task looks for some, it finds them without reading all others. Empty soon
-- after an upgrade.
create index concurrently if not exists order_without_ledger on "order" (store_id, id) where paid_cents is null;

-- Lists of payments by their state.
create index concurrently if not exists payment_by_status on payment (store_id, status, created_at, id);
