-- How many events were put aside is asked every few seconds; without an index of their own that reads the whole table.
create index concurrently if not exists outbox_dead on outbox (id) where dead_at is not null;
