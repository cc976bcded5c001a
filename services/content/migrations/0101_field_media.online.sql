-- The uses of an asset are looked up in the custom fields of pages and articles, too.
create index concurrently if not exists page_field_media on page
  using gin (media_ids_in(custom_fields::text)) with (fastupdate = off) where custom_fields::text like '%mda_%';
create index concurrently if not exists article_field_media on article
  using gin (media_ids_in(custom_fields::text)) with (fastupdate = off) where custom_fields::text like '%mda_%';

-- How often ids stand in values is known only from here on; without it every page would be read for each.
analyze page;
analyze article;
