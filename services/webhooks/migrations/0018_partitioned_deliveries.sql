-- As events, so the records of their calls.
alter table webhook_delivery rename to webhook_delivery_default;
alter index webhook_delivery_pkey rename to webhook_delivery_default_pkey;
alter index webhook_delivery_age rename to webhook_delivery_default_age;
alter index webhook_delivery_history rename to webhook_delivery_default_history;
alter index webhook_delivery_of_event rename to webhook_delivery_default_of_event;

create table webhook_delivery (
  like webhook_delivery_default including defaults including constraints,
  primary key (store_id, id)
) partition by range (id);
create index webhook_delivery_history on webhook_delivery (store_id, endpoint_id, id);
create index webhook_delivery_of_event on webhook_delivery (store_id, event_id, endpoint_id);
alter table webhook_delivery attach partition webhook_delivery_default default;
