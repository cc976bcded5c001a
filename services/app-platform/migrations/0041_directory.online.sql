-- The directory in its order, the installs that are counted for it, an icon by its public name, and whose it is.
create index concurrently if not exists app_in_directory on app (install_count desc, id desc)
  where is_listed and suspended_at is null;
create index concurrently if not exists install_counted on install (app_id) where state <> 'uninstalled';
create index concurrently if not exists app_icon_file on app (icon_file) where icon_file is not null;
create index concurrently if not exists app_icon_of on app (icon_id) where icon_id is not null;
create index concurrently if not exists app_icon_sweep on app_icon (sweep_at);
