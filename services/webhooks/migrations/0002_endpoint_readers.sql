-- Whose rights decide what an endpoint is told, and whose endpoint it is. Who made those that are there was not
-- written down: nobody may read for them, so they are told of things by id alone until somebody replaces them.
alter table webhook_endpoint
  add column description text not null default '',
  -- The API key, the app or the user that made it or last replaced it, by id.
  add column owner_id text,
  -- The app whose token made it; what keys and users replace stays the app's.
  add column app_id text;
