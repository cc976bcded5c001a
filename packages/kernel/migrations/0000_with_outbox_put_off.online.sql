-- Hundreds of thousands of events may be put off, because a queue is full or missing, and each search for due events
-- read all of them. From here on, one index finds events that were never put off, by id. Two more find those that were:
-- by their due time, or by name once a queue takes them again. The previous version still searches by outbox_waiting.
-- Of the existing partitions, only the default one gets the new indexes; the others keep outbox_waiting until their
-- hours are over, because building an index there would block writers.
create index if not exists outbox_fresh on only outbox (id)
  where published_at is null and dead_at is null and due_at <= created_at;
create index if not exists outbox_put_off on only outbox (due_at)
  where published_at is null and dead_at is null and due_at > created_at;
create index if not exists outbox_put_off_names on only outbox (name, id)
  where published_at is null and dead_at is null and due_at > created_at;
create index concurrently if not exists outbox_default_fresh on outbox_default (id)
  where published_at is null and dead_at is null and due_at <= created_at;
create index concurrently if not exists outbox_default_put_off on outbox_default (due_at)
  where published_at is null and dead_at is null and due_at > created_at;
create index concurrently if not exists outbox_default_put_off_names on outbox_default (name, id)
  where published_at is null and dead_at is null and due_at > created_at;
alter index outbox_fresh attach partition outbox_default_fresh;
alter index outbox_put_off attach partition outbox_default_put_off;
alter index outbox_put_off_names attach partition outbox_default_put_off_names;
