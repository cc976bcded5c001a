-- An organisation's stores in the order in which they were made: they are listed, and counted before there is another.
create index concurrently if not exists store_of_org on store (org_id, created_at, id)
  where org_id is not null and closed_at is null;
