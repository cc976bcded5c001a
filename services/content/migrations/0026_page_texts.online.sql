-- A page's name, title and description are translated too: what there is of them in the pages that are there already.
insert into translatable_field (store_id, entity_type, entity_id, field)
select p.store_id, 'node', p.id, text.field
from page p cross join lateral (values
  ('name', p.name),
  ('title', case when json_typeof(p.settings -> 'title') = 'string' then p.settings ->> 'title' end),
  ('description', case when json_typeof(p.settings -> 'description') = 'string' then p.settings ->> 'description' end)
) text (field, value)
where text.value ~ '\S'
on conflict do nothing;
