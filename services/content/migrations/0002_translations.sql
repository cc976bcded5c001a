-- Translated values, and which fields of a store there are to translate: progress compares the two.
create table translation (
  store_id text not null,
  entity_type text not null check (entity_type in ('product', 'category', 'article', 'blogCategory', 'node')),
  entity_id text collate "C" not null,
  field text collate "C" not null,
  -- A canonical BCP 47 tag.
  locale text collate "C" not null,
  value text not null,
  source text not null check (source in ('human', 'machine')),
  updated_at timestamptz not null,
  primary key (store_id, entity_type, entity_id, field, locale)
);
-- The translated texts, so that progress is computed without reading values. An empty value shows the original instead.
create index translation_filled on translation (store_id, locale, entity_type, entity_id, field)
  where value <> '';

-- Every field that holds text, kept up by what writes it: articles, blog categories and saved documents in their
-- own transactions, products by their events. A node's id is `<id of its page, section or article>:<node id>`.
create table translatable_field (
  store_id text not null,
  entity_type text not null check (entity_type in ('product', 'article', 'blogCategory', 'node')),
  entity_id text collate "C" not null,
  field text collate "C" not null,
  primary key (store_id, entity_type, entity_id, field)
);

-- The newest state of a product that its events have told of: they come in any order, the last one may be told
-- before the first. A deleted product stays deleted.
create table known_product (
  store_id text not null,
  id text not null,
  updated_at timestamptz not null,
  is_deleted boolean not null,
  primary key (store_id, id)
);
