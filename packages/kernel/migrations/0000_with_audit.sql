-- Who did what is kept with the change that it tells of, in its transaction, so every service has its own part of a
-- store's or an organisation's audit (`owner_id`). Entries go by the month, as a whole: ids begin with their time, which
-- `at` repeats.
create table audit_entry (
  owner_id text not null collate "C",
  id text not null collate "C",
  at timestamptz not null,
  actor_type text not null,
  -- `system` where nobody asked for it.
  actor_id text not null collate "C",
  action text not null collate "C",
  target_id text not null,
  target_name text,
  changed text[] not null,
  ip text,
  request_id text,
  primary key (owner_id, id)
) partition by range (id);
-- One for each filter, and one for both: none reads more than it gives, also where little or nothing matches. In an
-- order of their own, so that the planner does not take the primary key for them (audit/entries.ts).
create index audit_entry_actor on audit_entry (owner_id, actor_id, (id || ''));
create index audit_entry_action on audit_entry (owner_id, action, (id || ''));
create index audit_entry_both on audit_entry (owner_id, actor_id, action, (id || ''));

create table audit_entry_default partition of audit_entry default;
create index audit_entry_default_age on audit_entry_default (at);
