-- The sessions that end with another: few of many.
create index concurrently if not exists session_of_parent on session (parent_id) where parent_id is not null;
