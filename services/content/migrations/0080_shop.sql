-- Lists on live pages, and pages of products: they show things by what these are, not by their ids, and some are made at
-- a visit, which needs to know what changed since.

-- Of whatever is no product, and of products: another whenever live pages may show something else. Written by whoever
-- notes a change, who holds the row.
alter table page_list
  add column facts_revision bigint not null default 0,
  add column products_revision bigint not null default 0;

-- Without a `ref`, `products` and `articles` are of what lists them: any may come into a list.
alter table live_page_dependency
  drop constraint live_page_dependency_kind_check,
  add constraint live_page_dependency_kind_check check (kind in (
    'section', 'product', 'media', 'page', 'app', 'block', 'appData', 'article', 'products', 'articles'
  )) not valid;

-- Where a product is among a store's pages; null as long as no event has told.
alter table known_product
  add column slug text,
  add column status text;
