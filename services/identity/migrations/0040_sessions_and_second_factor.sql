-- Users see where they are signed in, so that a session that is in other hands shows, and prove who they are with a
-- second factor beside the password.
alter table session
  -- Of sessions from before this: when this was asked first.
  add column created_at timestamptz not null default now(),
  add column last_used_at timestamptz not null default now(),
  -- Of its last use: the network address, and what the program calls itself.
  add column ip text,
  add column user_agent text;

alter table user_account
  -- Sealed; null: there is none.
  add column totp_secret text,
  -- Null: it is not confirmed, so login asks for no code.
  add column totp_confirmed_at timestamptz,
  -- The time step of the newest code that was used: no code of it or from before it is good.
  add column totp_used_step bigint not null default 0;

-- A store whose last member has deleted the account: nobody reaches it any more, and it takes no orders.
alter table store add column closed_at timestamptz;

-- Recovery codes, each of which replaces a code of the second factor once. A used one is deleted.
create table recovery_code (
  user_id text not null references user_account (id) on delete cascade,
  -- SHA-256, hex.
  hash text not null,
  primary key (user_id, hash)
);
