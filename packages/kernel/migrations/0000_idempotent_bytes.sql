-- How many bytes of answers are kept for a store, an organisation or a person: `decisions.md 19.13`. In slots, one for
-- some connections each, so that writers of one store do not wait for each other at a counter.
create table idempotent_bytes (
  owner_id text not null,
  day date not null,
  slot smallint not null,
  bytes bigint not null,
  primary key (owner_id, day, slot)
);
create index idempotent_bytes_age on idempotent_bytes (day);
