-- Calls about one thing, in their order; calls of one batch.
create index concurrently if not exists webhook_due_resource on webhook_due (store_id, endpoint_id, resource, sequence)
  where resource is not null;
create index concurrently if not exists webhook_due_batch on webhook_due (store_id, endpoint_id, batch_id)
  where batch_id is not null;
-- Endpoints that a task looks at every minute: few have these settings.
create index concurrently if not exists webhook_endpoint_alerts on webhook_endpoint (store_id, id)
  where failure_alerts is not null;
create index concurrently if not exists webhook_endpoint_disabling on webhook_endpoint (failing_since)
  where disable_after_days is not null;
