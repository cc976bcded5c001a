-- The icon of a store, which the heads of its pages name.
alter table store_fact add column favicon_media_id text;

-- Products leave addresses behind as well. Every row there is holds to the wider condition.
alter table former_slug drop constraint former_slug_kind_check;
alter table former_slug add constraint former_slug_kind_check check (kind in ('page', 'article', 'product')) not valid;
