-- Pages are found by name and slug as everything else is, by the parts of their words.
create index concurrently if not exists page_search on page
  using gin (store_id, lower(name || E'\n' || slug) gin_trgm_ops);
