-- The secrets that are still to be hashed; soon there are none.
create index concurrently if not exists order_clear_secret on "order" (store_id, id) where secret is not null;
