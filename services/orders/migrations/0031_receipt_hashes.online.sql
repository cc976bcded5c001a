-- What is still to be hashed; empty soon after.
create index concurrently if not exists order_clear_secret on "order" (store_id, id) where secret is not null;
