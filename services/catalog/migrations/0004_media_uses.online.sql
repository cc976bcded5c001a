-- Before an asset of the media library is deleted, media looks up the products that show it: among their pictures, or
-- by its URL in a description. An index of those ids cannot disagree with the products; products without any are not in
-- it. Writes enter the index at once, without `fastupdate`: every look-up would have to read a list of pending entries.
create or replace function media_ids_in(text) returns text[] language sql immutable strict parallel safe
  as $$ select array(select distinct found[1] from regexp_matches($1, 'mda_[0-9a-z]{26}', 'g') found) $$;

create index concurrently if not exists product_media on product
  using gin ((media_ids || media_ids_in(description))) with (fastupdate = off)
  where media_ids <> '{}' or description like '%mda_%';

-- How often ids stand in documents is known only from here on; without it every page would be read for each.
analyze product;
