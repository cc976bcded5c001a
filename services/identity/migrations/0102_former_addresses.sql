-- Links to a store outlive its address: a former slug stays with its store and leads there, and is nobody else's. A row
-- is a slug that a store has or had; those of before are in `store` alone until they are left.
create table store_slug (
  slug text primary key,
  store_id text not null references store (id),
  taken_at timestamptz not null default now(),
  -- Of a closed store: until when nobody else has it.
  kept_until timestamptz
);
create index store_slug_of_store on store_slug (store_id);
create index store_slug_expiry on store_slug (kept_until) where kept_until is not null;

-- The store that proved a hostname last. After its domain is gone the name leads there, until another store proves it.
create table proven_hostname (
  hostname text primary key,
  store_id text not null references store (id),
  proven_at timestamptz not null default now()
);
create index proven_hostname_of_store on proven_hostname (store_id);
