-- Where and when somebody signed in or tried to, for that person alone. Kept for 90 days.
create table sign_in (
  id text primary key,
  -- Null: nobody has the address that was tried. Such rows exist so that both kinds of attempts take the same time.
  user_id text references user_account (id) on delete cascade,
  created_at timestamptz not null default now(),
  ip text,
  user_agent text,
  outcome text not null check (outcome in ('ok', 'failed'))
);
create index sign_in_of_user on sign_in (user_id, created_at, id);
create index sign_in_age on sign_in (created_at);

-- The session whose login code made this one: it ends with that. All rows that exist have none, so nothing is checked.
alter table session add column parent_id text;
alter table session add constraint session_parent foreign key (parent_id) references session (id)
  on delete cascade not valid;
