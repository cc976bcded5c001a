-- Only addresses in fields for addresses were noted beside what visitors had sent: who was asked for theirs with a field
-- for any text was neither found by an export of what is held about them nor by their erasure.
-- In steps:
update form_submission s set emails = found.emails from (
  select store_id, id, said.emails from form_submission held, lateral (
    select array_agg(distinct lower(address)) as emails
    -- A query of its own: two functions joined in "from" end the server with Citus.
    from (
      select btrim(value #>> '{}', E' \t\n') as address from json_each(held.sent) where json_typeof(value) = 'string'
    ) sent
    where address ~ '^[^\s@<>]+@[^\s@<>.]+(\.[^\s@<>.]+)+$' and length(address) <= 254
  ) said
  where not said.emails <@ held.emails limit 1000
) found
where s.store_id = found.store_id and s.id = found.id;
