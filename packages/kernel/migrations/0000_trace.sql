-- One trace id must find a change and everything that it starts in other services. So an event keeps the W3C
-- traceparent of the request that made it.
alter table outbox add column trace text;
