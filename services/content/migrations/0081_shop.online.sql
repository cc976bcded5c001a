-- A product's page is found by its slug with every visit. Not unique: of two products that swap their slugs, one has it
-- later here.
create index concurrently if not exists known_product_slug on known_product (store_id, slug)
  where slug is not null and not is_deleted;

alter table live_page_dependency validate constraint live_page_dependency_kind_check;
