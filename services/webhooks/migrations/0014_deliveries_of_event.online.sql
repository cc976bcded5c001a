-- An event that comes again makes no deliveries, as it is there already: nothing else needs to be unique. A replay calls
-- an endpoint for an event once more, and leaves a record of its own.
create index concurrently if not exists webhook_delivery_of_event on webhook_delivery (store_id, event_id, endpoint_id);
alter table webhook_delivery drop constraint if exists webhook_delivery_event;
