-- Events went row by row when their time was over, as many as came. They are partitioned by id from here on, which
-- begins with the time, and go with their partition. What is there becomes the default partition as it stands, without
-- being read; it is where ids without a time go (`POST /internal/events`).
alter table webhook_event rename to webhook_event_default;
alter index webhook_event_pkey rename to webhook_event_default_pkey;
alter index webhook_event_age rename to webhook_event_default_age;
alter index webhook_event_log rename to webhook_event_default_log;
alter index webhook_event_log_type rename to webhook_event_default_log_type;
alter index webhook_event_time rename to webhook_event_default_time;

create table webhook_event (
  like webhook_event_default including defaults,
  primary key (store_id, id)
) partition by range (id);
-- A page of the log, of all types, of some, and of a span of time.
create index webhook_event_log on webhook_event (store_id, position);
create index webhook_event_log_type on webhook_event (store_id, type, position);
create index webhook_event_time on webhook_event (store_id, created_at, id);
alter table webhook_event attach partition webhook_event_default default;
