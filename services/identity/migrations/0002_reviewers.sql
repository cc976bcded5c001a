-- The reviewers of apps. An address alone proves nothing, because anybody can register it first. It counts once it is
-- verified by a link that its owner received.
alter table user_account
  add column email_verified_at timestamptz,
  -- Made a reviewer by an operator; those of the configuration are reviewers without it.
  add column is_reviewer boolean not null default false;

-- One-time links by which a user sets a password.
create table password_reset (
  -- SHA-256, hex.
  hash text primary key,
  user_id text not null references user_account (id) on delete cascade,
  expires_at timestamptz not null
);
create index password_reset_of_user on password_reset (user_id);
create index password_reset_expiry on password_reset (expires_at);
