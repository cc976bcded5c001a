-- Before an asset of the media library is deleted, media looks up the documents that show it, which must be possible
-- without reading all documents. Indexes of the ids that stand anywhere in a document, alone or in a URL, cannot
-- disagree with the documents. Documents without any are in none of them. Writes enter the index at once, without
-- `fastupdate`: every look-up would have to read a list of pending entries.
create or replace function media_ids_in(text) returns text[] language sql immutable strict parallel safe
  as $$ select array(select distinct found[1] from regexp_matches($1, 'mda_[0-9a-z]{26}', 'g') found) $$;

create index concurrently if not exists page_media on page
  using gin (media_ids_in(settings::text)) with (fastupdate = off) where settings::text like '%mda_%';
create index concurrently if not exists page_draft_media on page_draft
  using gin (media_ids_in(document::text)) with (fastupdate = off) where document::text like '%mda_%';
create index concurrently if not exists live_page_media on live_page
  using gin (media_ids_in(document::text)) with (fastupdate = off) where document::text like '%mda_%';
create index concurrently if not exists section_media on section
  using gin (media_ids_in(document::text)) with (fastupdate = off) where document::text like '%mda_%';
create index concurrently if not exists section_live_media on section
  using gin (media_ids_in(coalesce(live_document, document)::text)) with (fastupdate = off)
  where coalesce(live_document, document)::text like '%mda_%';
create index concurrently if not exists article_cover on article (store_id, cover_media_id)
  where cover_media_id is not null;
create index concurrently if not exists article_media on article
  using gin (media_ids_in(content)) with (fastupdate = off) where content like '%mda_%';
create index concurrently if not exists article_document_media on article_document
  using gin (media_ids_in(document::text)) with (fastupdate = off) where document::text like '%mda_%';

-- How often ids stand in documents is known only from here on; without it every page would be read for each.
analyze page;
analyze page_draft;
analyze live_page;
analyze section;
analyze article;
analyze article_document;
