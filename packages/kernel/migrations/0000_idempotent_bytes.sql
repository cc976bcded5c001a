-- The number of bytes of answers stored for a store, an organisation or a person: `decisions.md 19.13`. The count is
-- spread over slots, each used by some of the connections, so that writers of one store do not wait for each other at
-- one counter.
create table idempotent_bytes (
  owner_id text not null,
  day date not null,
  slot smallint not null,
  bytes bigint not null,
  primary key (owner_id, day, slot)
);
create index idempotent_bytes_age on idempotent_bytes (day);
