-- Stores that were closed before content took down closures: what was told of them last is the slug that closing gives.
-- In steps:
update store_fact set is_closed = true
where not is_closed and store_id in (
  select store_id from store_fact
  where slug >= 'closed-' and slug < 'closed.' and slug ~ '^closed-[0-9a-f]{40}$' and not is_closed limit 1000
);
