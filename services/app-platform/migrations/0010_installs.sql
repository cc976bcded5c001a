-- The installs of apps in stores, each at one version of its app. An install is never deleted, so that an app which is
-- installed again finds its data; `state` tells whether the install is in use.
create table install (
  store_id text not null,
  id text not null,
  app_id text not null references app (id),
  version_id text not null references app_version (id),
  -- The scopes that the merchant agreed to: always those that the version asks for.
  granted_scopes text[] not null,
  -- The merchant's part of it; that an app is suspended stands in the app's row and takes precedence.
  state text not null check (state in ('installed', 'disabled', 'uninstalled')),
  -- Set by a rollback: the highest version number known at that moment. Only later ones are taken by themselves.
  held_number integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (store_id, id),
  constraint install_app_key unique (store_id, app_id)
);
-- The installs of one app over all stores, in the order in which a sweep visits them.
create index install_of_app on install (app_id, store_id);

-- A change of an app reaches its installs in batches, one transaction each, because an app may be in a hundred thousand
-- stores. This table stores the progress, so that a stop in between loses nothing.
create table install_sweep (
  id bigint generated always as identity primary key,
  app_id text not null references app (id),
  -- Whether the app was suspended or restored, which every install is to tell; otherwise only those that move.
  is_suspension boolean not null,
  -- Every store up to this one has been visited.
  after_store_id text not null default ''
);
