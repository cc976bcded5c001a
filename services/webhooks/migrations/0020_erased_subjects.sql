-- When a merchant erases a person, the person's data leaves the stored events and those that are still on their way
-- here. The events stay, with ids alone.
--
-- The customers and orders whose events of before that moment hold ids alone. Ids are all that stands here.
create table erased_subject (
  store_id text not null,
  id text not null,
  erased_at timestamptz not null,
  primary key (store_id, id)
);
create index erased_subject_age on erased_subject (erased_at);

-- Stores whose kept events are to be gone through for such subjects, and how far that has come: the last event that was
-- looked at. A walk looks for all subjects of its store, however many there are.
create table event_redaction (
  store_id text not null primary key,
  -- There are more since the walk began: another one follows.
  is_asked_again boolean not null default false,
  -- Null: it has yet to begin.
  reached_at timestamptz,
  reached_id text not null default '',
  -- Stores take turns.
  looked_at timestamptz not null default clock_timestamp()
);
