-- The installs that follow a draft, when it changes, and those of which live pages are still to be told.
create index concurrently if not exists install_of_version on install (version_id) where is_development;
create index concurrently if not exists install_changed on install (store_id, id) where has_changed;
