-- Texts were searched and sorted by lower-case letters alone: `cafe` did not find Café, and Ł stood after Z. All are
-- folded now, as what is searched for (`decisions.md 19.2`). The index holds the rows that are not folded yet: those of
-- before, and those that copies of an older version still write.
create index concurrently if not exists article_unfolded on article (store_id, id)
  where octet_length(search) <> char_length(search) and (search <> folded(search));

-- In steps:
update article set search = folded(search) where (store_id, id) in (
  select store_id, id from article
  where octet_length(search) <> char_length(search) and (search <> folded(search)) limit 1000
);

-- In steps:
update article_listing l set title_key = folded(a.title) from (
  select l.store_id, l.scope, l.article_id, a.title from article_listing l
  join article a on a.store_id = l.store_id and a.id = l.article_id
  where octet_length(a.title) <> char_length(a.title) and l.title_key <> folded(a.title) collate "C" limit 10000
) a where l.store_id = a.store_id and l.scope = a.scope and l.article_id = a.article_id;

create index concurrently if not exists page_folded on page
  using gin (store_id, folded(name || E'\n' || slug) gin_trgm_ops);
drop index concurrently if exists page_words;
