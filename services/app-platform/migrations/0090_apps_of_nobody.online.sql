-- Users who were deleted before that took the apps of the organisations that they emptied out of the directory left them
-- listed, and nobody is there to mend them or answer for them.
-- In steps:
update app set is_listed = false, updated_at = greatest(now(),
  -- In UTC, because Citus takes nothing here that depends on the time zone of the session.
  (((updated_at at time zone 'UTC') + interval '1 millisecond') at time zone 'UTC'))
where id in (
  select id from app
  where is_listed and not exists (select from org_member where org_member.org_id = app.org_id)
  limit 1000 for no key update
);
