-- The service counts its dead events every few seconds. Without an index of their own, that count reads the whole
-- table.
create index concurrently if not exists outbox_dead on outbox (id) where dead_at is not null;
