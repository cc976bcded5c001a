-- Events that were put off, because a queue is full or not there, may be hundreds of thousands, and each look for what is
-- due read over all of them. From here on those that never were are found apart, by id, and those that were by when they
-- are due, or by name where a queue takes them again. outbox_waiting is what the version before looks by. Of partitions
-- that are there, but for the default one, each keeps to it until its hours are over: building there would hold up writers.
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
