-- Accounts and rights: users and their sessions, stores and their members, API keys. Users and the list of stores
-- are the directory that every request starts from and stay whole; members and keys belong to a store, and
-- their keys start with it, so that they can be split by store over many servers.
create table user_account (
  id text primary key,
  -- Lower-case, so that addresses compare without case.
  email text not null constraint user_account_email_key unique,
  name text not null,
  -- Argon2id in PHC form: the parameters of the day it was made stand in it.
  password_hash text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- One sign-in and everything refreshed from it, so that a stolen refresh token ends all of it.
create table session (
  id text primary key,
  user_id text not null references user_account (id) on delete cascade,
  -- The generation of the refresh token used last; 0 before the first use.
  used_generation integer not null default 0,
  -- The end of the newest token.
  expires_at timestamptz not null
);
create index session_expiry on session (expires_at);
create index session_of_user on session (user_id);

-- Used tokens stay until they expire: one that comes back must be told from one that never was.
create table refresh_token (
  -- SHA-256, hex.
  hash text primary key,
  session_id text not null references session (id) on delete cascade,
  -- 1 for the sign-in's token, one more than its predecessor's for a refreshed one.
  generation integer not null,
  used boolean not null default false,
  expires_at timestamptz not null
);
create index refresh_token_session on refresh_token (session_id);
create index refresh_token_expiry on refresh_token (expires_at);

create table store (
  id text primary key,
  name text not null,
  -- Live pages are served under it, so it is unique among all stores.
  slug text not null constraint store_slug_key unique,
  -- ISO 4217.
  currency text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table member (
  store_id text not null references store (id) on delete cascade,
  user_id text not null references user_account (id) on delete cascade,
  role text not null check (role in ('viewer', 'editor', 'admin', 'owner')),
  created_at timestamptz not null default now(),
  primary key (store_id, user_id)
);
-- A user's stores.
create index member_of_user on member (user_id);

create table api_key (
  store_id text not null references store (id) on delete cascade,
  id text not null,
  name text not null,
  -- The beginning of the secret, by which its holder recognises it.
  prefix text not null,
  -- SHA-256 of the secret, hex.
  hash text not null,
  scopes text[] not null,
  -- A user; no longer a member perhaps, and a member again later.
  created_by text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (store_id, id)
);
-- A request brings the hash and no store. Not unique, which would need the store in front: 178 random bits are.
create index api_key_hash on api_key (hash);
create index api_key_newest on api_key (store_id, created_at desc, id desc);
