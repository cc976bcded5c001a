-- The user who submitted a version gets the result of its review by mail.
alter table app_version add column submitted_by text;

-- An app that no store has installed can be deleted, and its versions with it. Where it was installed once, its data has
-- waited for it to come back: that is up to a million stores, so it goes in steps, and whatever is left of an app that is
-- gone is noted here until then. An install so outlives its app and its version for a while, a sweep that was under way its app.
create table deleted_app (
  id text primary key
);
alter table install drop constraint install_app_id_fkey, drop constraint install_version_id_fkey;
alter table install_sweep drop constraint install_sweep_app_id_fkey;
