-- Developers of apps try what nobody has reviewed yet in stores of their organisation. Which one a store is of never
-- changes, and that it is of one makes it a development store.
alter table store
  -- One of the app platform's; null: a store like any other.
  add column org_id text;
