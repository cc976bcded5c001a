-- The steps of a refund are read when it is made, and when its request is repeated. Without an index that would read all
-- steps of the store.
create index concurrently if not exists payment_step_of_refund on payment_step (store_id, refund_id)
  where refund_id is not null;
