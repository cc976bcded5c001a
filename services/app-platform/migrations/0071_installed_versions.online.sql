-- Whether a store has a version, which is asked before it is deleted; and which installs follow a draft that changes.
create index concurrently if not exists install_of_version on install (version_id);
