-- The tables in every service's database, run before the file of the service.

-- An event is written in the transaction of its change, so it is placed with the store's rows. Citus requires the
-- distribution column in every key.
alter table outbox
  drop constraint outbox_pkey,
  add constraint outbox_pkey primary key (store_id, id, created_at);
select create_distributed_table('outbox', 'store_id');

-- Distributed by the store or organisation that owns the entries, in another collation than a store's id, so not placed
-- with its rows.
select create_distributed_table('audit_entry', 'owner_id', colocate_with => 'none');

-- Neither table names a store. They are distributed by the columns by which they are looked up, because they have as
-- many rows as there are events and writes.
select create_distributed_table('handled_event', 'event_id', colocate_with => 'none');
select create_distributed_table('idempotent_answer', 'key_hash', colocate_with => 'none');
-- Belongs to a store, an organisation or a person.
select create_distributed_table('idempotent_bytes', 'owner_id', colocate_with => 'none');

-- The migrations that the coordinator has.
select citus_add_local_table_to_metadata('migration');
