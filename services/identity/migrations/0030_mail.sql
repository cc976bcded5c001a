-- People are written to: to prove an address, to set a new password, to be invited. A row is the job of one mail. It
-- holds no token: one is made when the mail is sent.
alter table user_account
  -- The language that mails are written in.
  add column locale text not null default 'en';

create table mail (
  id bigint generated always as identity primary key,
  template text not null,
  -- The recipient: a user, or an address in lower case, whoever owns it when the mail is sent.
  user_id text references user_account (id) on delete cascade,
  address text,
  -- The user who has it sent, where there is one.
  sender_id text,
  -- The values in its text: names and ids, no secrets.
  data jsonb not null,
  state text not null default 'queued' check (state in ('queued', 'sent', 'dead')),
  -- How many attempts have failed.
  failures integer not null default 0,
  -- The error of the last attempt, as a code, because the messages of servers contain addresses.
  last_error text,
  -- When it may be taken; of one that is leased, the end of the lease.
  due_at timestamptz not null default now(),
  is_leased boolean not null default false,
  settled_at timestamptz,
  check ((user_id is null) <> (address is null))
);
create index mail_due on mail (due_at) where state = 'queued';
create index mail_sent on mail (settled_at) where state = 'sent';
create index mail_dead on mail (settled_at) where state = 'dead';
create index mail_of_user on mail (user_id);

-- The actions that the bearer of a link may take, once each.
create table one_time_token (
  -- SHA-256, hex.
  hash text primary key,
  purpose text not null check (purpose in ('verify', 'reset', 'invitation')),
  -- The user, or the invitation.
  subject text not null,
  -- Of an invitation: the store or organisation that it is to.
  invited_to text,
  expires_at timestamptz not null
);
create index one_time_token_of_subject on one_time_token (subject, purpose);
create index one_time_token_expiry on one_time_token (expires_at);
-- password_reset stays for the copies of the version before; nothing of this one reads it.
insert into one_time_token (hash, purpose, subject, expires_at)
  select hash, 'reset', user_id, expires_at from password_reset;

-- The invitations to stores, also of people who have no account yet. An accepted or withdrawn one is deleted.
create table invitation (
  store_id text not null references store (id) on delete cascade,
  id text not null,
  -- Lower-case.
  email text not null,
  role text not null check (role in ('viewer', 'editor', 'admin', 'owner')),
  -- A user; the invitation counts as long as that one may manage the store's members.
  invited_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (store_id, id)
);
create unique index invitation_of_address on invitation (store_id, email);
create index invitation_in_order on invitation (store_id, created_at, id);
create index invitation_expiry on invitation (expires_at);
