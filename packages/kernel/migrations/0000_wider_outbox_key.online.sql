-- The primary key of a partitioned table must include the column that the table is partitioned by.
create unique index concurrently if not exists outbox_key on outbox (id, created_at);
