-- In steps:
update install set is_told_available = false
where (store_id, id) in (
  select install.store_id, install.id from install join app on app.id = install.app_id
  where install.is_told_available
    and (install.state = 'disabled' or (install.state = 'installed' and app.suspended_at is not null))
  limit 1000 for no key update of install
) and is_told_available;
