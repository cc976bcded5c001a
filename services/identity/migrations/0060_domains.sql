-- A store is shown at names of its merchant's own. Whose a name is says a DNS record with a value that nobody else was
-- given, so any number of stores may ask for one and wait.
create table domain (
  store_id text not null references store (id),
  id text not null,
  -- As DNS has it: lower case, ASCII.
  hostname text not null,
  state text not null default 'pending' check (state in ('pending', 'active')),
  -- The text that the DNS record must contain.
  token text not null,
  created_at timestamptz not null default now(),
  -- When DNS is asked next; of one that is leased, when another may ask.
  due_at timestamptz not null default now(),
  -- How often in a row DNS has said that there is no such record (any more).
  misses integer not null default 0,
  primary key (store_id, id),
  unique (store_id, hostname)
);
-- One store of all has it.
create unique index domain_active on domain (hostname) where state = 'active';
create index domain_due on domain (due_at);
