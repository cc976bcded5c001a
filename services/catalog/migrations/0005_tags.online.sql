-- Lists of a store's pages show the active products of a tag, and must find them without reading all there are.
create index concurrently if not exists product_tags on product
  using gin (store_id, tags) with (fastupdate = off) where status = 'active' and tags <> '{}';

-- How often tags stand in products is known only from here on.
analyze product;
