-- A change and what it sets going in other services are to be found under one trace id: an event keeps the
-- W3C traceparent of the request that made it.
alter table outbox add column trace text;
