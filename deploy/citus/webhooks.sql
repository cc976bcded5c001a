-- The webhooks service: every row belongs to a store, except those counted by target host.

-- Without this setting, Citus distributes no table with triggers. The trigger of webhook_delivery writes to
-- webhook_unsuccessful, in the store of its row.
set citus.enable_unsafe_triggers = on;

select create_distributed_table('endpoint_call', 'store_id');
select create_distributed_table('endpoint_cancellation', 'store_id');
select create_distributed_table('endpoint_queue', 'store_id');
select create_distributed_table('erased_subject', 'store_id');
select create_distributed_table('event_log', 'store_id');
select create_distributed_table('event_redaction', 'store_id');
-- Counted by host across all stores.
select create_distributed_table('host_call', 'host', colocate_with => 'none');
select create_distributed_table('webhook_attempt_count', 'store_id');
select create_distributed_table('webhook_attempt_minute', 'store_id');
select create_distributed_table('webhook_batch', 'store_id');
select create_distributed_table('webhook_delivery', 'store_id');
select create_distributed_table('webhook_delivery_count', 'store_id');
select create_distributed_table('webhook_due', 'store_id');
select create_distributed_table('webhook_endpoint', 'store_id');
select create_distributed_table('webhook_event', 'store_id');
select create_distributed_table('webhook_replay', 'store_id');
select create_distributed_table('webhook_unsuccessful', 'store_id');
