-- Begins with the endpoint, because no index but the key may serve a look-up by store and delivery: a plan made while the
-- table is empty could take this one for it, and read all that a store has waiting for one row.
create index concurrently if not exists webhook_due_by_endpoint on webhook_due (endpoint_id, claimable_at);
drop index concurrently if exists webhook_due_order;
