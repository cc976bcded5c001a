-- The credentials of an install: one code, then one family of tokens, each with the store in front. Only hashes are
-- stored (SHA-256, hex): the secrets are random enough to need no slow one.
create table oauth_code (
  store_id text not null,
  install_id text not null,
  hash text not null,
  redirect_uri text not null,
  -- S256; null when the install was made without one.
  code_challenge text,
  expires_at timestamptz not null,
  -- Kept for a day after its use: a code that comes back takes away what it gave.
  used_at timestamptz,
  primary key (store_id, install_id),
  foreign key (store_id, install_id) references install (store_id, id)
);
-- A request brings the hash and no store. Not unique, which would need the store in front: 256 random bits are.
create index oauth_code_hash on oauth_code (hash);
create index oauth_code_expiry on oauth_code (expires_at);

-- All that was refreshed from one code. Tokens are given in pairs, an access token and a refresh token, numbered in
-- the order of their making.
create table token_family (
  store_id text not null,
  install_id text not null,
  -- The newest pair, and the one whose refresh token gave it (0: the code).
  pair integer not null,
  from_pair integer not null,
  -- Whether a token of the newest pair was used: until then its predecessor's exchange may be repeated.
  in_use boolean not null default false,
  -- The end of the newest refresh token.
  expires_at timestamptz not null,
  primary key (store_id, install_id),
  foreign key (store_id, install_id) references install (store_id, id)
);
create index token_family_expiry on token_family (expires_at);

-- A pair that was never used and is given anew is deleted; used refresh tokens stay until they expire, for one that
-- comes back is in two hands.
create table app_token (
  store_id text not null,
  hash text not null,
  install_id text not null,
  kind text not null check (kind in ('access', 'refresh')),
  pair integer not null,
  expires_at timestamptz not null,
  primary key (store_id, hash),
  foreign key (store_id, install_id) references token_family (store_id, install_id) on delete cascade
);
create index app_token_hash on app_token (hash);
create index app_token_family on app_token (store_id, install_id, pair);
create index app_token_expiry on app_token (expires_at);
