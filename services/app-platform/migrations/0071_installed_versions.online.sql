-- Whether a store has a version, which is asked before it is deleted.
create index concurrently if not exists install_of_version on install (version_id);
