-- Handled events are forgotten a day at a time instead of row by row: ids of events begin with their time. As with the
-- outbox, the existing table becomes the default partition unchanged. Ids without a time go there from now on.
alter table handled_event rename to handled_event_default;
alter index handled_event_pkey rename to handled_event_default_pkey;
alter index handled_event_age rename to handled_event_default_age;
create table handled_event (
  like handled_event_default including defaults,
  primary key (consumer, event_id)
) partition by range (event_id);
alter table handled_event attach partition handled_event_default default;
