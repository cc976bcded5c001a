-- Old rows used to leave the outbox one by one; behind a broker, that meant one deletion for each event written. From
-- here on the outbox is partitioned by the hour, and a whole hour is dropped at once (db/partitions.ts). The existing
-- table becomes the default partition without being read. Its rows leave as before, and the partitions begin with an
-- hour that has no rows yet.
create sequence outbox_id;
select setval('outbox_id', nextval(pg_get_serial_sequence('outbox', 'id')));
alter table outbox alter column id drop identity;
alter table outbox rename to outbox_default;
alter table outbox_default alter column id set default nextval('outbox_id');
alter table outbox_default drop constraint outbox_pkey;
alter table outbox_default add constraint outbox_default_pkey primary key using index outbox_key;
alter index outbox_waiting rename to outbox_default_waiting;
alter index outbox_dead rename to outbox_default_dead;
alter index outbox_published rename to outbox_default_published;

create table outbox (
  like outbox_default including defaults,
  primary key (id, created_at)
) partition by range (created_at);
alter sequence outbox_id owned by outbox.id;
create index outbox_waiting on outbox (id) where published_at is null and dead_at is null;
create index outbox_dead on outbox (id) where dead_at is not null;
alter table outbox attach partition outbox_default default;
