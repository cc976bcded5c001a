-- The holder whose rights decide the contents of an endpoint's calls, and the owner of the endpoint. The creators of
-- existing endpoints are unknown: nobody may read for them, so their calls contain only ids until somebody replaces
-- them.
alter table webhook_endpoint
  add column description text not null default '',
  -- The API key, the app or the user that made it or last replaced it, by id.
  add column owner_id text,
  -- The app whose token made it; what keys and users replace stays the app's.
  add column app_id text;
