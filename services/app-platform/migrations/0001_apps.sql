-- The marketplace's directory: organisations, their members, apps, versions with what they contribute, and the
-- modules of their islands. An app is offered to every store, so these tables belong to none and their keys do not
-- start with a store's id; they are small beside what the stores themselves bring, which comes in 0010 and after.
create table organisation (
  id text primary key,
  name text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table org_member (
  org_id text not null references organisation (id) on delete cascade,
  -- A user of identity's, and the address by which the members know it.
  user_id text not null,
  email text not null,
  role text not null check (role in ('owner', 'developer')),
  created_at timestamptz not null default now(),
  primary key (org_id, user_id)
);
-- A user's organisations.
create index org_member_of_user on org_member (user_id);

create table app (
  id text primary key,
  org_id text not null references organisation (id) on delete cascade,
  name text not null,
  -- SHA-256 of the client secret, hex.
  client_secret_hash text not null,
  redirect_uris text[] not null,
  -- The number of its newest version; counted under the row's lock, so that none is given twice.
  last_version_number integer not null default 0,
  -- Set: a reviewer has taken the app out of service.
  suspended_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index app_newest on app (org_id, created_at desc, id desc);

create table app_version (
  id text primary key,
  app_id text not null references app (id) on delete cascade,
  -- 1, 2, … within its app.
  number integer not null,
  state text not null default 'draft' check (state in ('draft', 'submitted', 'approved', 'rejected', 'withdrawn')),
  scopes text[] not null,
  -- Why a reviewer turned it down; null otherwise.
  rejection_reason text,
  -- The block manifest's `blocks`, as checked and stored whole.
  blocks jsonb not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  submitted_at timestamptz,
  reviewed_at timestamptz,
  withdrawn_at timestamptz,
  constraint app_version_number_key unique (app_id, number)
);
-- The review queue: what was submitted first comes first.
create index app_version_queue on app_version (state, submitted_at, id);

create table island (
  version_id text not null references app_version (id) on delete cascade,
  name text not null,
  -- Its place in the declaration, from 0.
  position integer not null,
  -- SHA-256 of the module's bytes, hex, which is its key in the object store; null until one is uploaded.
  module_sha256 text,
  size_bytes integer,
  primary key (version_id, name)
);
-- Only the module of some island is served.
create index island_module on island (module_sha256);
