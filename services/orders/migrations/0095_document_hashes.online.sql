-- Finds the secrets that are still to be hashed. It is empty soon after.
create index concurrently if not exists document_clear_secret on document (store_id, id) where secret is not null;
