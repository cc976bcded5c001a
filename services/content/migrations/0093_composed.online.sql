-- Names were found only by texts that were composed as they were: é as one letter, or as e and an accent. All are
-- composed now, as what is searched for.
update article set search = normalize(search, nfc) where search is not nfc normalized;
create index concurrently if not exists page_words on page
  using gin (store_id, lower(normalize(name || E'\n' || slug, nfc)) gin_trgm_ops);
drop index concurrently if exists page_search;
