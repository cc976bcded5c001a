-- The uses of an asset are looked up in the custom fields of products and of variants, too. Most have no media in them,
-- and those are in neither index.
create index concurrently if not exists product_field_media on product
  using gin (media_ids_in(custom_fields::text)) with (fastupdate = off) where custom_fields::text like '%mda_%';
create index concurrently if not exists variant_field_media on variant
  using gin (media_ids_in(custom_fields::text)) with (fastupdate = off) where custom_fields::text like '%mda_%';

-- How often ids stand in values is known only from here on; without it every product would be read for each.
analyze product;
analyze variant;
