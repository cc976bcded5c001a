-- What every service's database has, before the file of the service.

-- An event is written in the transaction of its change, so it lies beside the store's rows; Citus wants what it
-- distributes by in every key.
alter table outbox
  drop constraint outbox_pkey,
  add constraint outbox_pkey primary key (store_id, id, created_at);
select create_distributed_table('outbox', 'store_id');

-- By the store or the organisation whose it is, and in another collation than a store's id: not beside its rows.
select create_distributed_table('audit_entry', 'owner_id', colocate_with => 'none');

-- Neither says of which store it is; spread by what they are looked up by, as they are as many as events and writes.
select create_distributed_table('handled_event', 'event_id', colocate_with => 'none');
select create_distributed_table('idempotent_answer', 'key_hash', colocate_with => 'none');
-- Of a store, an organisation or a person.
select create_distributed_table('idempotent_bytes', 'owner_id', colocate_with => 'none');

-- What the coordinator has been migrated to.
select citus_add_local_table_to_metadata('migration');
