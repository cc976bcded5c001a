-- The access tokens that an uninstalled app had, as hashes: for 30 days they report on its open payment sessions, and do
-- nothing else. No reference to install, which would lock it: a row without one is good for nothing.
create table report_token (
  store_id text not null,
  hash text not null,
  install_id text not null,
  expires_at timestamptz not null,
  primary key (store_id, hash)
);
-- A request brings the hash and no store, as with app_token.
create index report_token_hash on report_token (hash);
create index report_token_of_install on report_token (store_id, install_id);
create index report_token_expiry on report_token (expires_at);
