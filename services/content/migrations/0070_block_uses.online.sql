-- Before a block of an app goes, the merchant is shown where it is used, which must be possible without reading all
-- documents. Live pages are found by their dependencies; saved documents and sections by these indexes of the things
-- that they hold: `<app id>/<block key>` of blocks, ids of sections. Documents that hold neither are in none of them.
-- Ids need no escapes, so nothing is unescaped for them. The function's cost keeps PostgreSQL from making it of all
-- documents where an index has the answer.
create or replace function held_in(json) returns text[] language sql immutable strict parallel safe cost 100000
  as $$
    select coalesce(array_agg(distinct held), '{}') from (
      select case (node->'type')::text
        when '"blockRef"' then concat(
          btrim((node#>'{props,specials,appId}')::text, '"'), '/', btrim((node#>'{props,specials,blockKey}')::text, '"'))
        when '"sectionRef"' then btrim((node#>'{props,specials,sectionId}')::text, '"')
      end as held
      from (select $1->'nodes' as nodes offset 0) document
      cross join lateral json_array_elements(case json_typeof(nodes) when 'array' then nodes else '[]' end) node
      -- Most nodes are neither, which their text tells at once.
      where node::text like '%Ref"%'
    ) found where held is not null
  $$;

create index concurrently if not exists page_draft_held on page_draft
  using gin (store_id, held_in(document)) with (fastupdate = off) where document::text like '%Ref"%';
create index concurrently if not exists article_document_held on article_document
  using gin (store_id, held_in(document)) with (fastupdate = off) where document::text like '%Ref"%';
create index concurrently if not exists section_held on section
  using gin (store_id, held_in(document)) with (fastupdate = off) where document::text like '%Ref"%';
create index concurrently if not exists section_live_held on section
  using gin (store_id, held_in(coalesce(live_document, document))) with (fastupdate = off)
  where coalesce(live_document, document)::text like '%Ref"%';

-- How often blocks and sections stand in documents is known only from here on.
analyze page_draft;
analyze article_document;
analyze section;
