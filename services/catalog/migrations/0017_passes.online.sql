-- The rules whose members time has changed are found for all stores, twice a second.
create index concurrently if not exists category_passes on category (passes_at) where passes_at is not null;
