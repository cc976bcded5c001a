-- A key of a partitioned table holds what it is partitioned by.
create unique index concurrently if not exists outbox_key on outbox (id, created_at);
