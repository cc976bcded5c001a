-- The look-up of the products that show an asset covers the pictures of variants and of search results, too.
create index concurrently if not exists product_more_media on product using gin (more_media_ids) with (fastupdate = off)
  where more_media_ids <> '{}';
