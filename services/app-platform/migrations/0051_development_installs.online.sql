-- Those installs of a draft of which live pages are still to be told that it has changed.
create index concurrently if not exists install_changed on install (store_id, id) where has_changed;
