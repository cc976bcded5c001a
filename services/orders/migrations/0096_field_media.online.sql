-- An asset in the custom fields of an order or a customer is in use, and its uses are looked up before it is deleted.
-- Most orders and customers have no media in them, and those are in neither index.
create or replace function media_ids_in(text) returns text[] language sql immutable strict parallel safe
  as $$ select array(select distinct found[1] from regexp_matches($1, 'mda_[0-9a-z]{26}', 'g') found) $$;

create index concurrently if not exists order_field_media on "order"
  using gin (media_ids_in(custom_fields::text)) with (fastupdate = off) where custom_fields::text like '%mda_%';
create index concurrently if not exists customer_field_media on customer
  using gin (media_ids_in(custom_fields::text)) with (fastupdate = off) where custom_fields::text like '%mda_%';

-- How often ids stand in values is known only from here on; without it every order would be read for each.
analyze "order";
analyze customer;
