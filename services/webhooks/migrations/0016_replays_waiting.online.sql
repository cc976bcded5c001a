-- How many calls of a replay are not settled decides whether it goes on.
create index concurrently if not exists webhook_due_replay on webhook_due (store_id, replay_id)
  where replay_id is not null;
