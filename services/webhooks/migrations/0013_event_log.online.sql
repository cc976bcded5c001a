-- A page of the log, of all types, of some, and of a span of time.
create index concurrently if not exists webhook_event_log on webhook_event (store_id, position);
create index concurrently if not exists webhook_event_log_type on webhook_event (store_id, type, position);
create index concurrently if not exists webhook_event_time on webhook_event (store_id, created_at, id);
