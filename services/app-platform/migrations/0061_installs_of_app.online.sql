-- The installs of one app as its organisation lists them, newest first, of all states and of one.
create index concurrently if not exists install_history on install (app_id, created_at desc, id desc);
create index concurrently if not exists install_history_of_state on install (app_id, state, created_at desc, id desc);
