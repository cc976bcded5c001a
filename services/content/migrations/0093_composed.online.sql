-- Names were found only by texts that were composed as they were: é as one letter, or as e and an accent. All are
-- composed now, as what is searched for.
-- In steps:
update article set search = normalize(search, nfc) where (store_id, id) in (
  select store_id, id from article where search is not nfc normalized limit 1000
);
create index concurrently if not exists page_words on page
  using gin (store_id, lower(normalize(name || E'\n' || slug, nfc)) gin_trgm_ops);
drop index concurrently if exists page_search;
