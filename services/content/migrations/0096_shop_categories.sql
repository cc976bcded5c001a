-- The newest state of a category of products that its events have told of, as `known_product` has it.
create table known_category (
  store_id text not null,
  id text not null,
  updated_at timestamptz not null,
  is_deleted boolean not null,
  -- Where it is among the store's pages; null of one that is gone.
  slug text,
  primary key (store_id, id)
);
create index known_category_slug on known_category (store_id, slug) where slug is not null and not is_deleted;

alter table translatable_field drop constraint translatable_field_entity_type_check;
alter table translatable_field add constraint translatable_field_entity_type_check
  check (entity_type in ('product', 'category', 'article', 'blogCategory', 'node')) not valid;

alter table former_slug drop constraint former_slug_kind_check;
alter table former_slug add constraint former_slug_kind_check
  check (kind in ('page', 'article', 'product', 'category')) not valid;

alter table live_page_dependency drop constraint live_page_dependency_kind_check;
alter table live_page_dependency add constraint live_page_dependency_kind_check check (kind in (
  'section', 'product', 'category', 'media', 'page', 'app', 'block', 'appData', 'article', 'products', 'articles'
)) not valid;

alter table template drop constraint template_kind_check;
alter table template add constraint template_kind_check
  check (kind in ('header', 'footer', 'product', 'category', 'article', 'blog', 'search', 'notFound')) not valid;
